"""How it ends without an answer: deadlines, and questions that are taken back."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from conftest import Meanwhile
from serving import PATIENCE, Desk

from handraise import Cancelled, Expired, Handraise, Question, Refused

LONG = 3600


@pytest.mark.parametrize("fallback", ["200 ms", ""])
def test_after_the_deadline_the_fallback_is_the_answer(people: Handraise, fallback: str) -> None:
    assert people.ask("Which target?", timeout=1, fallback=fallback) == fallback


def test_choices_and_forms_have_fallbacks_too(people: Handraise) -> None:
    assert people.choose("Which?", ["a", "b"], timeout=1, fallback="b") == "b"
    assert people.choose("Which?", ["a", "b"], multiple=True, timeout=1, fallback=[]) == []
    form = people.form("?", [Question("port", "Which port?")], timeout=1, fallback={"port": ""})
    assert form == {"port": ""}


def test_without_a_fallback_a_question_expires(people: Handraise, desk: Desk) -> None:
    with pytest.raises(Expired) as caught:
        people.ask("Which target?", timeout=1)
    expired = caught.value.interaction
    assert (expired.state, expired.outcome, expired.answer) == ("expired", "expired", None)
    # People see that the agent knows.
    assert desk.get(expired.id)["collected_at"] is not None


def test_a_plan_that_nobody_has_decided_about_expires(people: Handraise) -> None:
    with pytest.raises(Expired):
        people.review_plan("Go on?", "1. Deploy", timeout=1)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("ask", ["Which?"]),
        ("choose", ["Which?", ["a", "b"]]),
        ("acknowledge", ["Seen?"]),
        ("review_plan", ["Go on?", "1. Deploy"]),
        ("form", ["?", [Question("port", "Which port?")]]),
    ],
)
def test_what_is_taken_back_raises_cancelled(
    people: Handraise, desk: Desk, meanwhile: Meanwhile, name: str, args: Any
) -> None:
    asking = meanwhile(getattr(people, name), *args, timeout=LONG)
    taken_back = desk.cancel(desk.next()["id"])
    with pytest.raises(Cancelled) as caught:
        asking.result(PATIENCE)
    assert caught.value.interaction.id == taken_back["id"]


def test_the_agent_takes_its_question_back(people: Handraise) -> None:
    asked = people.open("question", "Which port?")
    cancelled = people.cancel(asked.id, "done without")
    assert (cancelled.state, cancelled.outcome) == ("cancelled", "cancelled")
    with pytest.raises(Refused) as caught:
        people.cancel(asked.id)
    assert (caught.value.status, caught.value.code) == (409, "already_closed")
    assert caught.value.problem["closed_by"] == "backend"


def test_a_session_that_ends_takes_along_what_asked_for_it(people: Handraise) -> None:
    goes = people.open("question", "Which port?", session_id="nightly", withdraw_on_disconnect=True)
    stays = people.open("question", "Which host?", session_id="nightly")
    assert (goes.withdraw_on_disconnect, stays.withdraw_on_disconnect) == (True, False)
    ended = people.end_session("nightly")
    assert [(one.id, one.cancel_code) for one in ended] == [(goes.id, "session_ended")]
    assert people.end_session("nightly") == ()
    assert people.get(stays.id).is_pending


def test_waiting_for_a_time_returns_what_is_there_by_then(people: Handraise, desk: Desk) -> None:
    asked = people.open("question", "Which port?")
    for timeout in (0, 0.3):
        assert people.wait(asked.id, timeout=timeout).is_pending
    with pytest.raises(Refused, match="still_pending"):
        people.collect(asked.id)
    desk.answer(asked.id, text="80")
    waited = people.wait(asked.id, timeout=PATIENCE)
    assert waited.answer and waited.answer.text == "80"
    assert waited.collected_at is None
    collected = people.collect(asked.id)
    assert collected.collected_at is not None
    assert people.collect(asked.id) == collected


@pytest.mark.parametrize(("state", "outcome"), [("expired", "expired"), ("cancelled", "cancelled")])
def test_an_approval_that_nobody_gives_is_false(
    people: Handraise, desk: Desk, meanwhile: Meanwhile, state: str, outcome: str
) -> None:
    timeout = 1 if state == "expired" else LONG
    asking = meanwhile(people.approve, "Deploy?", "shell", {"command": "make"}, timeout=timeout)
    asked = desk.next()
    if state == "cancelled":
        desk.cancel(asked["id"])
    decision = asking.result(PATIENCE)
    assert not decision
    assert (decision.approved, decision.outcome, decision.responder) == (False, outcome, None)
    assert decision.interaction.state == state


def test_an_approval_is_true_only_when_it_was_given(people: Handraise, desk: Desk, meanwhile: Meanwhile) -> None:
    for approved, comment in [(True, None), (False, "not on a Friday"), (False, "")]:
        asking = meanwhile(people.approve, "Deploy?", "shell", {"command": "make deploy", "n": 1})
        said: Dict[str, Any] = {"approved": approved} if comment is None else {"approved": approved, "text": comment}
        desk.answer_next(**said)
        decision = asking.result(PATIENCE)
        assert bool(decision) is approved is decision.approved
        assert decision.outcome == ("approved" if approved else "denied")
        assert decision.comment == comment
        assert decision.responder and decision.responder.name == "desk"


def test_the_same_key_gets_the_same_interaction(people: Handraise, desk: Desk) -> None:
    key = "deploy-" + people.open("acknowledgement", "Seen?").id
    asked = people.open("question", "Which port?", idempotency_key=key)
    desk.answer(asked.id, text="80")
    assert people.ask("Which port?", idempotency_key=key) == "80"
    with pytest.raises(Refused, match="idempotency_key_reused"):
        people.ask("Which host?", idempotency_key=key)
    with pytest.raises(Refused, match="Idempotency-Key"):
        people.ask("Which host?", idempotency_key="")
    with pytest.raises(ValueError, match="visible ASCII"):
        people.ask("Which host?", idempotency_key="k\u00fc")
