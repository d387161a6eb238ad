"""Used once, and told what came of it: `consume`, `report`, and what the guard does with both."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import itertools
import json
import logging
import os
import socket
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List

import httpx
import pytest
from fakes import ADDRESS, FakeServer, Json, Key, at, calls_at, carry_out, json_reply
from replies import BODY, ID

from handraise import (
    AlreadyUsed,
    ArgumentsChanged,
    AsyncHandraise,
    Denied,
    Handraise,
    KeyChanged,
    NotJson,
    NotVerified,
    OperandChanged,
    Refused,
    guarded_call,
    requires_approval,
)
from handraise.guarded_call import GuardedCall, Terms
from handraise.known_servers import KnownServers, default_path


class Guard:
    """Guards functions, or coroutine functions that call them, at a server in this process."""

    def __init__(self, is_async: bool) -> None:
        self.is_async = is_async
        self.server = FakeServer()
        self.options: Dict[str, Any] = {"tool": "shell"}

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self.is_async:
            return asyncio.run(self._awaited(function, *args, **kwargs))
        http = httpx.Client(transport=self.server.transport)
        with Handraise("http://desk.example", "t", http_client=http) as client:
            return requires_approval(client=client, **self.options)(function)(*args, **kwargs)

    async def _awaited(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        @functools.wraps(function)
        async def coroutine(*given: Any, **named: Any) -> Any:
            return function(*given, **named)

        http = httpx.AsyncClient(transport=self.server.transport)
        async with AsyncHandraise("http://desk.example", "t", http_client=http) as client:
            return await requires_approval(client=client, **self.options)(coroutine)(*args, **kwargs)

    @property
    def reports(self) -> List[Any]:
        """What was said of each approval that was used."""
        said = [self.server.of(id).get("report") for id in self.server.used]
        return [report and (report["outcome"], report["text"]) for report in said]


@pytest.fixture
def guard(is_async: bool) -> Guard:
    return Guard(is_async)


class Ledger:
    """What was run."""

    def __init__(self) -> None:
        self.runs: List[Any] = []

    def run(self, script: Any, *more: Any) -> str:
        self.runs.append((script, *more))
        return "ran"


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "deploy.sh"
    file.write_text("make deploy")
    return file


# -- consume


def test_a_run_has_a_name_of_its_own_that_stays_when_a_reply_is_lost(tmp_path: Path) -> None:
    server, calls = FakeServer(), calls_at(tmp_path)
    for _ in range(2):
        id = carry_out(calls.approve("?", "t", {}), server).interaction.id
        server.lost = ["consume"]
        used = carry_out(calls.consume(id), server)
        assert used.consumed and used.consumed.run
        with pytest.raises(AlreadyUsed, match=used.consumed.run) as caught:
            carry_out(calls.consume(id), server)
        assert (caught.value.interaction_id, caught.value.by) == (id, used.consumed.run)
        assert caught.value.at == used.consumed.at
    assert len(set(server.runs)) == 4
    assert all(1 <= len(run) <= 128 for run in server.runs)


def test_a_run_that_names_itself_may_say_so_again(tmp_path: Path) -> None:
    server, calls = FakeServer(), calls_at(tmp_path)
    id = carry_out(calls.approve("?", "t", {}), server).interaction.id
    for _ in range(2):
        assert carry_out(calls.consume(id, "release 7"), server).consumed.run == "release 7"
    with pytest.raises(AlreadyUsed, match="release 7"):
        carry_out(calls.consume(id, "release 8"), server)


def at_this_run(make: Callable[[FakeServer, str, str], Any]) -> Callable[[FakeServer], Callable[[Json], Json]]:
    """What the server says of the run, made from the interaction's id and the run's name."""
    return lambda server: lambda said: {**said, "consumed": make(server, said["id"], said["consumed"]["run"])}


def changed(**changes: Any) -> Callable[[FakeServer], Callable[[Json], Json]]:
    """Another note, and the signature it had."""
    return at_this_run(lambda server, id, run: {**server.note(id, run), **changes})


def signed(**changes: Any) -> Callable[[FakeServer], Callable[[Json], Json]]:
    """Another statement, signed with the server's key."""
    return at_this_run(lambda server, id, run: server.note(id, run, **changes))


def ago(**ages: float) -> str:
    return at(datetime.now(timezone.utc) - timedelta(**ages))


@pytest.mark.parametrize(
    ("lie", "told"),
    [
        (at_this_run(lambda server, id, run: None), "lacks a signed note"),
        (at_this_run(lambda server, id, run: run), "lacks a signed note"),
        (at_this_run(lambda server, id, run: {"at": ago(), "run": run}), "lacks a signed note"),
        (changed(signature=None), "lacks a signed note"),
        (changed(at=[]), "lacks a signed note"),
        (lambda _: lambda said: [], "lacks a signed note"),
        (at_this_run(lambda server, id, run: server.note(id, "other")), "the run other has"),
        (changed(run="other"), "the run other has"),
        (changed(public_key="AAAA"), "public key of the server's note is none"),
        (changed(public_key=Key().public), "has CHANGED"),
        (at_this_run(lambda server, id, run: server.note(id, run, Key())), "has CHANGED"),
        (at_this_run(lambda server, id, run: server.note(id, run, Key(), public_key=server.key.public)), "not over"),
        (changed(signature=""), "not over"),
        (changed(signature="!"), "not over"),
        (changed(at=ago(minutes=1)), "not over"),
        (at_this_run(lambda server, id, run: {**server.note(id, "other"), "run": run}), "not over"),
        (at_this_run(lambda server, id, run: server.note(ID, run)), "not over"),
        (signed(version=2), "not over"),
        (signed(statement="handraise receipt"), "not over"),
        (signed(grant="g"), "not over"),
        (signed(at="soon"), "cannot be read"),
    ],
)
def test_a_server_that_has_not_signed_for_this_run_lets_nothing_run(
    guard: Guard, ledger: Ledger, lie: Callable[[FakeServer], Callable[[Json], Any]], told: str
) -> None:
    guard.server.lies = {"consume": lie(guard.server)}
    with pytest.raises(NotVerified, match=told):
        guard(ledger.run, "x")
    assert ledger.runs == []
    assert guard.server.requests.count("POST consume") == 1


@pytest.mark.parametrize("minutes", [6, -6])
def test_a_note_of_another_time_lets_nothing_run(guard: Guard, ledger: Ledger, minutes: int) -> None:
    guard.server.lies = {"consume": signed(at=ago(minutes=minutes))(guard.server)}
    with pytest.raises(NotVerified, match="and here it is"):
        guard(ledger.run, "x")
    assert ledger.runs == []


@pytest.mark.parametrize("minutes", [4, -4])
def test_clocks_may_differ_by_some_minutes(guard: Guard, ledger: Ledger, minutes: int) -> None:
    guard.server.lies = {"consume": signed(at=ago(minutes=minutes))(guard.server)}
    assert guard(ledger.run, "x") == "ran"


def test_a_run_is_signed_over_these_very_bytes(tmp_path: Path) -> None:
    server, calls = FakeServer(), calls_at(tmp_path, now=datetime(2027, 1, 15, 8, 4, tzinfo=timezone.utc))
    KnownServers(tmp_path / "known_servers").add(ADDRESS, [server.key.public])
    time = "2027-01-15T08:00:00.120Z"
    text = (
        f'{{"at":"{time}","interaction_id":"{ID}","public_key":"{server.key.public}",'
        '"run":"release \u20ac","statement":"handraise consumption","version":1}'
    )
    note = {"at": time, "run": "release \u20ac", "public_key": server.key.public}
    note["signature"] = server.key.sign_bytes(text.encode())
    server.refusals = {"consume": json_reply({**BODY, "consumed": note})}
    assert carry_out(calls.consume(ID, "release \u20ac"), server).consumed.run == "release \u20ac"


def test_what_was_said_to_an_earlier_run_lets_no_other_run(guard: Guard, ledger: Ledger) -> None:
    guard.options["key"] = lambda script: f"release-{script}"
    said: List[Json] = []

    def overhear(body: Json) -> Json:
        said.append(body)
        return body

    guard.server.lies = {"consume": overhear}
    assert guard(ledger.run, "7") == "ran"
    # Somebody who has heard all of it answers in the server's place: the interaction and its receipt are genuine.
    guard.server.refusals = {"consume": json_reply(said[0])}
    with pytest.raises(NotVerified, match="has this approval"):
        guard(ledger.run, "7")
    assert len(ledger.runs) == 1


def test_a_use_under_the_next_key_is_believed_when_the_old_one_has_announced_it(guard: Guard, ledger: Ledger) -> None:
    old, new = guard.server.key, Key()

    def rotate() -> None:
        guard.server.key, guard.server.rotations = new, [old.names(new)]

    guard.server.before = {"consume": rotate}
    assert guard(ledger.run, "x") == "ran"
    assert default_path().read_text() == f"http://desk.example {new.public}\n"


def test_a_use_under_a_key_that_nobody_announced_runs_nothing_and_pins_nothing(guard: Guard, ledger: Ledger) -> None:
    old = guard.server.key
    guard.server.before = {"consume": lambda: setattr(guard.server, "key", Key())}
    with pytest.raises(KeyChanged):
        guard(ledger.run, "x")
    assert ledger.runs == []
    assert default_path().read_text() == f"http://desk.example {old.public}\n"


def test_consume_is_no_first_contact(tmp_path: Path) -> None:
    server = FakeServer()
    id = carry_out(calls_at(tmp_path).approve("?", "t", {}), server).interaction.id
    stranger, server.requests = calls_at(tmp_path / "other"), []
    with pytest.raises(NotVerified, match="no key of this server"):
        carry_out(stranger.consume(id), server)
    assert (server.requests, server.used) == ([], [])
    assert carry_out(calls_at(tmp_path / "other", named=server.key.public).consume(id), server).consumed
    with pytest.raises(KeyChanged):
        carry_out(calls_at(tmp_path / "other", named=Key().public).consume(id, server.runs[0]), server)


@pytest.mark.parametrize("code", ["not_approved", "no_such_address"])
def test_a_server_that_does_not_let_it_be_used_lets_nothing_run(guard: Guard, ledger: Ledger, code: str) -> None:
    guard.server.refusals = {"consume": json_reply({"code": code}, 409 if code == "not_approved" else 404)}
    with pytest.raises(Refused, match=code):
        guard(ledger.run, "x")
    assert ledger.runs == []


# -- the guard


def test_a_guarded_call_asks_proves_uses_runs_and_reports(guard: Guard, ledger: Ledger) -> None:
    guard.server.lost = ["consume", "report"]
    assert guard(ledger.run, "x") == "ran"
    assert ledger.runs == [("x",)]
    assert guard.server.requests == [
        "GET keys",
        "POST interactions",
        "GET receipt",
        "POST collect",
        "POST consume",
        "POST consume",
        "POST report",
        "POST report",
    ]
    assert guard.reports == [("done", None)]


def test_an_approval_without_proof_runs_nothing(guard: Guard, ledger: Ledger) -> None:
    other = Key()
    guard.server.lies = {"receipt": lambda said: other.sign({**said, "public_key": other.public})}
    with pytest.raises(KeyChanged):
        guard(ledger.run, "x")
    guard.server.lies = {"receipt": lambda said: {**said, "signature": ""}}
    with pytest.raises(NotVerified):
        guard(ledger.run, "x")
    guard.server.decision = "denied"
    guard.server.lies = {
        "interactions": lambda said: {**said, "outcome": "approved", "approved": True},
    }
    with pytest.raises(NotVerified, match="its approval was denied"):
        guard(ledger.run, "x")
    assert ledger.runs == []
    assert "POST consume" not in guard.server.requests


def test_an_unused_approval_of_an_earlier_call_lets_no_later_one_run_that_was_denied(
    guard: Guard, ledger: Ledger
) -> None:
    # The first run was approved, and has died before it heard of it.
    guard.server.before = {"consume": crasher(KeyboardInterrupt())}
    with pytest.raises(KeyboardInterrupt):
        guard(ledger.run, "x")
    (earlier,) = guard.server.ids
    guard.server.before = {}
    guard.server.decision = "denied"
    guard.server.lies = {"interactions": lambda _: guard.server.of(earlier)}
    with pytest.raises(NotVerified, match="answers another question than this agent has asked"):
        guard(ledger.run, "x")
    guard.options["key"] = lambda script: f"release-{script}"
    with pytest.raises(NotVerified, match="answers another question than this agent has asked"):
        guard(ledger.run, "x")
    assert (ledger.runs, guard.server.used, len(guard.server.asked)) == ([], [], 3)


def test_an_approval_that_came_later_than_the_guard_allows_runs_nothing(guard: Guard, ledger: Ledger) -> None:
    # Somebody on the way has rewritten the deadline, so that the server waits for people as long as they take.
    def slow(seconds: int) -> None:
        now = datetime.now(timezone.utc)
        moments = iter([now])
        guard.server.now = lambda: next(moments, now + timedelta(seconds=seconds))

    guard.options["timeout"] = 3
    slow(8)
    with pytest.raises(NotVerified, match="later than this agent allowed"):
        guard(ledger.run, "x")
    assert (ledger.runs, guard.server.used) == ([], [])
    slow(3)
    assert guard(ledger.run, "x") == "ran"
    guard.options["timeout"] = None
    slow(8)
    assert guard(ledger.run, "x") == "ran"


def test_a_program_that_crashed_before_it_ran_goes_on_under_the_same_key(guard: Guard, ledger: Ledger) -> None:
    guard.options["key"] = lambda script: f"release-{script}"
    crash = KeyboardInterrupt()
    guard.server.before = {"consume": crasher(crash)}
    with pytest.raises(KeyboardInterrupt):
        guard(ledger.run, "7")
    guard.server.before = {}
    assert guard(ledger.run, "7") == "ran"
    assert len(guard.server.asked) == 1


def test_a_program_that_crashed_while_it_ran_is_not_run_again_under_the_same_key(guard: Guard, ledger: Ledger) -> None:
    guard.options["key"] = lambda script: f"release-{script}"
    guard.server.lost = ["consume"]
    guard.server.before = {"consume": crasher(KeyboardInterrupt(), at=2)}
    with pytest.raises(KeyboardInterrupt):
        guard(ledger.run, "7")
    guard.server.before = {}
    for _ in range(2):
        with pytest.raises(AlreadyUsed):
            guard(ledger.run, "7")
    assert ledger.runs == []
    # Under another key people are asked anew.
    assert guard(ledger.run, "8") == "ran"
    assert len(guard.server.asked) == 2


def crasher(error: BaseException, at: int = 1) -> Callable[[], None]:
    """Raises the n-th time."""
    times: List[None] = []

    def crash() -> None:
        times.append(None)
        if len(times) == at:
            raise error

    return crash


class Leak(Exception):
    """Says too much."""


def raises(script: str) -> None:
    raise Leak(f"password\n {script}")


@pytest.mark.parametrize(
    ("describe", "told"),
    [
        (None, "test_runs.Leak"),
        (str, "password hunter2"),
        (lambda error: "x" * 5000, "x" * 300),
        (lambda error: error.args[7], "test_runs.Leak"),
        (lambda error: None, "test_runs.Leak"),
    ],
)
def test_a_function_that_raises_is_reported_as_failed_by_the_type_of_its_exception(
    guard: Guard, describe: Any, told: str
) -> None:
    guard.options["describe"] = describe
    with pytest.raises(Leak, match="hunter2"):
        guard(raises, "hunter2")
    assert guard.reports == [("failed", told)]


def test_a_report_that_cannot_be_made_hides_nothing(
    guard: Guard, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    guard.server.refusals = {"report": json_reply({"code": "already_reported"}, 409)}
    with caplog.at_level(logging.WARNING, "handraise"):
        assert guard(ledger.run, "x") == "ran"
        with pytest.raises(Leak):
            guard(raises, "x")
    assert caplog.text.count("already_reported") == 2
    guard.server.refusals = {}
    guard.server.before = {"report": crasher(RuntimeError("closed"))}
    assert guard(ledger.run, "x") == "ran"


def test_a_server_that_is_away_is_told_for_some_seconds_only(tmp_path: Path) -> None:
    seconds = [0.0]
    calls = calls_at(tmp_path, clock=lambda: seconds[0])
    server = FakeServer()
    server.refusals = {"report": json_reply({}, 503)}
    flow: Any = calls.report_soon(ID, "done")
    step = next(flow)
    with pytest.raises(StopIteration):
        while True:
            assert step.within == 10
            seconds[0] += flow.send(server.reply(step)).seconds
            step = flow.send(None)
    assert seconds == [10]


def test_reports_are_public(tmp_path: Path) -> None:
    server, calls = FakeServer(), calls_at(tmp_path)
    id = carry_out(calls.approve("?", "t", {}), server).interaction.id
    reported = carry_out(calls.report(id, "failed", "exit status 2"), server).report
    assert (reported.outcome, reported.text) == ("failed", "exit status 2")
    flow: Any = calls.report(ID, "done")
    assert json.loads(next(flow).body) == {"outcome": "done"}
    with pytest.raises(Refused, match="already_reported"):
        flow.send(json_reply({"code": "already_reported"}, 409))


def test_an_approval_that_has_become_too_old_is_none(tmp_path: Path, ledger: Ledger) -> None:
    terms = Terms("shell", "?", (), True, timedelta(hours=1), None, None, {})
    call = GuardedCall(terms, inspect.signature(ledger.run), ("x",), {})
    decision = carry_out(calls_at(tmp_path).approve(**call.question()), FakeServer())
    assert call.released_by(decision, datetime.now(timezone.utc)) == (("x",), {})
    # As when the server was away for long before the approval could be used.
    with pytest.raises(NotVerified, match="1:00:00 ago"):
        call.released_by(decision, datetime.now(timezone.utc) + timedelta(hours=1))


def test_what_the_server_cannot_prove_runs_nothing(guard: Guard, ledger: Ledger) -> None:
    guard.server.lies = {"interactions": lambda said: {**said, "outcome": "void", "approved": False, "answer": None}}
    guard.server.lies["collect"] = guard.server.lies["interactions"]
    with pytest.raises(NotVerified):
        guard(ledger.run, "x")
    assert ledger.runs == []


# -- operands


def test_paths_among_the_arguments_are_operands(guard: Guard, ledger: Ledger, script: Path) -> None:
    inside = {"other": [script.parent / "none", script.parent]}
    assert guard(ledger.run, script, inside) == "ran"
    assert ledger.runs == [(script, inside)]
    assert type(ledger.runs[0][0]) is type(script)
    action = guard.server.asked[0]["action"]
    assert [one["name"] for one in action["operands"]] == [str(script)]
    assert action["arguments"] == {
        "script": str(script),
        "more": [{"other": [str(script.parent / "none"), str(script.parent)]}],
    }


def test_paths_are_only_shown_where_that_is_wanted(guard: Guard, ledger: Ledger, script: Path) -> None:
    guard.options["hash_paths"] = False
    guard(ledger.run, script)
    assert guard.server.asked[0]["action"] == {"tool": "shell", "arguments": {"script": str(script), "more": []}}


def test_a_path_of_another_type_is_refused(guard: Guard, ledger: Ledger, script: Path) -> None:
    class Elsewhere(type(script)):  # type: ignore[misc]
        pass

    with pytest.raises(NotJson, match="Elsewhere"):
        guard(ledger.run, Elsewhere(script))
    assert guard.server.requests == []


@pytest.mark.parametrize("many", [True, False])
def test_operands_may_be_named(guard: Guard, ledger: Ledger, script: Path, many: bool) -> None:
    guard.options["operands"] = [script] if many else str(script)
    guard(ledger.run, "deploy")
    guard.options["operands"] = lambda name, *more: [script.parent / f"{name}.sh"] if many else script
    guard(ledger.run, "deploy")
    for asked in guard.server.asked:
        assert [one["name"] for one in asked["action"]["operands"]] == [str(script)]


def test_operands_that_cannot_be_read_are_said_before_asking(guard: Guard, ledger: Ledger, script: Path) -> None:
    guard.options["operands"] = [script.parent / "none"]
    with pytest.raises(FileNotFoundError):
        guard(ledger.run, "x")
    guard.options["operands"] = [script.parent]
    with pytest.raises(ValueError, match="regular"):
        guard(ledger.run, "x")
    assert guard.server.requests == []


@pytest.mark.parametrize("when", ["interactions", "receipt", "collect", "consume"])
@pytest.mark.parametrize("named", [True, False])
def test_a_file_that_changes_while_its_approval_waits_does_not_run(
    guard: Guard, ledger: Ledger, script: Path, when: str, named: bool
) -> None:
    guard.options["operands"] = [script] if named else ()
    guard.server.before = {when: lambda: script.write_text("rm -rf /")}
    with pytest.raises(OperandChanged, match=r"deploy\.sh"):
        guard(ledger.run, str(script) if named else script)
    assert ledger.runs == []
    # What was used for nothing is said to have failed.
    assert guard.reports == ([("failed", "handraise.errors.OperandChanged")] if when == "consume" else [])


def test_a_file_that_appears_while_its_approval_waits_is_a_change(guard: Guard, ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "late.sh"
    guard.server.before = {"receipt": lambda: file.write_text("rm -rf /")}
    with pytest.raises(OperandChanged, match=r"late\.sh"):
        guard(ledger.run, file)
    assert ledger.runs == []


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


def make_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


special = pytest.mark.parametrize("make", [make_pipe, make_socket, make_link_to_a_device])


@special
def test_a_path_to_what_is_neither_file_nor_folder_is_refused_before_asking(
    guard: Guard, ledger: Ledger, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "special")
    for argument in (tmp_path / "special", {"in": [tmp_path / "special"]}):
        with pytest.raises(ValueError, match="special is no regular file, and nothing else can be an operand"):
            guard(ledger.run, argument)
    assert (guard.server.requests, ledger.runs) == ([], [])
    # Who has paths shown alone has them shown, whatever they are.
    guard.options["hash_paths"] = False
    assert guard(ledger.run, tmp_path / "special") == "ran"


@special
@pytest.mark.parametrize("was_there", [True, False])
def test_what_becomes_neither_file_nor_folder_while_its_approval_waits_does_not_run(
    guard: Guard, ledger: Ledger, script: Path, make: Callable[[Path], None], was_there: bool
) -> None:
    if not was_there:
        script.unlink()

    def replace() -> None:
        script.unlink(missing_ok=True)
        make(script)

    guard.server.before = {"receipt": replace}
    with pytest.raises(OperandChanged, match=r"deploy\.sh"):
        guard(ledger.run, script)
    assert ledger.runs == []


def test_a_path_that_leads_in_circles_is_refused_before_asking(guard: Guard, ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OSError, match="link"):
        guard(ledger.run, tmp_path / "link")
    assert (guard.server.requests, ledger.runs) == ([], [])


@pytest.mark.parametrize("when", ["interactions", "receipt", "collect", "consume"])
@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("hash_paths", [True, False])
def test_a_relative_path_does_not_run_in_another_working_directory(
    guard: Guard,
    ledger: Ledger,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    when: str,
    is_there: bool,
    hash_paths: bool,
) -> None:
    guard.options["hash_paths"] = hash_paths
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        if is_there:
            # The same content: another file all the same.
            (tmp_path / folder / "data").write_text("x")
    monkeypatch.chdir(tmp_path / "a")
    guard.server.before = {when: lambda: os.chdir(tmp_path / "b")}
    with pytest.raises(OperandChanged, match=r"data has changed .*: the working directory was .*/a, and is .*/b"):
        guard(ledger.run, Path("data"))
    assert ledger.runs == []
    assert guard(ledger.run, Path("data")) == "ran"
    monkeypatch.chdir(tmp_path / "a")
    assert guard(ledger.run, tmp_path / "a" / "data") == "ran"


def test_a_named_operand_that_is_relative_does_not_run_in_another_working_directory(
    guard: Guard, ledger: Ledger, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard.options["operands"] = [script.name]
    (script.parent / "b").mkdir()
    (script.parent / "b" / script.name).write_text(script.read_text())
    monkeypatch.chdir(script.parent)
    guard.server.before = {"receipt": lambda: os.chdir("b")}
    with pytest.raises(OperandChanged, match="the working directory was"):
        guard(ledger.run, "x")
    assert ledger.runs == []


@pytest.mark.parametrize("when", ["interactions", "receipt", "collect", "consume"])
@pytest.mark.parametrize("what", ["file", "folder", "nothing"])
def test_a_path_that_leads_elsewhere_while_its_approval_waits_does_not_run(
    guard: Guard, ledger: Ledger, tmp_path: Path, when: str, what: str
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        if what == "file":
            (tmp_path / folder / "data").write_text("x")
        elif what == "folder":
            (tmp_path / folder / "data").mkdir()
    link = tmp_path / "link"
    link.symlink_to("a")

    def retarget() -> None:
        link.unlink()
        link.symlink_to("b")

    guard.server.before = {when: retarget}
    with pytest.raises(OperandChanged, match=r"it led to .*/a/data, and leads to .*/b/data"):
        guard(ledger.run, link / "data")
    assert ledger.runs == []


def test_a_place_that_changes_while_files_are_hashed_is_a_change(
    guard: Guard, ledger: Ledger, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = script.parent / "link"
    link.symlink_to("none")

    def retarget(_before: Any, _paths: Any) -> None:
        link.unlink()
        link.symlink_to("others")

    monkeypatch.setattr(guarded_call, "expect_unchanged", retarget)
    with pytest.raises(OperandChanged, match=r"leads to .*/others"):
        guard(ledger.run, script, link)
    assert ledger.runs == []


def test_an_operand_that_the_server_was_not_shown_is_not_approved(guard: Guard, ledger: Ledger, script: Path) -> None:
    def without_operands(said: Json) -> Json:
        del said["action"]["operands"]
        return {**said, "action_digest": "sha256:" + "0" * 64}

    guard.server.lies = {"interactions": without_operands}
    with pytest.raises(ArgumentsChanged):
        guard(ledger.run, script)
    assert ledger.runs == []


# -- generators


def steps(count: int) -> Iterator[int]:
    yield from range(count)


class Later:
    """An object that is called like a function, and only begins its work then."""

    async def __call__(self) -> None: ...


class Steps:
    def __call__(self) -> Iterator[int]:
        yield 1


async def later() -> None: ...


async def async_steps() -> AsyncIterator[int]:
    yield 1


@contextlib.contextmanager
def opened() -> Iterator[None]:
    yield


@contextlib.asynccontextmanager
async def opened_async() -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize(
    "function",
    [Later(), Steps(), opened, opened_async, async_steps, functools.partial(opened), functools.partial(async_steps)],
)
def test_what_begins_its_work_only_when_it_is_called_is_refused_before_asking(function: Any) -> None:
    with pytest.raises(TypeError, match=r"an async generator cannot wait|would run after everything was checked"):
        requires_approval(tool="shell")(function)


@pytest.mark.parametrize(
    ("work", "returned"),
    [
        (lambda: later(), "a coroutine"),
        (lambda: steps(2), "a generator"),
        (lambda: async_steps(), "an async generator"),
        (lambda: opened(), "a context manager"),
        (lambda: opened_async(), "a context manager"),
        (lambda: Pending(), "an awaitable"),
        (lambda: map(int, "12"), "a lazy iterator"),
        (lambda: itertools.chain("ab"), "a lazy iterator"),
        (lambda: functools.partial(int, "1"), "a function"),
        (lambda: later, "a function"),
        (lambda: [1, {"a": (steps(2),)}], "a generator"),
        (lambda: {steps(2): 1}, "a generator"),
        (lambda: {1: later}.values(), "a function"),
        (lambda: iter(lambda: 1, 2), "a lazy iterator"),
    ],
)
def test_a_result_that_works_later_is_refused_and_reported(guard: Guard, work: Any, returned: str) -> None:
    with pytest.raises(TypeError, match=f"shell returned {returned}, which would run after everything was checked"):
        guard(work)
    assert guard.reports == [("failed", "TypeError")]


class Pending:
    def __await__(self) -> Any:
        return iter(())


def test_a_generator_asks_at_its_first_step_and_reports_at_its_last() -> None:
    server = FakeServer()
    with Handraise("http://desk.example", "t", http_client=httpx.Client(transport=server.transport)) as client:
        guarded = requires_approval(client=client)(steps)
        begun = guarded(2)
        assert server.requests == []
        assert next(begun) == 0
        assert server.requests[-1] == "POST consume"
        assert list(begun) == [1]
        assert server.requests[-1] == "POST report"
        dropped = guarded(2)
        next(dropped)
        dropped.close()  # type: ignore[attr-defined]
        assert server.requests[-1] == "POST consume"
        server.decision = "denied"
        with pytest.raises(Denied):
            list(guarded(2))
