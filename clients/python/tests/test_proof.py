"""Receipts, keys, runs, reports and operands, between this client and the real server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, List

import httpx
import pytest
from addresses import ADDRESSES
from conftest import Connect, DeskOf, Meanwhile, OwnServer
from proxy import Proxy
from serving import PATIENCE, Desk, Server

from handraise import (
    AlreadyUsed,
    Handraise,
    KeyChanged,
    NotVerified,
    OperandChanged,
    Refused,
    hash_file,
    requires_approval,
)
from handraise.known_servers import KnownServers

ACTION: Dict[str, Any] = {"tool": "shell", "arguments": {"command": "make deploy"}}


def approved(people: Handraise, desk: Desk, meanwhile: Meanwhile) -> Any:
    """What `approve` returns when somebody does."""
    asking = meanwhile(people.approve, "Deploy?", **ACTION)
    desk.answer_next(approved=True)
    return asking.result(PATIENCE)


def pins() -> str:
    return Path(os.environ["HANDRAISE_KNOWN_SERVERS"]).read_text()


def key_of(server: Server) -> str:
    return str(httpx.get(f"{server.url}/api/v1/keys").json()["public_key"])


def test_an_approval_and_a_plan_are_proven_by_the_servers_receipts(
    connect: Connect, server: Server, token: str, desk: Desk, meanwhile: Meanwhile
) -> None:
    people = connect(server.url, token)
    decision = approved(people, desk, meanwhile)
    assert decision and decision.receipt
    assert decision.receipt.responder.name == "desk"
    assert decision.receipt.action_digest == decision.interaction.action_digest
    assert pins() == f"{server.url} {key_of(server)}\n"
    assert people.verify(decision.interaction.id, **ACTION)
    reviewing = meanwhile(people.review_plan, "Go on?", "1. Größer\r\n2. Deploy")
    desk.answer_next(decision="proceed_clean")
    review = reviewing.result(PATIENCE)
    assert review and review.receipt and review.receipt.plan_digest


def test_the_command_line_names_a_server_by_the_same_line(server: Server, tmp_path: Path) -> None:
    known, key = tmp_path / "known_servers", key_of(server)
    for url, address in ADDRESSES:
        server.trust(url, key, known)
        assert (url, known.read_text()) == (url, f"{address} {key}\n")
        assert KnownServers(known).find(address) == (key,)
        known.unlink()


def test_who_answers_under_another_key_is_not_believed(
    connect: Connect, own_server: OwnServer, desk_of: DeskOf, meanwhile: Meanwhile
) -> None:
    first = own_server()
    people = connect(first.url, first.token("agent", "backend"))
    assert approved(people, desk_of(first), meanwhile)
    first.kill()
    second = own_server(port=first.port)
    people = connect(second.url, second.token("agent", "backend"))
    with pytest.raises(KeyChanged) as caught:
        approved(people, desk_of(second), meanwhile)
    assert caught.value.found == key_of(second)


def test_a_rotated_key_is_followed_from_the_old_one(
    connect: Connect, own_server: OwnServer, desk_of: DeskOf, meanwhile: Meanwhile
) -> None:
    server = own_server()
    people, desk = connect(server.url, server.token("agent", "backend")), desk_of(server)
    assert approved(people, desk, meanwhile)
    old = key_of(server)
    for _ in range(2):
        new = server.rotate_key()
        server.kill()
        server.start()
    assert approved(people, desk, meanwhile)
    assert new != old
    assert pins() == f"{server.url} {new}\n"


def test_an_approval_is_used_once(
    connect: Connect, server: Server, token: str, desk: Desk, meanwhile: Meanwhile, proxy_to: Callable[[Server], Proxy]
) -> None:
    proxy = proxy_to(server)
    people = connect(proxy.url, token)
    id = approved(people, desk, meanwhile).interaction.id
    proxy.lose_reply(f"POST /api/v1/interactions/{id}/consume")
    used = people.consume(id)
    assert used.consumed and proxy.count(f"POST /api/v1/interactions/{id}/consume") == 2
    assert people.consume(id, used.consumed.run).consumed == used.consumed
    with pytest.raises(AlreadyUsed) as caught:
        people.consume(id)
    assert (caught.value.at, caught.value.by) == (used.consumed.at, used.consumed.run)


def test_what_was_not_approved_cannot_be_used_or_reported(people: Handraise, desk: Desk) -> None:
    asked = people.open("approval", "Deploy?", **ACTION)
    assert not people.verify(asked.id, **ACTION)
    for _ in range(2):
        with pytest.raises(Refused) as caught:
            people.consume(asked.id)
        assert (caught.value.status, caught.value.code) == (409, "not_approved")
        if people.get(asked.id).is_pending:
            desk.answer(asked.id, approved=False)
    with pytest.raises(Refused):
        people.report(asked.id, "done")


def test_a_report_is_made_once_and_read_again(people: Handraise, desk: Desk, meanwhile: Meanwhile) -> None:
    id = approved(people, desk, meanwhile).interaction.id
    reported = people.report(id, "failed", "exit status 2")
    assert reported.report and (reported.report.outcome, reported.report.text) == ("failed", "exit status 2")
    assert people.report(id, "failed", "exit status 2").report == reported.report
    with pytest.raises(Refused) as caught:
        people.report(id, "done")
    assert (caught.value.status, caught.value.code) == (409, "already_reported")
    assert desk.get(id)["report"]["text"] == "exit status 2"


def test_files_are_shown_signed_and_hashed_again(
    server: Server, token: str, desk: Desk, meanwhile: Meanwhile, tmp_path: Path
) -> None:
    script = tmp_path / "grün.sh"
    script.write_text("make deploy")
    runs: List[str] = []
    with Handraise(server.url, token) as people:
        run = requires_approval(client=people)(lambda script: runs.append(script.read_text()))
        running = meanwhile(run, script)
        asked = desk.answer_next(approved=True)
        running.result(PATIENCE)
        operand = hash_file(script)
        assert asked["action"]["operands"] == [{"name": str(script), "sha256": operand.sha256, "size": operand.size}]
        seen = desk.get(asked["id"])
        assert seen["consumed"]["run"] and seen["report"]["outcome"] == "done"

        running = meanwhile(run, script)
        asked = desk.next()
        script.write_text("rm -rf /")
        desk.answer(asked["id"], approved=True)
        with pytest.raises(OperandChanged):
            running.result(PATIENCE)
        assert runs == ["make deploy"]
        seen = desk.get(asked["id"])
        assert (seen["consumed"], seen["report"]) == (None, None)


def test_a_proxy_that_turns_a_denial_into_an_approval_is_not_believed(
    server: Server, token: str, desk: Desk, meanwhile: Meanwhile
) -> None:
    runs: List[int] = []

    def lying(request: httpx.Request) -> httpx.Response:
        request.read()
        with httpx.Client(timeout=PATIENCE) as real:
            reply = real.send(request)
        body = reply.text.replace('"denied"', '"approved"').replace('"approved":false', '"approved":true')
        return httpx.Response(reply.status_code, text=body)

    with Handraise(server.url, token, http_client=httpx.Client(transport=httpx.MockTransport(lying))) as people:
        running = meanwhile(requires_approval(client=people)(runs.append), 1)
        desk.answer_next(approved=False)
        with pytest.raises(NotVerified, match="signature"):
            running.result(PATIENCE)
    assert runs == []
