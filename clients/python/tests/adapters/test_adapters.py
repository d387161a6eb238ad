"""Every adapter, held and durable, against the real server and the real framework. The model is scripted."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

from handraise import Handraise, HandraiseError
from handraise.adapters.outcomes import report_one
from handraise.adapters.tool_calls import ToolCall, Verdict, expect_told_apart, expect_version, flat_schema, running

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from serving import PATIENCE, Desk, Server, frameworks_named

PROGRAMS = Path(__file__).parent / "programs"
SECRET = "sk-secret-of-the-app"
BOTH = ("held", "durable")
ADAPTERS: Dict[str, Any] = {
    "langchain": BOTH,
    "langgraph": BOTH,
    "pydantic_ai": BOTH,
    "openai_agents": BOTH,
    "agent_framework": BOTH,
    "claude_agent_sdk": ("held",),
    "crewai": BOTH,
}
PYTHONS = {"crewai": os.environ.get("HANDRAISE_CREWAI_PYTHON", "")}
"""CrewAI and the others want different versions of Pydantic, so it has an environment of its own."""
NAMED = frameworks_named(ADAPTERS)
WAYS = [(a, way) for a, ways in ADAPTERS.items() if a in NAMED for way in ways if PYTHONS.get(a, sys.executable)]
RESTARTED = [(a, w) for a, w in WAYS if w == "durable" or a in ("langchain", "langgraph")]
"""Where the framework keeps what a process that was killed needs."""
AMENDABLE = [
    (a, w)
    for a, w in WAYS
    if a in ("langchain", "langgraph") or (w == "held" and a in ("pydantic_ai", "agent_framework", "crewai"))
]
RUN_BY_US = [*AMENDABLE, ("pydantic_ai", "durable"), ("agent_framework", "durable")]
"""Where the adapter is around the run: the OpenAI SDK makes a text of a failure, and steps of CrewAI run calls."""
RUN_BY_US = [one for one in RUN_BY_US if one in WAYS]
REPORTED = RUN_BY_US + [one for one in [("claude_agent_sdk", "held"), ("crewai", "durable")] if one in WAYS]
THREE = [{"id": f"call_{n}", "to": to, "amount": n} for n, to in enumerate(["Ana", "Bob", "Cy"], 1)]


class Program:
    """One agent, which can be killed and started again."""

    def __init__(self, folder: Path, server: Server, token: str, adapter: str, way: str) -> None:
        self.folder = folder
        self.calls: List[Dict[str, Any]] = THREE[:1]
        self.terms: Dict[str, Any] = {}
        self.environment: Dict[str, str] = {}
        self._server, self._token, self._adapter, self._way = server, token, adapter, way
        self._process: Any = None

    def start(self) -> None:
        environment = {
            **os.environ,
            "HANDRAISE_URL": self._server.url,
            "HANDRAISE_TOKEN": self._token,
            "CALLS": json.dumps(self.calls),
            "TERMS": json.dumps(self.terms),
            "PYTHONPATH": str(PROGRAMS.parents[2] / "src"),
            **self.environment,
        }
        log = (self.folder / "log").open("a")
        self._process = subprocess.Popen(
            [
                PYTHONS.get(self._adapter, sys.executable),
                str(PROGRAMS / f"{self._adapter}_program.py"),
                self._way,
                str(self.folder),
            ],
            env=environment,
            stdout=log,
            stderr=log,
        )

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def heard(self) -> Dict[str, str]:
        """What the model heard at the end, by call."""
        self.ended()
        assert self._process.returncode == 0, (self.folder / "log").read_text()[-4000:]
        found: Dict[str, str] = json.loads((self.folder / "heard").read_text())
        return found

    def ended(self) -> None:
        self._process.wait(2 * PATIENCE)

    def close(self) -> None:
        if self._process and self._process.poll() is None:
            self.kill()

    @property
    def ledger(self) -> List[str]:
        path = self.folder / "ledger"
        return path.read_text().splitlines() if path.exists() else []


Start = Callable[[str, str], Program]


@pytest.fixture
def program(tmp_path: Path, server: Server, token: str) -> Iterator[Start]:
    made: List[Program] = []

    def make(adapter: str, way: str) -> Program:
        made.append(Program(tmp_path, server, token, adapter, way))
        return made[-1]

    yield make
    for one in made:
        one.close()


def refuse(port: int, times: int) -> None:
    """What is in the place of a server that is away: it hangs up on whoever comes, so many times."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        listener.settimeout(PATIENCE)
        for _ in range(times):
            listener.accept()[0].close()


def asked_of(desk: Desk, count: int) -> Dict[str, Dict[str, Any]]:
    """What is asked next, by whom it pays."""
    found = [desk.next() for _ in range(count)]
    return {one["action"]["arguments"]["to"]: one for one in found}


@pytest.mark.parametrize(("adapter", "way"), WAYS)
def test_three_calls_answered_out_of_order_reach_the_right_one(
    program: Start, desk: Desk, adapter: str, way: str
) -> None:
    agent = program(adapter, way)
    agent.calls = THREE
    agent.start()
    asked = asked_of(desk, 3)
    desk.answer(asked["Cy"]["id"], approved=True)
    desk.answer(asked["Bob"]["id"], approved=False, text="Bob was paid already")
    desk.answer(asked["Ana"]["id"], approved=True)
    heard = agent.heard()
    assert sorted(agent.ledger) == ["Ana 1", "Cy 3"]
    assert "paid 1 to Ana" in heard["call_1"]
    assert "paid 3 to Cy" in heard["call_3"]
    assert "paid" not in heard["call_2"].replace("Bob was paid already", "")
    if (adapter, way) != ("agent_framework", "durable"):
        assert "Bob was paid already" in heard["call_2"]


@pytest.mark.parametrize(("adapter", "way"), RESTARTED)
def test_killed_while_it_waits_it_asks_once_and_runs_once(program: Start, desk: Desk, adapter: str, way: str) -> None:
    agent = program(adapter, way)
    agent.start()
    asked = desk.next()
    agent.kill()
    agent.start()
    desk.answer(asked["id"], approved=True)
    assert "paid 1 to Ana" in agent.heard()["call_1"]
    assert agent.ledger == ["Ana 1"]
    assert [one["id"] for one in desk.all() if one["state"] == "pending"] == []
    assert desk.get(asked["id"])["consumed"]


@pytest.mark.parametrize(("adapter", "way"), RESTARTED)
def test_answered_while_no_process_lives_it_goes_on_with_that(
    program: Start, desk: Desk, adapter: str, way: str
) -> None:
    agent = program(adapter, way)
    agent.start()
    asked = desk.next()
    agent.kill()
    desk.answer(asked["id"], approved=True)
    agent.start()
    agent.heard()
    assert agent.ledger == ["Ana 1"]


@pytest.mark.parametrize(("adapter", "way"), RESTARTED)
def test_an_approval_that_was_used_already_runs_nothing(
    program: Start, server: Server, token: str, desk: Desk, adapter: str, way: str
) -> None:
    agent = program(adapter, way)
    agent.start()
    asked = desk.next()
    agent.kill()
    desk.answer(asked["id"], approved=True)
    with Handraise(server.url, token) as people:
        arguments = {"to": "Ana", "amount": 1}
        assert people.verify(asked["id"], tool="pay", arguments=arguments)
        people.consume(asked["id"])
    agent.start()
    heard = agent.heard()
    assert agent.ledger == []
    if (adapter, way) != ("agent_framework", "durable"):
        assert "earlier run" in heard["call_1"]


@pytest.mark.parametrize(("adapter", "way"), WAYS)
def test_what_nobody_answers_in_time_does_not_run(program: Start, desk: Desk, adapter: str, way: str) -> None:
    agent = program(adapter, way)
    agent.terms = {"timeout": 1}
    agent.start()
    heard = agent.heard()
    assert agent.ledger == []
    assert "call_1" in heard


@pytest.mark.parametrize(("adapter", "way"), AMENDABLE)
def test_it_runs_with_changed_arguments_and_what_does_not_fit_is_refused(
    program: Start, desk: Desk, adapter: str, way: str
) -> None:
    agent = program(adapter, way)
    agent.terms = {"amendable": True}
    agent.start()
    asked = desk.next()
    with pytest.raises(AssertionError, match=r"arguments\.amount"):
        desk.answer(asked["id"], approved=True, arguments={"to": "Ana", "amount": "much"})
    desk.answer(asked["id"], approved=True, arguments={"to": "Ana", "amount": 7})
    assert "paid 7 to Ana" in agent.heard()["call_1"]
    assert agent.ledger == ["Ana 7"]


@pytest.mark.parametrize(("adapter", "way"), [one for one in WAYS if one not in AMENDABLE])
def test_where_arguments_cannot_be_changed_asking_so_is_an_error(
    program: Start, desk: Desk, adapter: str, way: str
) -> None:
    agent = program(adapter, way)
    agent.terms = {"amendable": True}
    agent.start()
    with pytest.raises(AssertionError, match="HandraiseError"):
        agent.heard()
    assert agent.ledger == []


@pytest.mark.parametrize(("adapter", "way"), WAYS)
def test_a_secret_of_the_app_does_not_reach_handraise(program: Start, desk: Desk, adapter: str, way: str) -> None:
    agent = program(adapter, way)
    agent.start()
    asked = desk.answer_next(approved=True)
    agent.heard()
    assert SECRET not in json.dumps(desk.get(asked["id"]))
    if adapter in ("pydantic_ai", "openai_agents", "agent_framework") and way == "durable":
        assert SECRET not in (agent.folder / "run").read_text()


@pytest.mark.parametrize(("adapter", "way"), WAYS)
def test_a_server_that_is_away_for_a_while_is_waited_for(
    own_server: Any, desk_of: Any, tmp_path: Path, adapter: str, way: str
) -> None:
    server = own_server()
    agent = Program(tmp_path, server, server.token("agent", "backend"), adapter, way)
    try:
        desk = desk_of(server)
        agent.start()
        asked = desk.next()
        server.kill()
        refuse(server.port, 5)
        server.start()
        desk.answer(asked["id"], approved=True)
        agent.heard()
        assert agent.ledger == ["Ana 1"]
    finally:
        agent.close()


@pytest.mark.parametrize(("adapter", "way"), REPORTED)
def test_what_came_of_a_call_is_reported(program: Start, desk: Desk, adapter: str, way: str) -> None:
    agent = program(adapter, way)
    agent.calls = [THREE[0], {"id": "call_2", "to": "Bob", "amount": 0}]
    agent.start()
    asked = asked_of(desk, 2)
    desk.answer(asked["Ana"]["id"], approved=True)
    desk.answer(asked["Bob"]["id"], approved=True)
    agent.ended()
    assert agent.ledger == ["Ana 1"]
    assert desk.get(asked["Ana"]["id"])["report"]["outcome"] == "done"
    failed = desk.get(asked["Bob"]["id"])
    assert failed["report"]["outcome"] == "failed"
    assert SECRET not in json.dumps(failed)


@pytest.mark.parametrize(("adapter", "way"), RUN_BY_US)
def test_two_that_ask_about_one_call_are_noticed(program: Start, desk: Desk, adapter: str, way: str) -> None:
    agent = program(adapter, way)
    agent.environment = {"TWICE": "1"}
    agent.start()
    asked = desk.answer_next(approved=True)
    agent.ended()
    assert agent.ledger == []
    assert [one["id"] for one in desk.all() if one["state"] == "pending"] == []
    assert desk.all()[0]["id"] == asked["id"]
    said = agent.folder / "heard"
    assert "both ask about pay" in (agent.folder / "log").read_text() + (said.read_text() if said.exists() else "")


def test_a_report_that_reaches_no_server_breaks_nothing() -> None:
    with Handraise("http://127.0.0.1:9", "hr_nobody") as nobody:
        report_one(Verdict("int_1", {}, ""), None, nobody)
    report_one(Verdict("int_1", {}, ""), ValueError("x"), None)


@pytest.mark.parametrize(("adapter", "way"), WAYS)
def test_an_unsupported_version_says_which_are(monkeypatch: pytest.MonkeyPatch, adapter: str, way: str) -> None:
    module = f"handraise.adapters.{adapter}"
    for name in (module, "handraise.adapters.langgraph"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "999.0.0")
    with pytest.raises(ImportError, match=r"999\.0\.0 is not supported, but .* or newer, before .*handraise\["):
        importlib.import_module(module)


def test_a_version_that_is_not_supported_says_which_are() -> None:
    with pytest.raises(ImportError, match=r"pytest .* is not supported, but 99 or newer, before 100: .*handraise\[x\]"):
        expect_version("pytest", (99,), (100,), "x")
    with pytest.raises(ImportError, match=r"no-such-framework 1 or newer, before 2 is needed"):
        expect_version("no-such-framework", (1,), (2,), "x")


def test_two_adapters_for_one_call_are_noticed() -> None:
    with running("1", "a"), running("2", "a"), pytest.raises(HandraiseError, match="two adapters"), running("1", "a"):
        raise AssertionError("it went on")
    with pytest.raises(HandraiseError, match="two calls have the id"):
        expect_told_apart([ToolCall("1", "a", "pay", {}), ToolCall("1", "b", "pay", {})])


def test_what_the_server_cannot_check_may_not_be_changed() -> None:
    simple = {"type": "integer", "minimum": 1, "title": "Amount", "default": 1}
    schema = {"properties": {"n": simple, "when": {"type": "string", "format": "date"}}, "required": ["n", "when"]}
    checked = {"n": {"type": "integer", "minimum": 1, "title": "Amount"}}
    assert flat_schema(schema, {"n": 1, "when": "x"}) == {
        "schema": {"type": "object", "properties": checked, "required": ["n"]}
    }
    assert flat_schema({"properties": {"when": schema["properties"]["when"]}}, {"when": "x"}) is False
