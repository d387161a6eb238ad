"""What the client does when, without a socket: flows are fed with replies, by a clock that stands still."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any, List, Mapping, Union

import pytest
from replies import ANSWERED, BODY, ID

from handraise import Interaction, Unreachable
from handraise.calls import Calls
from handraise.exchange import Flow, Lost, Pause, Reply, Request
from handraise.keys import Keys
from handraise.known_servers import KnownServers
from handraise.steps import HOLD

LOST = Lost(ConnectionError("refused"))


def reply(body: Mapping[str, Any], status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, named, json.dumps(body).encode())


class Script:
    """Carries a flow out step by step. ``chance`` is 0: pauses are as short as they may be."""

    def __init__(self, give_up_after: float = math.inf) -> None:
        self.now = 0.0
        self.calls = Calls(
            Keys("http://127.0.0.1:3000", KnownServers(Path("nowhere"))),
            None if math.isinf(give_up_after) else give_up_after,
            clock=lambda: self.now,
            chance=lambda: 0,
        )

    def begin(self, flow: Flow[Any]) -> Request:
        self.flow = flow
        return self.request(next(flow))

    def after(self, got: Union[Reply, Lost, None], seconds: float = 0) -> Union[Request, Pause]:
        self.now += seconds
        return self.flow.send(got)

    def pause(self, got: Union[Reply, Lost], seconds: float = 0) -> float:
        """How long it waits after this."""
        step = self.after(got, seconds)
        assert isinstance(step, Pause)
        self.now += step.seconds
        return step.seconds

    def again(self) -> Request:
        """What it sends after a pause."""
        return self.request(self.flow.send(None))

    def end(self, got: Union[Reply, Lost]) -> Any:
        with pytest.raises(StopIteration) as over:
            self.flow.send(got)
        return over.value.value

    @staticmethod
    def request(step: Union[Request, Pause]) -> Request:
        assert isinstance(step, Request)
        return step


def test_a_question_is_opened_awaited_and_collected() -> None:
    script = Script()
    opening = script.begin(script.calls.ask("Which port?", timeout=None, fallback=""))
    assert (opening.method, opening.path, opening.hold) == ("POST", "/interactions", 0)
    assert json.loads(opening.body or b"") == {
        "kind": "question",
        "prompt": "Which port?",
        "fallback": "",
        "timeout_seconds": None,
    }
    waiting = script.request(script.after(reply(BODY, 201)))
    assert (waiting.method, waiting.path, waiting.hold) == ("GET", f"/interactions/{ID}", HOLD)
    assert waiting.headers == {"Prefer": "wait=30"}
    # Held for its whole time: asked again at once.
    assert script.after(reply(BODY), HOLD) == waiting
    collecting = script.request(script.after(reply(ANSWERED), 3))
    assert (collecting.method, collecting.path) == ("POST", f"/interactions/{ID}/collect")
    assert script.end(reply(ANSWERED)) == "80"


def test_what_is_said_with_a_notification_is_sent() -> None:
    script = Script()
    about: Any = {
        "callback_url": "https://agent.example/",
        "urgent": True,
        "task": "T-1",
        "metadata": {},
        "title": None,
    }
    telling = script.begin(script.calls.notify("Done", **about))
    assert json.loads(telling.body or b"") == {
        "kind": "notification",
        "prompt": "Done",
        "level": "info",
        "callback_url": "https://agent.example/",
        "priority": "urgent",
        "task": {"id": "T-1"},
        "metadata": {},
    }


def test_pauses_double_up_to_ten_seconds_and_begin_anew_after_a_reply() -> None:
    script = Script()
    opening = script.begin(script.calls.ask("Which port?"))
    pauses: List[float] = []
    for _ in range(8):
        pauses.append(script.pause(LOST))
        assert script.again() == opening
    # Half of 0.25, 0.5, 1, ...: the other half is chance.
    assert pauses == [0.125, 0.25, 0.5, 1, 2, 4, 5, 5]
    assert opening.headers["Idempotency-Key"]
    script.after(reply(BODY, 201))
    assert script.pause(LOST) == 0.125


def test_retry_after_is_honoured_in_seconds_and_as_a_date() -> None:
    script = Script()
    script.begin(script.calls.get(ID))
    problem = {"code": "too_many_pending"}
    assert script.pause(reply(problem, 429, retry_after="60")) == 60
    script.again()
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=90), usegmt=True)
    assert 80 < script.pause(reply({}, 503, retry_after=soon)) <= 90
    script.again()
    for nonsense in ("soon", "-5", "", "Sun"):
        assert script.pause(reply({}, 503, retry_after=nonsense)) <= 5
        script.again()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 599])
def test_what_may_pass_is_tried_again(status: int) -> None:
    script = Script()
    asked = script.begin(script.calls.get(ID))
    script.pause(Reply(status, {}, b"<html/>"))
    assert script.again() == asked
    assert script.end(reply(ANSWERED)).answer.text == "80"


def test_giving_up_counts_from_the_last_reply() -> None:
    script = Script(give_up_after=10)
    script.begin(script.calls.ask("Which port?"))
    script.pause(LOST)
    script.again()
    script.after(reply(BODY, 201), 9)
    script.after(reply(BODY), HOLD)
    silent = 0.0
    while silent < 10:
        silent += script.pause(LOST)
        script.again()
    assert silent == 10
    with pytest.raises(Unreachable, match=r"10 s.*refused") as caught:
        script.after(LOST)
    assert caught.value.interaction_id == ID


def test_an_answer_is_not_kept_back_because_it_cannot_be_collected() -> None:
    script = Script()
    script.begin(script.calls.ask("Which port?"))
    script.after(reply(BODY, 201))
    script.after(reply(ANSWERED))
    waited = 0.0
    while waited < 10:
        waited += script.pause(LOST)
        script.again()
    assert waited == 10
    assert script.end(LOST) == "80"


def test_a_server_that_does_not_hold_is_not_asked_in_a_circle() -> None:
    script = Script()
    polling = script.begin(script.calls.wait(ID))
    pauses: List[float] = []
    for _ in range(7):
        pauses.append(script.pause(reply(BODY)))
        assert script.again() == polling
    assert pauses == [0.125, 0.25, 0.5, 1, 2, 4, 5]
    script.after(reply(BODY), HOLD)
    assert script.pause(reply(BODY)) == 0.125


def test_waiting_for_a_time_ends_with_it() -> None:
    script = Script()
    polling = script.begin(script.calls.wait(ID, timeout=40.5))
    assert polling.hold == 30
    polling = script.request(script.after(reply(BODY), 30))
    assert polling.headers == {"Prefer": "wait=11"}
    script.now += 11
    seen = script.end(reply(BODY))
    assert isinstance(seen, Interaction) and seen.is_pending


def test_waiting_for_a_time_returns_what_was_seen_last() -> None:
    script = Script()
    script.begin(script.calls.wait(ID, timeout=40))
    script.after(reply(BODY), 30)
    script.now += 10
    assert script.end(LOST).is_pending


def test_an_interaction_that_is_closed_already_is_not_waited_for() -> None:
    script = Script()
    script.begin(script.calls.ask("Which port?", idempotency_key="k"))
    collecting = script.request(script.after(reply(ANSWERED, 201)))
    assert collecting.path.endswith("/collect")
    assert script.end(reply(ANSWERED)) == "80"
