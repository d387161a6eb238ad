"""Nodes of Handraise: the program itself, each in a folder of its own with its key and its checkpoints."""

import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

from postgres import free_port

PROGRAM = str(pathlib.Path(__file__).resolve().parents[2] / "target/release/handraise")

# One agent is all of them here, so what bounds one is off.
UNBOUNDED = {
    "HANDRAISE_MAX_PENDING_PER_AGENT": "0",
    "HANDRAISE_RATE_LIMIT_PER_MINUTE": "0",
    "HANDRAISE_AGENT_BYTES_PER_DAY": "0",
    "RUST_LOG": "warn",
}


class Node:
    def __init__(self, place, name, program, database, key_of=None):
        self.folder, self.name, self.program, self.database = place / name, name, program, database
        self.port = free_port()
        self.folder.mkdir(parents=True)
        if key_of:
            shutil.copy2(key_of.folder / "handraise.key", self.folder)
        self.process = None

    @property
    def environment(self):
        outside = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAISE_")}
        return {**outside, **UNBOUNDED, "HANDRAISE_DATABASE_URL": self.database}

    def command(self, *arguments):
        """Runs one of its commands; what it said, and its exit code."""
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
        return (done.stdout + done.stderr).strip(), done.returncode

    def token(self, kind):
        said, code = self.command("token", "create", "--kind", kind, "--name", f"{kind} of the load")
        if code:
            raise SystemExit(said)
        return said.split()[-1]

    def start(self, patience=60):
        """Returns why it did not, or nothing."""
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--addr", f"127.0.0.1:{self.port}"],
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        if not ready:
            self.kill()
            return f"it did not start within {patience} s"
        if self.process.stdout.readline():
            return None
        self.process.wait()
        return (self.folder / "log").read_text().strip().splitlines()[-1]

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def readiness(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as reply:
                return reply.status, json.load(reply)["not_ready"]
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["not_ready"]
        except OSError as error:
            return 0, [str(error)]

    def complaints(self):
        """Lines of its log, how often each, without their times."""
        counted = {}
        for line in (self.folder / "log").read_text().splitlines():
            words = line.split(maxsplit=1)
            counted[words[-1][:300]] = counted.get(words[-1][:300], 0) + 1
        return counted


def start_all(place, program, database, count):
    """So many nodes with one key."""
    nodes = [Node(place, "node-1", program, database)]
    refused = nodes[0].start()
    for number in range(2, count + 1):
        if refused:
            break
        nodes.append(Node(place, f"node-{number}", program, database, key_of=nodes[0]))
        refused = nodes[-1].start()
    if refused:
        raise SystemExit(f"{nodes[-1].name} did not start: {refused}")
    return nodes


def program_of(arguments):
    """The program that is tried."""
    program = pathlib.Path(arguments.program).resolve()
    if not program.exists():
        raise SystemExit(f"{program} is missing: cargo xtask build, or --program")
    return program
