"""Amended actions and several approvers: believed as far as the receipt goes, and not a step further."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, Optional

import pytest
from fakes import ANA, FakeServer, Json, at, calls_at, carry_out

from handraise import Decision, NotVerified, action_digest
from handraise.calls import Calls

ASKED = {"replicas": 2, "service": "api"}
CHANGED = {"replicas": 1, "service": "api"}
BO = {**ANA, "id": "00000000-0000-0000-0000-0000000000b0", "name": "Bo"}


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    return calls_at(tmp_path)


def approve(calls: Calls, server: FakeServer, **options: Any) -> Decision:
    decision = carry_out(calls.approve("Deploy?", "deploy", ASKED, **options), server)
    assert isinstance(decision, Decision)
    return decision


def amended(server: FakeServer, signed: Optional[Json] = None, said: Optional[Json] = None) -> None:
    """Somebody changes the arguments before they approve: what is signed, and what the server says."""
    signed, said = signed or CHANGED, said or signed or CHANGED

    def tell(it: Json) -> Json:
        return {**it, "amended": {"arguments": said, "digest": action_digest("deploy", said)}}

    def sign(receipt: Json) -> Json:
        digests = {"action_digest": action_digest("deploy", signed), "asked_digest": receipt["action_digest"]}
        return server.key.sign({**receipt, **digests})

    lies: Dict[str, Callable[[Json], Any]] = {"interactions": tell, "poll": tell, "collect": tell, "receipt": sign}
    server.lies = lies


def test_what_runs_is_what_was_approved(calls: Calls, server: FakeServer) -> None:
    decision = approve(calls, server)
    assert decision and decision.arguments == ASKED
    amended(server)
    decision = approve(calls, server, amendable=True)
    assert decision and decision.arguments == CHANGED
    assert decision.receipt and decision.receipt.asked_digest == action_digest("deploy", ASKED)
    assert server.asked[-1]["amendable"] is True
    assert "amendable" not in server.asked[0]


def test_who_takes_no_changes_is_told_of_none(calls: Calls, server: FakeServer) -> None:
    amended(server)
    with pytest.raises(NotVerified, match="void for this action"):
        approve(calls, server)
    server.lies.pop("receipt")
    # Beside an honest receipt the lie changes nothing.
    assert approve(calls, server).arguments == ASKED


def test_other_arguments_than_the_signed_ones_are_none(calls: Calls, server: FakeServer) -> None:
    amended(server, said={"replicas": 9, "service": "api"})
    with pytest.raises(NotVerified, match="void for this action"):
        approve(calls, server, amendable={"paths": ["/replicas"]})
    # It says that nothing was changed.
    amended(server)
    server.lies = {"receipt": server.lies["receipt"]}
    with pytest.raises(NotVerified, match="void for this action"):
        approve(calls, server, amendable=True)


def test_as_many_people_have_signed_as_were_asked_for(calls: Calls, server: FakeServer) -> None:
    def by(*people: Json) -> None:
        approvers = [{**one, "at": at(server.now())} for one in people]
        server.lies = {"receipt": lambda said: server.key.sign({**said, "approvers": approvers})}

    by(BO, ANA)
    decision = approve(calls, server, approvals=2)
    assert decision and decision.receipt
    assert [one.name for one in decision.receipt.approvers] == ["Bo", "Ana"]
    assert server.asked[-1]["approvals"] == {"needed": 2}
    approve(calls, server, approvals={"needed": 2, "of": "team"})
    for people in [(), (ANA,), (ANA, ANA)]:
        by(*people)
        with pytest.raises(NotVerified, match="of 2 people"):
            approve(calls, server, approvals=2)


@pytest.mark.parametrize("approvers", [["Ana"], {"id": "1"}, [{"id": "1"}], None])
def test_approvers_that_are_none_void_the_receipt(calls: Calls, server: FakeServer, approvers: Any) -> None:
    server.lies = {"receipt": lambda said: server.key.sign({**said, "approvers": approvers})}
    with pytest.raises(NotVerified, match="lacks"):
        approve(calls, server)
