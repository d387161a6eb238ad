"""Agents that ask, people that answer, and a ledger of all that was acknowledged to them.

A turn is one interaction: it is asked, answered, and picked up (an approval: used by one run). Each step is sent again, to the next
node, until there is an answer that says yes or no: as a client does that wants its answer once.
"""

import dataclasses
import http.client
import json
import threading
import time
import uuid

# What a client would take for an outage, and not for an answer.
PATIENCE = 10


@dataclasses.dataclass
class Turn:
    kind: str
    text: str
    id: str = ""
    # When each step was acknowledged.
    asked: float = 0
    answered: float = 0
    picked_up: float = 0
    # What was refused, for instance with 404 when it is no longer there.
    refused: list = dataclasses.field(default_factory=list)


class Client:
    """Connections of one thread to all nodes."""

    def __init__(self, load, number):
        self.load, self.at = load, number % len(load.doors)
        self.connections = {}

    def call(self, method, path, token, body=None, **headers):
        """Until it is certain. The status, and what was said."""
        began, failed = time.monotonic(), 0
        while True:
            status, said = self.once(method, path, token, body, headers)
            if status and status < 500 and status != 429:
                waited = time.monotonic() - began
                with self.load.lock:
                    self.load.waits.append((time.time(), waited, failed))
                return status, said
            failed += 1
            with self.load.lock:
                name = said if not status else f"{status} {said.get('code', '')}"
                self.load.failures[name] = self.load.failures.get(name, 0) + 1
            if self.load.abandoned:
                raise TimeoutError
            self.at = (self.at + 1) % len(self.load.doors)
            time.sleep(0.05)

    def once(self, method, path, token, body, headers):
        door = self.load.doors[self.at]
        connection = self.connections.get(door)
        if not connection:
            connection = self.connections[door] = http.client.HTTPConnection("127.0.0.1", door, timeout=PATIENCE)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or "{}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            return 0, type(error).__name__


class Load:
    """So many agents at once, each with the next turn when the last one is done."""

    def __init__(self, doors, agent, responder, count=8, pause=0):
        self.pause, self.doors, self.agent, self.responder = pause, doors, agent, responder
        self.lock = threading.Lock()
        self.turns, self.waits, self.failures = [], [], {}
        self.stopping = self.abandoned = False
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(count)]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self, patience=60):
        """What has begun is brought to its end."""
        self.stopping = True
        ends = time.monotonic() + patience
        for thread in self.threads:
            thread.join(max(0.1, ends - time.monotonic()))
        self.abandoned = True
        for thread in self.threads:
            thread.join(2 * PATIENCE)

    def run(self, number):
        client = Client(self, number)
        while not self.stopping:
            kind = "approval" if len(self.turns) % 2 else "question"
            turn = Turn(kind, uuid.uuid4().hex)
            with self.lock:
                self.turns.append(turn)
            try:
                self.take(client, turn)
            except TimeoutError:
                return
            time.sleep(self.pause)

    def take(self, client, turn):
        body = {"kind": turn.kind, "prompt": f"Which way? {turn.text}", "timeout_seconds": None}
        answer, pick_up, picked = {"text": turn.text}, "collect", {}
        if turn.kind == "approval":
            body["action"] = {"tool": "deploy", "arguments": {"of": turn.text}}
            answer, pick_up, picked = {"approved": True, "text": turn.text}, "consume", {"run": turn.text}
        status, said = client.call("POST", "/api/v1/interactions", self.agent, body, Idempotency_Key=turn.text)
        if status not in (200, 201):
            turn.refused.append(("ask", status, said.get("code")))
            return
        turn.id, turn.asked = said["id"], time.time()
        path = f"/api/v1/interactions/{turn.id}"
        status, said = client.call("POST", f"{path}/answer", self.responder, answer)
        if status == 409:
            # A try of before may have arrived although its reply did not.
            status, said = client.call("GET", path, self.agent)
        if status != 200 or (said.get("answer") or {}).get("text") != turn.text:
            turn.refused.append(("answer", status, said.get("code")))
            return
        turn.answered = time.time()
        status, said = client.call("POST", f"{path}/{pick_up}", self.agent, picked)
        if status != 200:
            turn.refused.append((pick_up, status, said.get("code")))
            return
        turn.picked_up = time.time()

    def report(self):
        with self.lock:
            waits = sorted(wait for _, wait, _ in self.waits)
            return {
                "asked": sum(bool(turn.asked) for turn in self.turns),
                "answered": sum(bool(turn.answered) for turn in self.turns),
                "picked up": sum(bool(turn.picked_up) for turn in self.turns),
                "refused": tally(str(refused) for turn in self.turns for refused in turn.refused),
                "tries that failed": dict(self.failures),
                "a call, median / 99th / longest in ms": [round(1000 * quantile(waits, q), 1) for q in (0.5, 0.99, 1)],
            }


class Follower(threading.Thread):
    """Reads the journal as an integration does: what comes after the last number that it knows."""

    def __init__(self, load, after=0):
        super().__init__(daemon=True)
        self.load, self.after, self.seen, self.again, self.stopping = load, after, {}, set(), False
        self.start()

    def run(self):
        client = Client(self.load, 0)
        while not self.stopping:
            status, page = client.once("GET", f"/api/v1/events?after={self.after}", self.load.responder, None, {})
            if status != 200:
                client.at = (client.at + 1) % len(self.load.doors)
            else:
                for event in page["items"]:
                    if self.seen.setdefault(event["seq"], event["id"]) != event["id"]:
                        # It knows this number for another event.
                        self.again.add(event["id"])
                self.after = page["last_seq"]
                if page["items"]:
                    continue
            time.sleep(0.05)


def quantile(ordered, share):
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def tally(things):
    counted = {}
    for thing in things:
        counted[thing] = counted.get(thing, 0) + 1
    return counted


def gone(turns, cluster):
    """What was acknowledged, and is not in this database."""
    rows = cluster.sql("SELECT json_build_array(id, state, detail, consumed IS NOT NULL, collected_at IS NOT NULL) FROM interactions")
    there = {row[0]: row[1:] for row in map(json.loads, rows.splitlines())}
    missing = {"asked": [], "answered": [], "picked up": []}
    for turn in turns:
        state, detail, consumed, collected = there.get(turn.id, ("", "", False, False))
        if turn.asked and not state:
            missing["asked"].append(turn)
        if turn.answered and turn.text not in detail:
            missing["answered"].append(turn)
        if turn.picked_up and not (consumed if turn.kind == "approval" else collected):
            missing["picked up"].append(turn)
    return missing


def run_again(load, turns):
    """Approvals that a run has used, and that a second run may use all the same."""
    client, twice = Client(load, 0), []
    for turn in turns:
        if turn.kind == "approval" and turn.picked_up:
            status, _ = client.once("POST", f"/api/v1/interactions/{turn.id}/consume", load.agent, {"run": "a second one"}, {})
            if status == 200:
                twice.append(turn)
    return twice
