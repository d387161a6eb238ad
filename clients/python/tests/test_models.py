"""Replies of older and newer servers, and what may be concluded from them."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timezone
from typing import Any

import pytest
from replies import ANSWERED, BODY, RECEIPT

from handraise import Cancelled, Decision, Denied, Expired, HandraiseError, Interaction, reading
from handraise.verdicts import answered, reviewed


def test_what_this_version_does_not_know_is_ignored() -> None:
    newer = {
        **ANSWERED,
        "colour": "red",
        "agent": {"id": "1", "name": "backend", "colour": "red"},
        "answer": {**ANSWERED["answer"], "mood": "good"},
        "task": {"id": "T-1", "colour": "red"},
        "options": [{"value": "a", "label": "A", "colour": "red"}],
        "state": "resolved",
    }
    read = reading.interaction(newer)
    assert read.answer and read.answer.text == "80"
    assert read.options and read.options[0].label == "A"
    assert read.task and read.task.id == "T-1"


def test_nothing_of_it_can_be_changed() -> None:
    read = reading.interaction(ANSWERED)
    for holder in (read, read.agent, read.answer):
        assert dataclasses.is_dataclass(holder)
        with pytest.raises(dataclasses.FrozenInstanceError):
            holder.__setattr__("id", "other")


@pytest.mark.parametrize(
    ("text", "microsecond"),
    [
        ("2027-01-15T08:00:41Z", 0),
        ("2027-01-15T08:00:41.2Z", 200_000),
        ("2027-01-15T08:00:41.207Z", 207_000),
        ("2027-01-15T08:00:41.207123Z", 207_123),
        ("2027-01-15T08:00:41.207123999+00:00", 207_123),
    ],
)
def test_times_have_a_zone(text: str, microsecond: int) -> None:
    read = reading.interaction({**BODY, "created_at": text})
    assert read.created_at == datetime(2027, 1, 15, 8, 0, 41, microsecond, timezone.utc)


def closed(**fields: Any) -> Interaction:
    return reading.interaction({**BODY, "kind": "approval", **fields})


def test_a_decision_is_true_in_one_case_alone() -> None:
    yes = {"state": "resolved", "outcome": "approved", "approved": True}
    proof = reading.receipt(RECEIPT)
    assert Decision(closed(**yes), proof)
    assert not Decision(closed(**yes))
    for other in ({"outcome": "denied"}, {"interaction_id": "1"}):
        assert not Decision(closed(**yes), reading.receipt({**RECEIPT, **other}))
    for lie in (
        {"approved": "true"},
        {"approved": 1},
        {"approved": None},
        {"approved": False},
        {"outcome": None},
        {"outcome": "answered"},
        {"outcome": "denied"},
        {"outcome": "fallback"},
        {"state": "pending"},
        {"state": "expired"},
        {"state": "cancelled"},
        {"kind": "question"},
    ):
        decision = Decision(closed(**{**yes, **lie}), proof)
        assert not decision, lie
        assert decision.approved is False


def test_what_is_closed_without_an_answer_is_an_error() -> None:
    with pytest.raises(Expired):
        answered(closed(state="expired", outcome="expired"))
    with pytest.raises(Cancelled):
        answered(closed(state="cancelled", outcome="cancelled"))
    for state in ("resolved", "escalated", "pending"):
        with pytest.raises(HandraiseError, match=state):
            answered(closed(state=state))


def test_a_decision_about_a_plan_that_is_unknown_is_no_leave() -> None:
    at = {"answered_at": "2027-01-15T08:00:41Z"}
    plan = {"kind": "plan_review", "state": "resolved"}
    unknown = reviewed(closed(**plan, answer={**at, "decision": "proceed_twice", "target_mode": "edit"}), None)
    unproven = reviewed(closed(**plan, answer={**at, "decision": "proceed", "target_mode": "edit"}), None)
    for review in (unknown, unproven):
        assert not review and not review.may_proceed
        assert review.target_mode is None
    with pytest.raises(HandraiseError):
        reviewed(closed(**plan, answer=at), None)


@pytest.mark.parametrize(("by", "named"), [("Ana", "Ana"), (None, "a setting")])
def test_what_is_erased_says_so_and_approves_nothing(by: Any, named: str) -> None:
    erased = {"erased": {"at": "2027-01-15T08:00:41Z", "by": by}}
    read = reading.interaction({**BODY, "state": "resolved", "outcome": "answered", "prompt": "", **erased})
    assert read.erased is not None
    assert (read.erased.at.year, read.erased.by) == (2027, by)
    with pytest.raises(HandraiseError, match=f"erased by {named}"):
        answered(read)
    # Whatever else it says.
    lie = closed(state="resolved", outcome="approved", approved=True, **erased)
    decision = Decision(lie, reading.receipt(RECEIPT))
    assert not decision
    assert str(Denied(decision)) == f"not approved (erased by {named})"
    assert reading.interaction(BODY).erased is None
