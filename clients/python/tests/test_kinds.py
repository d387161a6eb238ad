"""Every kind, from asking to going on."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import List, Optional

import pytest
from conftest import Meanwhile
from serving import PATIENCE, Desk

from handraise import Handraise, Interaction, Option, PlanComment, PlanReview, Question, Refused, Task


@pytest.mark.parametrize("text", ["150 ms at p99.\r\n\tAt the balancer \N{CRAB}", "", "0", "false"])
def test_a_question_gets_its_answer_byte_for_byte(
    people: Handraise, desk: Desk, meanwhile: Meanwhile, text: str
) -> None:
    asking = meanwhile(people.ask, "Which target?", fallback="200 ms")
    answered = desk.answer_next(text=text)
    assert asking.result(PATIENCE) == text
    assert desk.get(answered["id"])["collected_at"] is not None


def test_all_that_can_be_said_with_a_question_arrives(people: Handraise, desk: Desk) -> None:
    asked = people.open(
        "question",
        "Which port?",
        fallback="",
        timeout=timedelta(minutes=1),
        session_id="p11",
        task=Task("T-1", title="Serve", step="bind"),
        title="Ports",
        urgent=True,
        metadata={"pr": 12, "tags": ("a", None)},
        mode="async",
    )
    assert desk.get(asked.id) == {
        **desk.get(asked.id),
        "kind": "question",
        "mode": "async",
        "title": "Ports",
        "prompt": "Which port?",
        "session_id": "p11",
        "priority": "urgent",
        "fallback": "",
        "task": {"id": "T-1", "title": "Serve", "description": None, "step": "bind"},
        "metadata": {"pr": 12, "tags": ["a", None]},
    }
    assert asked.expires_at is not None
    assert asked.expires_at - asked.created_at == timedelta(minutes=1)
    assert asked.task == Task("T-1", title="Serve", step="bind")
    assert asked.is_pending and asked.outcome is None and asked.answer is None
    assert people.open("acknowledgement", "Seen?", timeout=None, task="T-2").expires_at is None
    assert people.open("acknowledgement", "Seen?", timeout=0.2).expires_at is not None


def test_a_choice_is_one_option(people: Handraise, desk: Desk, meanwhile: Meanwhile) -> None:
    options = ["0", Option("lru", label="LRU in process", description="no new service")]
    asking = meanwhile(people.choose, "Which approach?", options)
    asked = desk.answer_next(selected=["lru"])
    assert asking.result(PATIENCE) == "lru"
    assert asked["options"][1] == {"value": "lru", "label": "LRU in process", "description": "no new service"}


@pytest.mark.parametrize("selected", [["a", "c"], []])
def test_a_choice_of_several_is_any_of_them(
    people: Handraise, desk: Desk, meanwhile: Meanwhile, selected: List[str]
) -> None:
    asking = meanwhile(people.choose, "Which?", ["a", "b", "c"], multiple=True)
    desk.answer_next(selected=list(reversed(selected)))
    assert asking.result(PATIENCE) == selected


def test_an_acknowledgement_says_who_has_seen_it(people: Handraise, desk: Desk, meanwhile: Meanwhile) -> None:
    asking = meanwhile(people.acknowledge, "The disk is nearly full")
    desk.answer_next()
    seen = asking.result(PATIENCE)
    assert isinstance(seen, Interaction)
    assert seen.answer and seen.answer.responder
    assert (seen.answer.responder.name, seen.answer.responder.via) == ("desk", "api")
    assert seen.collected_at is not None


@pytest.mark.parametrize(
    ("decision", "may_proceed", "clear_context", "target_mode"),
    [
        ("proceed", True, False, "edit"),
        ("proceed_clean", True, True, "edit"),
        ("proceed_default", True, True, "default"),
        ("adjust", False, False, None),
    ],
)
def test_a_plan_review_says_what_the_agent_may_do(
    people: Handraise,
    desk: Desk,
    meanwhile: Meanwhile,
    decision: str,
    may_proceed: bool,
    clear_context: bool,
    target_mode: Optional[str],
) -> None:
    asking = meanwhile(people.review_plan, "Go on?", "1. Test\n2. Deploy")
    desk.answer_next(decision=decision, feedback="Test twice")
    review = asking.result(PATIENCE)
    assert isinstance(review, PlanReview)
    assert (review.decision, review.feedback) == (decision, "Test twice")
    assert bool(review) is may_proceed
    assert (review.may_proceed, review.clear_context, review.target_mode) == (may_proceed, clear_context, target_mode)
    assert review.interaction.plan == "1. Test\n2. Deploy"


def test_comments_on_a_plan_come_with_their_places_and_its_next_version_names_it(
    people: Handraise, desk: Desk, meanwhile: Meanwhile
) -> None:
    asking = meanwhile(people.review_plan, "Go on?", "1. Test\n2. Deploy")
    desk.answer_next(decision="adjust", comments=[{"line": 2, "text": "Not on a Friday"}])
    first = asking.result(PATIENCE)
    assert first.feedback == "Line 2, “2. Deploy”: Not on a Friday"
    assert first.comments == (PlanComment(line=2, to_line=2, quote="2. Deploy", text="Not on a Friday"),)
    asking = meanwhile(people.review_plan, "And now?", "1. Test\n2. Deploy on Monday", revises=first.interaction.id)
    desk.answer_next(decision="proceed", feedback="Mind the cache")
    second = asking.result(PATIENCE)
    assert second.interaction.revises == first.interaction.id
    assert (bool(second), second.feedback, second.comments) == (True, "Mind the cache", ())


def test_a_form_is_answered_question_by_question(people: Handraise, desk: Desk, meanwhile: Meanwhile) -> None:
    questions = [
        Question("port", "Which port?"),
        Question("env", "Where?", options=(Option("staging"), Option("production", label="Live"))),
        Question("tags", "Tags?", options=(Option("a"), Option("b")), multiple=True),
    ]
    asking = meanwhile(people.form, "Three things", questions)
    asked = desk.answer_next(answers={"port": ""})
    assert people.get(asked["id"]).progress == {"port": ""}
    desk.answer(asked["id"], answers={"tags": []})
    desk.answer(asked["id"], answers={"env": "production"})
    assert asking.result(PATIENCE) == {"port": "", "env": "production", "tags": []}


def test_a_notification_waits_for_nobody(people: Handraise, desk: Desk) -> None:
    told = people.notify("Tests failed", level="error", title="CI", session_id="p11")
    assert (told.state, told.outcome, told.level) == ("resolved", "delivered", "error")
    assert desk.next()["id"] == told.id


def test_follow_ups_come_after_the_answer(people: Handraise, desk: Desk) -> None:
    asked = people.open("question", "Which port?")
    desk.answer(asked.id, text="80")
    desk.follow_up(asked.id, "And\r\nTLS")
    seen = people.get(asked.id)
    assert [(said.text, said.responder.name) for said in seen.follow_ups] == [("And\r\nTLS", "desk")]
    assert seen.answer and seen.answer.text == "80"
    assert seen.resume_prompt and "User answer: 80\n" in seen.resume_prompt


def test_a_list_is_read_page_by_page(people: Handraise) -> None:
    session = uuid.uuid4().hex
    asked = [people.open("question", f"Question {n}", session_id=session).id for n in range(3)]
    first = people.list(session_id=session, limit=2)
    assert len(first) == 2 and first.next_cursor
    rest = people.list(session_id=session, limit=2, cursor=first.next_cursor)
    assert rest.next_cursor is None
    assert [one.id for one in (*first, *rest)] == asked[::-1]
    for id in asked:
        people.cancel(id)
    assert len(people.list(session_id=session, state="pending")) == 0
    assert len(people.list()) > 0


def test_every_fault_of_a_request_is_named(people: Handraise) -> None:
    with pytest.raises(Refused) as caught:
        people.open("choice", " ", options=["a", "a"], task=Task("T-1", title=""))
    refused = caught.value
    assert (refused.status, refused.code) == (422, "invalid_request")
    assert {fault.path for fault in refused.errors} == {"prompt", "task.title", "options[1].value"}
    assert all(fault.message for fault in refused.errors)
    assert "options[1].value: stands twice" in str(refused)


def test_an_option_that_is_none_is_a_type_error(people: Handraise) -> None:
    for call in (people.ask, people.notify):
        with pytest.raises(TypeError, match="colour"):
            call("Which?", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="timeout"):
        people.notify("Done", timeout=1)  # type: ignore[call-arg]
