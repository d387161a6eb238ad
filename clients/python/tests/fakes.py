"""A server in this process, with a key of its own, that says what a test wants it to say."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from handraise.calls import Calls
from handraise.canonical import action_digest, canonical_json, plan_digest
from handraise.exchange import Flow, Lost, Pause, Reply, Request
from handraise.keys import Keys
from handraise.known_servers import KnownServers
from handraise.models import Operand

ADDRESS = "https://desk.example"
AGENT = {"id": "7", "name": "backend"}
ANA = {"id": "8", "name": "Ana", "via": "dashboard"}

Json = Dict[str, Any]


class Key:
    """An Ed25519 key, and what it signs."""

    def __init__(self) -> None:
        self._secret = Ed25519PrivateKey.generate()
        self.public = base64.b64encode(self._secret.public_key().public_bytes_raw()).decode()

    def sign(self, document: Mapping[str, Any]) -> Json:
        """This, with the signature over the rest of it."""
        rest = {name: value for name, value in document.items() if name != "signature"}
        return {**rest, "signature": self.sign_bytes(canonical_json(rest))}

    def sign_bytes(self, text: bytes) -> str:
        return base64.b64encode(self._secret.sign(text)).decode()

    def names(self, successor: Key) -> Json:
        """The statement that another key follows."""
        statement = {"version": 1, "statement": "handraise key rotation", "at": "2027-01-15T08:00:00Z"}
        return self.sign({**statement, "old": self.public, "new": successor.public})


def id_of(key: str) -> str:
    """The id of what is asked under a key, as the server makes it."""
    told = hashlib.sha256(f"handraise interaction\n{AGENT['id']}\n{key}".encode()).hexdigest()
    made = f"{int(time.time() * 1000):012x}7{told[1:4]}{'89ab'[int(told[4], 16) & 3]}{told[5:20]}"
    return "-".join((made[:8], made[8:12], made[12:16], made[16:20], made[20:]))


def at(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


class FakeServer:
    """Answers everything at once with ``decision``. ``lies`` change what it says, by the end of the path."""

    def __init__(self) -> None:
        self.key = Key()
        self.rotations: List[Json] = []
        self.trusted: List[str] = []
        self.decision: Optional[str] = "approved"
        self.now: Callable[[], datetime] = lambda: datetime.now(timezone.utc)
        self.lies: Dict[str, Callable[[Json], Any]] = {}
        self.lost: List[str] = []
        """The ends of paths whose next reply is lost, when it is done."""
        self.refusals: Dict[str, Reply] = {}
        self.before: Dict[str, Callable[[], Any]] = {}
        """What happens before a request is answered, by the end of the path."""
        self.requests: List[str] = []
        self.asked: List[Json] = []
        self.runs: List[str] = []
        """The names of runs that wanted to use an approval."""
        self._interactions: Dict[str, Json] = {}
        self._receipts: Dict[str, Json] = {}
        self._by_key: Dict[str, str] = {}

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._http)

    def reply(self, request: Request) -> Union[Reply, Lost]:
        end = request.path.rsplit("/", 1)[-1]
        end = "poll" if end in self._interactions else end
        self.requests.append(f"{request.method} {end}")
        self.before.get(end, lambda: None)()
        if end in self.refusals:
            return self.refusals[end]
        done = self._done(request, end)
        if end in self.lost:
            self.lost.remove(end)
            return Lost(ConnectionError("reset"))
        if isinstance(done, Reply):
            return done
        # What is said in between is changed; what is stored stays.
        said = json.loads(json.dumps(done))
        return json_reply(self.lies[end](said) if end in self.lies else said)

    @property
    def ids(self) -> List[str]:
        """Of all that was asked."""
        return list(self._interactions)

    @property
    def used(self) -> List[str]:
        """The approvals that were."""
        return [id for id, it in self._interactions.items() if "consumed" in it]

    def receipt(self, id: str) -> Json:
        return self._receipts[id]

    def of(self, id: str) -> Json:
        return self._interactions[id]

    def close(self, id: str, outcome: str) -> None:
        """Somebody decides."""
        it = self._interactions[id]
        now = self.now()
        it.update(state="resolved", outcome=outcome, closed_at=at(now))
        it["answer"] = {"answered_at": at(now), "responder": ANA}
        receipt: Json = {
            "version": 1,
            "interaction_id": id,
            "kind": it["kind"],
            "outcome": outcome,
            "agent": AGENT,
            "responder": ANA,
            "asked_at": it["created_at"],
            "answered_at": at(now),
            "public_key": self.key.public,
        }
        if it["kind"] == "plan_review":
            receipt["plan_digest"] = plan_digest(it["plan"])
            it["answer"]["decision"] = outcome
        else:
            receipt["action_digest"] = it["action_digest"]
            it["approved"] = outcome == "approved"
        self._receipts[id] = self.key.sign(receipt)

    def note(self, id: str, run: str, key: Optional[Key] = None, **changes: Any) -> Json:
        """That an approval is used by a run, signed."""
        key = key or self.key
        statement = {"version": 1, "statement": "handraise consumption", "interaction_id": id, "run": run}
        signed = key.sign({**statement, "at": at(self.now()), "public_key": key.public, **changes})
        return {name: signed[name] for name in ("at", "run", "public_key", "signature")}

    def _done(self, request: Request, end: str) -> Any:
        if end == "keys":
            return {"public_key": self.key.public, "rotations": self.rotations, "trusted": self.trusted}
        body = json.loads(request.body) if request.body else {}
        if end == "interactions":
            return self._open(body, request.headers["Idempotency-Key"])
        id = request.path.split("/")[2]
        it = self._interactions[id]
        if end == "receipt":
            return self._receipts.get(id) or json_reply({"code": "no_receipt"}, 404)
        if end == "consume":
            if body["run"] not in self.runs:
                self.runs.append(body["run"])
            if "consumed" in it and it["consumed"]["run"] != body["run"]:
                used = it["consumed"]
                told = {"code": "already_consumed", "consumed_at": used["at"], "consumed_by": used["run"]}
                return json_reply(told, 409)
            it.setdefault("consumed", self.note(id, body["run"]))
        if end == "report":
            it["report"] = {"text": None, "at": at(self.now()), **body}
        return it

    def _open(self, body: Json, key: str) -> Json:
        if key in self._by_key:
            return self._interactions[self._by_key[key]]
        id = id_of(key)
        self._by_key[key] = id
        self.asked.append(body)
        it: Json = {
            "id": id,
            "version": 1,
            "mode": "sync",
            "state": "pending",
            "agent": AGENT,
            "priority": "normal",
            "created_at": at(self.now()),
            "dashboard_url": f"{ADDRESS}/blockers/{id}",
            **body,
        }
        if "action" in body:
            operands = [Operand(**one) for one in body["action"].get("operands", [])]
            it["action_digest"] = action_digest(body["action"]["tool"], body["action"]["arguments"], operands)
        self._interactions[id] = it
        if self.decision is not None:
            self.close(id, self.decision)
        return it

    def _http(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().split("/api/v1")[1]
        headers = {name.title(): value for name, value in request.headers.items()}
        replied = self.reply(Request(request.method, path, request.read(), headers))
        if isinstance(replied, Lost):
            raise httpx.ReadError("reset")
        return httpx.Response(replied.status, content=replied.body)


def json_reply(body: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(body).encode())


def calls_at(folder: Path, *, named: str = "", now: Optional[datetime] = None, clock: Any = None) -> Calls:
    """Calls of an agent that notes its servers in this folder."""
    keys = Keys(ADDRESS, KnownServers(folder / "known_servers"), tuple(filter(None, named.split(","))))
    moment = now or datetime.now(timezone.utc)
    return Calls(keys, clock=clock or (lambda: 0.0), chance=lambda: 0, now=lambda: moment)


def carry_out(flow: Flow[Any], server: FakeServer) -> Any:
    """As the loops of the clients do, without waiting."""
    try:
        step = next(flow)
        while True:
            step = flow.send(None if isinstance(step, Pause) else server.reply(step))
    except StopIteration as over:
        return over.value


def days(count: float) -> timedelta:
    return timedelta(days=count)
