"""The real server, and somebody who answers."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Set

import httpx

PATIENCE = 60 if os.environ.get("HANDRAISE_ADAPTERS") else 30
"""Seconds after which a test that waits has failed. Frameworks take long to import."""


def frameworks_named(known: Iterable[str]) -> Set[str]:
    """Those that `HANDRAISE_ADAPTERS` names, with commas between: none where it is not set, all of `1` and `table`."""
    named = {one for one in os.environ.get("HANDRAISE_ADAPTERS", "").split(",") if one}
    if named & {"1", "table"}:
        return set(known)
    assert named <= set(known), f"HANDRAISE_ADAPTERS names {sorted(named - set(known))}, and known are {sorted(known)}"
    return named


class Server:
    """`handraise serve` with a database of its own, on a port that stays the same."""

    def __init__(self, folder: Path, port: int = 0, **settings: str) -> None:
        binary = os.environ.get("HANDRAISE_BIN")
        assert binary, "set HANDRAISE_BIN to the program `handraise`"
        self._binary = str(Path(binary).resolve())
        self._folder = folder
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAISE_")}
        self._environment.update({"HANDRAISE_RATE_LIMIT_PER_MINUTE": "0", **settings})
        self._process: Optional[subprocess.Popen[str]] = None
        self._log = (folder / "log").open("a")
        self.port = port
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Returns when it listens."""
        address = f"127.0.0.1:{self.port}"
        self._process = subprocess.Popen(
            [self._binary, "serve", "--addr", address, "--database", self._database],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert "listens on" in line, (self._folder / "log").read_text()
        self.port = int(line.rsplit(":", 1)[1])

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Returns when it is gone."""
        assert self._process and self._process.stdout
        self._process.send_signal(how)
        self._process.wait(PATIENCE)
        self._process.stdout.close()
        self._process = None

    def close(self) -> None:
        if self._process:
            self.kill()
        self._log.close()

    def token(self, kind: str, name: str) -> str:
        return self._run("token", "create", "--kind", kind, "--name", name)

    def rotate_key(self) -> str:
        """Returns the new public key, which counts when it starts again."""
        return self._run("key", "rotate")

    def trust(self, url: str, key: str, file: Path) -> None:
        """Has an agent's command line note this key in this file."""
        self._done("trust", "add", url, key, HANDRAISE_KNOWN_SERVERS=str(file))

    def _run(self, *command: str) -> str:
        return self._done(*command, "--database", self._database)

    def _done(self, *command: str, **settings: str) -> str:
        done = subprocess.run(
            [self._binary, *command],
            cwd=self._folder,
            env={**self._environment, **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    @property
    def _database(self) -> str:
        return f"sqlite://{self._folder / 'handraise.db'}"


class Desk:
    """A program that answers, with a responder token."""

    def __init__(self, server: Server) -> None:
        token = server.token("responder", "desk")
        self._http = httpx.Client(
            base_url=f"{server.url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
        )
        self._seen = 0

    def catch_up(self) -> None:
        """Passes over what is there already."""
        while self._events():
            pass

    def next(self) -> Dict[str, Any]:
        """The next interaction that anybody opens, as soon as it is there."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for one in self._events(limit="1", wait=PATIENCE // 3):
                if one["type"] in ("interaction.requested", "notification.sent"):
                    return self.get(one["interaction_id"])
        raise AssertionError(f"nobody has asked anything for {PATIENCE} s")

    def answer_next(self, **answer: Any) -> Dict[str, Any]:
        """Answers what is opened next."""
        return self.answer(self.next()["id"], **answer)

    def answer(self, id: str, **answer: Any) -> Dict[str, Any]:
        return self._done(self._http.post(f"/interactions/{id}/answer", json=answer))

    def follow_up(self, id: str, text: str) -> Dict[str, Any]:
        return self._done(self._http.post(f"/interactions/{id}/follow_up", json={"text": text}))

    def cancel(self, id: str) -> Dict[str, Any]:
        return self._done(self._http.post(f"/interactions/{id}/cancel", json={}))

    def get(self, id: str) -> Dict[str, Any]:
        return self._done(self._http.get(f"/interactions/{id}"))

    def all(self) -> List[Dict[str, Any]]:
        items: List[Dict[str, Any]] = self._done(self._http.get("/interactions?limit=200"))["items"]
        return items

    def count(self, prompt: str) -> int:
        """How many interactions with exactly this prompt are among the newest."""
        return sum(one["prompt"] == prompt for one in self.all())

    def close(self) -> None:
        self._http.close()

    def _events(self, limit: str = "1000", wait: int = 0) -> List[Dict[str, Any]]:
        headers = {"Prefer": f"wait={wait}"} if wait else {}
        page = self._done(self._http.get("/events", params={"after": self._seen, "limit": limit}, headers=headers))
        self._seen = page["last_seq"]
        items: List[Dict[str, Any]] = page["items"]
        return items

    @staticmethod
    def _done(response: httpx.Response) -> Dict[str, Any]:
        assert response.is_success, response.text
        body: Dict[str, Any] = response.json()
        return body
