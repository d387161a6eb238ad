"""What was approved is believed by its receipt alone."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

import pytest
from fakes import AGENT, ANA, FakeServer, Json, Key, at, calls_at, carry_out, days, json_reply

from handraise import ArgumentsChanged, Decision, HandraiseError, KeyChanged, NotVerified, Refused
from handraise.calls import Calls
from handraise.receipts import was_asked_under


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    return calls_at(tmp_path)


def approve(calls: Calls, server: FakeServer, **options: Any) -> Decision:
    decision = carry_out(calls.approve("Deploy?", "shell", {"command": "make deploy"}, **options), server)
    assert isinstance(decision, Decision)
    return decision


def test_an_approval_comes_with_its_proof(calls: Calls, server: FakeServer) -> None:
    decision = approve(calls, server)
    assert decision
    assert decision.receipt and decision.responder
    assert decision.receipt.document == server.receipt(decision.interaction.id)
    assert (decision.receipt.responder.name, decision.responder.name) == ("Ana", "Ana")
    assert (decision.receipt.approved_in_words, decision.receipt.asked_nobody) == ("Ana approved it", False)
    # The key is known before anything is asked.
    assert server.requests == ["GET keys", "POST interactions", "GET receipt", "POST collect"]
    approve(calls, server)
    assert server.requests[4:] == ["POST interactions", "GET receipt", "POST collect"]


def test_an_approval_by_a_person_s_standing_one_is_an_approval(calls: Calls, server: FakeServer) -> None:
    server.lies = {"receipt": resigned(version=2, grant=GRANT)(server)}
    decision = approve(calls, server)
    assert decision and decision.receipt
    assert (decision.receipt.grant_id, decision.receipt.responder.name) == (GRANT["id"], "Ana")
    assert decision.receipt.asked_nobody
    assert decision.receipt.approved_in_words == "Approved by Ana's grant of Tuesday, 12 January"


def test_an_approval_by_a_rule_of_an_admin_is_an_approval(calls: Calls, server: FakeServer) -> None:
    server.lies = {"receipt": resigned(version=3, policy=POLICY, responder=RULE)(server)}
    decision = approve(calls, server)
    assert decision and decision.receipt
    assert (decision.receipt.policy_rule, decision.receipt.responder.via) == ("tests", "policy")
    assert decision.receipt.asked_nobody
    assert decision.receipt.approved_in_words == "Approved by the policy `tests`"


def test_a_responder_is_who_signed_for_it_and_not_who_the_server_says(calls: Calls, server: FakeServer) -> None:
    def by_eve(said: Json) -> Json:
        said["answer"]["responder"] = {"id": "9", "name": "Eve", "via": "api"}
        return said

    server.lies = {"collect": by_eve}
    decision = approve(calls, server)
    assert decision.responder and decision.responder.name == "Ana"


def test_a_decision_without_a_receipt_is_false(calls: Calls, server: FakeServer) -> None:
    approved = approve(calls, server)
    assert not Decision(approved.interaction)
    other = approve(calls, server)
    assert not Decision(approved.interaction, other.receipt)


def test_what_was_denied_needs_no_proof(calls: Calls, server: FakeServer) -> None:
    server.decision = "denied"
    assert not approve(calls, server)
    assert "GET receipt" not in server.requests


def resigned(**changes: Any) -> Callable[[FakeServer], Callable[[Json], Json]]:
    """The receipt with other fields, signed with the server's key."""
    return lambda server: lambda said: server.key.sign({**said, **changes})


def forged(**changes: Any) -> Callable[[FakeServer], Callable[[Json], Json]]:
    """The receipt with other fields, and the signature it had."""
    return lambda _: lambda said: {**said, **changes}


def without(field: str) -> Callable[[FakeServer], Callable[[Json], Json]]:
    return lambda server: lambda said: server.key.sign({name: said[name] for name in said if name != field})


def by_another_key(server: FakeServer) -> Callable[[Json], Json]:
    other = Key()
    return lambda said: other.sign({**said, "public_key": other.public})


def by_another_key_under_this_name(server: FakeServer) -> Callable[[Json], Json]:
    return Key().sign


OTHER = "sha256:" + "0" * 64
POLICY = {"id": "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8ab", "digest": OTHER, "rule": "tests"}
RULE = {"id": POLICY["id"], "name": "tests", "via": "policy"}
GRANT = {"id": "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa", "made_at": "2027-01-12T08:00:00Z"}
NOW = datetime.now(timezone.utc)


@pytest.mark.parametrize(
    ("lie", "told"),
    [
        (lambda _: lambda said: [], "no JSON object"),
        (lambda _: lambda said: {}, "lacks"),
        (lambda _: lambda said: {**said, "agent": "backend"}, "lacks"),
        (without("responder"), "lacks"),
        (without("action_digest"), "lacks"),
        (resigned(grant="g"), "holds more"),
        (resigned(grant={**GRANT, "uses": 1}, version=2), "holds more"),
        (resigned(grant=GRANT), "version 1"),
        (resigned(grant=GRANT, version=2, outcome="denied"), "only approves"),
        (resigned(grant=GRANT, version=2, asked_digest=OTHER), "only approves"),
        (resigned(grant=GRANT, version=2, approvers=[]), "only approves"),
        (forged(grant=GRANT, version=2), "signature"),
        (resigned(policy=POLICY, responder=RULE), "version 1"),
        (resigned(policy=POLICY, version=3), "does not name"),
        (resigned(responder=RULE), "does not name"),
        (resigned(policy=POLICY, version=3, responder={**RULE, "name": "other"}), "does not name"),
        (resigned(policy={**POLICY, "more": 1}, version=3, responder=RULE), "holds more"),
        (resigned(policy=POLICY, grant=GRANT, version=3, responder=RULE), "holds more"),
        (resigned(policy=POLICY, version=3, responder=RULE, outcome="adjust"), "a policy approves"),
        (resigned(plan_digest=OTHER), "holds more"),
        (resigned(agent={**AGENT, "role": "admin"}), "holds more"),
        (resigned(version=2), "version 2"),
        (resigned(version=True), "version True"),
        (resigned(version=1.0), "version 1.0"),
        (forged(public_key="AAAA"), "public key is none"),
        (forged(public_key=None), "public key is none"),
        (by_another_key, "has CHANGED"),
        (by_another_key_under_this_name, "signature"),
        (forged(outcome="approved", action_digest=OTHER), "signature"),
        (forged(signature=""), "signature"),
        (forged(signature="!"), "signature"),
        (forged(signature=None), "signature"),
        (forged(responder={**ANA, "name": "Eve"}), "signature"),
        (forged(answered_at=at(NOW - days(0.001))), "signature"),
        (resigned(interaction_id="019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"), "interaction 019a7c41"),
        (resigned(outcome="denied"), "its approval was denied"),
        (resigned(outcome="fallback"), "its approval was fallback"),
        (resigned(kind="question"), "its question was approved"),
        (resigned(action_digest=OTHER), "void for this action"),
        (resigned(action_digest=None), "void for this action"),
        (resigned(agent={"id": "6", "name": "devops"}), "agent devops"),
        (resigned(answered_at="soon"), "cannot be read"),
        (resigned(asked_at=at(NOW - days(1.01)), answered_at=at(NOW - days(1.01))), "1 day, 0:00:00 ago"),
        (resigned(asked_at=at(NOW - timedelta(minutes=6))), "before this was"),
        (resigned(asked_at=at(NOW + days(1)), answered_at=at(NOW + days(1))), "here it is"),
        (resigned(asked_at=at(NOW + days(1))), "before it was asked"),
    ],
)
def test_a_receipt_that_does_not_hold_is_no_approval(
    calls: Calls, server: FakeServer, lie: Callable[[FakeServer], Callable[[Json], Any]], told: str
) -> None:
    server.lies = {"receipt": lie(server)}
    with pytest.raises(NotVerified, match=told):
        approve(calls, server)
    assert "POST collect" not in server.requests


def test_an_id_tells_who_asked_under_which_key_in_this_form_for_ever() -> None:
    # The same bytes as in `crates/domain/src/ids.rs`.
    agent, id = "019a7c3f-0a11-7c02-b1d4-2f0a6b1c9e55", "019a7c41-5d0e-738a-9b0e-2873e5f8df66"
    assert was_asked_under(id, agent, "deploy-1")
    assert was_asked_under("019a7c41-5d0f" + id[13:], agent, "deploy-1")
    assert not was_asked_under(id, agent, "deploy-2")
    assert not was_asked_under(id, agent[:-1] + "6", "deploy-1")
    for other in (id.upper(), id.replace("-7", "-4"), id.replace("-9b", "-1b"), id[:-1] + "7", "{" + id + "}", "1", ""):
        assert not was_asked_under(other, agent, "deploy-1")


def test_an_approval_of_the_same_action_that_was_asked_another_time_is_none(calls: Calls, server: FakeServer) -> None:
    earlier = carry_out(calls.open("approval", "?", tool="t", arguments={}), server)
    plan = carry_out(calls.open("plan_review", "?", plan=PLAN), server)
    server.close(plan.id, "proceed")
    # What somebody asks for now is denied, and an unused approval of a moment ago is shown for it.
    server.decision = "denied"
    server.lies = {"interactions": lambda _: server.of(earlier.id)}
    with pytest.raises(NotVerified, match="answers another question than this agent has asked"):
        carry_out(calls.approve("?", "t", {}), server)
    with pytest.raises(NotVerified, match="answers another question"):
        carry_out(calls.approve("?", "t", {}, idempotency_key="release-8"), server)
    server.lies = {"interactions": lambda _: server.of(plan.id)}
    with pytest.raises(NotVerified, match="answers another question"):
        carry_out(calls.review_plan("?", PLAN), server)
    assert len(server.asked) == 5


def test_who_knows_the_key_can_tell_which_question_was_answered(calls: Calls, server: FakeServer) -> None:
    for key in ("release-7", "release-8"):
        id = carry_out(calls.open("approval", "?", tool="t", arguments={}, idempotency_key=key), server).id
        assert carry_out(calls.verify(id, "t", {}, idempotency_key=key), server)
        assert carry_out(calls.verify(id, "t", {}), server)
    with pytest.raises(NotVerified, match="answers another question"):
        carry_out(calls.verify(id, "t", {}, idempotency_key="release-7"), server)


def slow(server: FakeServer, seconds: float) -> None:
    """People take this long, and the server has heard of no deadline: somebody on the way has seen to that."""
    moments = iter([NOW])
    server.now = lambda: next(moments, NOW + timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("timeout", "seconds", "holds"),
    [
        (3, 3, True),
        (3, 3.001, False),
        (3, 8, False),
        # The server counts whole seconds.
        (2.5, 3, True),
        (2.5, 3.001, False),
        (timedelta(seconds=3), 3, True),
        (timedelta(minutes=1), 61, False),
        (None, 200, True),
    ],
)
def test_a_decision_that_was_made_later_than_this_agent_allowed_is_none(
    tmp_path: Path, server: FakeServer, timeout: Any, seconds: float, holds: bool
) -> None:
    calls = calls_at(tmp_path, now=NOW)
    asked: Dict[str, Callable[[], Any]] = {
        "approved": lambda: calls.approve("?", "t", {}, timeout=timeout),
        "proceed": lambda: calls.review_plan("?", PLAN, timeout=timeout),
    }
    for server.decision, flow in asked.items():
        slow(server, seconds)
        if holds:
            assert carry_out(flow(), server)
        else:
            with pytest.raises(NotVerified, match="later than this agent allowed"):
                carry_out(flow(), server)
    slow(server, seconds)
    server.decision = "approved"
    id = carry_out(calls.open("approval", "?", tool="t", arguments={}, timeout=timeout), server).id
    assert carry_out(calls.verify(id, "t", {}), server)
    if holds:
        assert carry_out(calls.verify(id, "t", {}, timeout=timeout), server)
    else:
        with pytest.raises(NotVerified, match="later than this agent allowed"):
            carry_out(calls.verify(id, "t", {}, timeout=timeout), server)


def test_who_leaves_the_deadline_to_the_server_takes_any(tmp_path: Path, server: FakeServer) -> None:
    slow(server, 200)
    assert approve(calls_at(tmp_path, now=NOW), server)


def test_the_receipt_of_another_interaction_proves_nothing(calls: Calls, server: FakeServer) -> None:
    earlier = approve(calls, server)
    server.lies = {"receipt": lambda _: server.receipt(earlier.interaction.id)}
    with pytest.raises(NotVerified, match="of the interaction"):
        approve(calls, server)


def test_an_earlier_interaction_is_not_passed_off_as_this_one(tmp_path: Path, server: FakeServer) -> None:
    server.now = lambda: NOW - timedelta(hours=1)
    earlier = approve(calls_at(tmp_path, now=NOW - timedelta(hours=1)), server).interaction
    server.lies = {"interactions": lambda _: server.of(earlier.id)}
    with pytest.raises(NotVerified, match="answers another question"):
        approve(calls_at(tmp_path, now=NOW), server)


def test_under_a_key_of_its_own_an_agent_goes_on_with_what_it_asked_before(tmp_path: Path, server: FakeServer) -> None:
    server.now = lambda: NOW - timedelta(hours=23)
    assert approve(calls_at(tmp_path, now=NOW), server, idempotency_key="k")
    with pytest.raises(NotVerified, match="8:00:00 ago"):
        approve(calls_at(tmp_path, now=NOW), server, idempotency_key="k", max_age=8 * 3600)
    with pytest.raises(NotVerified, match="ago"):
        approve(calls_at(tmp_path, now=NOW + timedelta(hours=2)), server, idempotency_key="k")
    assert approve(calls_at(tmp_path, now=NOW + timedelta(hours=2)), server, idempotency_key="k", max_age=days(2))


@pytest.mark.parametrize("status", [404, 409])
def test_a_server_that_says_approved_without_a_receipt_is_not_believed(
    calls: Calls, server: FakeServer, status: int
) -> None:
    server.refusals = {"receipt": json_reply({"code": "no_receipt"}, status)}
    with pytest.raises(NotVerified, match="shows no receipt"):
        approve(calls, server)


def test_a_server_without_keys_is_asked_nothing(calls: Calls, server: FakeServer) -> None:
    server.refusals = {"keys": json_reply({"code": "no_such_address"}, 404)}
    for flow in (calls.approve("?", "t", {}), calls.review_plan("?", "1. Deploy")):
        with pytest.raises(NotVerified, match="nothing was asked"):
            carry_out(flow, server)
    server.refusals = {"keys": json_reply({"public_key": "mine"})}
    with pytest.raises(HandraiseError, match="not one of Handraise"):
        carry_out(calls.approve("?", "t", {}), server)
    assert server.asked == []


@pytest.mark.parametrize("field", ["state", "outcome", "approved"])
def test_who_does_not_say_approved_is_not_asked_for_a_receipt(calls: Calls, server: FakeServer, field: str) -> None:
    server.lies = {"interactions": lambda said: {**said, field: "expired"}}
    assert not approve(calls, server)
    assert "GET receipt" not in server.requests


def test_an_approval_of_a_changed_action_is_none(calls: Calls, server: FakeServer) -> None:
    server.lies = {"interactions": lambda said: {**said, "action_digest": OTHER}}
    with pytest.raises(ArgumentsChanged):
        approve(calls, server)


def test_what_was_opened_before_is_verified_by_its_id(tmp_path: Path, server: FakeServer) -> None:
    calls = calls_at(tmp_path)
    server.decision = None
    action: Tuple[str, Dict[str, Any]] = ("shell", {"command": "make"})
    id = carry_out(calls.open("approval", "May I?", tool=action[0], arguments=action[1]), server).id
    assert not carry_out(calls.verify(id, *action), server)
    server.close(id, "approved")
    assert carry_out(calls.verify(id, *action), server)
    with pytest.raises(ArgumentsChanged):
        carry_out(calls.verify(id, "shell", {"command": "make clean"}), server)
    server.lies = {"receipt": by_another_key(server)}
    with pytest.raises(KeyChanged):
        carry_out(calls.verify(id, *action), server)


PLAN = "1. Test\n2. Deploy"


def review(calls: Calls, server: FakeServer) -> Any:
    return carry_out(calls.review_plan("Go on?", PLAN), server)


@pytest.mark.parametrize(
    ("decision", "clear_context", "target_mode"),
    [("proceed", False, "edit"), ("proceed_clean", True, "edit"), ("proceed_default", True, "default")],
)
def test_what_an_agent_may_do_with_a_plan_follows_from_the_receipt(
    calls: Calls, server: FakeServer, decision: str, clear_context: bool, target_mode: str
) -> None:
    def more(said: Json) -> Json:
        said["answer"].update(clear_context=not clear_context, target_mode="edit", feedback="Go")
        return said

    server.decision, server.lies = decision, {"interactions": more, "collect": more}
    reviewed = review(calls, server)
    assert reviewed and reviewed.receipt
    assert (reviewed.clear_context, reviewed.target_mode) == (clear_context, target_mode)


@pytest.mark.parametrize(
    ("lie", "told"),
    [
        (resigned(outcome="adjust"), "its plan_review was adjust"),
        (resigned(outcome="proceed_default"), "its plan_review was proceed_default"),
        (resigned(plan_digest=OTHER), "void for this action"),
        (by_another_key, "has CHANGED"),
    ],
)
def test_a_plan_is_not_carried_out_without_proof(
    calls: Calls, server: FakeServer, lie: Callable[[FakeServer], Callable[[Json], Any]], told: str
) -> None:
    server.decision, server.lies = "proceed", {"receipt": lie(server)}
    with pytest.raises(NotVerified, match=told):
        review(calls, server)


def test_a_plan_that_is_to_be_adjusted_or_unknown_may_not_be_carried_out(calls: Calls, server: FakeServer) -> None:
    for decision in ("adjust", "proceed_faster"):
        server.decision = decision
        reviewed = review(calls, server)
        assert not reviewed
        assert (reviewed.decision, reviewed.target_mode, reviewed.receipt) == (decision, None, None)
    server.decision = "adjust"
    server.lies = {"collect": lambda said: {**said, "answer": {**said["answer"], "decision": "proceed"}}}
    assert not review(calls, server)


def test_what_the_server_itself_cannot_prove_is_void(calls: Calls, server: FakeServer) -> None:
    server.lies = {"interactions": lambda said: {**said, "outcome": "void", "approved": False, "answer": None}}
    server.lies["collect"] = server.lies["interactions"]
    decision = approve(calls, server)
    assert (bool(decision), decision.outcome, decision.responder) == (False, "void", None)
    with pytest.raises(NotVerified):
        review(calls, server)


def test_who_has_no_right_to_read_the_receipt_is_told_so(calls: Calls, server: FakeServer) -> None:
    server.refusals = {"receipt": json_reply({"code": "bad_token"}, 401)}
    with pytest.raises(Refused, match="bad_token"):
        approve(calls, server)
