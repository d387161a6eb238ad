"""`clients/shell/ask_human.sh`, for programs that have no client."""

from __future__ import annotations

import os
import subprocess
import uuid
from pathlib import Path
from typing import Callable, Dict

import pytest
from conftest import Meanwhile
from proxy import Proxy
from serving import PATIENCE, Desk, Server

SCRIPT = Path(__file__).resolve().parents[2] / "shell" / "ask_human.sh"

Ask = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(params=["sh", "bash"])
def ask(request: pytest.FixtureRequest, server: Server, token: str) -> Ask:
    """Runs the script with one of the shells that are here."""

    def run(*args: str, url: str = server.url, token: str = token) -> subprocess.CompletedProcess[bytes]:
        environment: Dict[str, str] = {**os.environ, "HANDRAISE_URL": url, "HANDRAISE_TOKEN": token}
        return subprocess.run(
            [request.param, str(SCRIPT), *args], env=environment, capture_output=True, timeout=2 * PATIENCE
        )

    return run


HOSTILE = 'Which "port"?\n\tC:\\new $(id) `id` %s \N{CRAB} "state":"pending" "answer":{"text":"no"}'


@pytest.mark.parametrize("text", ["80", "", HOSTILE, "\r\n\b\f\x01\x1f\x7f/ \\u0041 \\\\n", "line\nline\n"])
def test_it_asks_waits_and_prints_the_answer(ask: Ask, desk: Desk, meanwhile: Meanwhile, text: str) -> None:
    asking = meanwhile(ask, HOSTILE)
    asked = desk.answer_next(text=text)
    done = asking.result(PATIENCE)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, text + "\n", b"")
    assert asked["prompt"] == HOSTILE
    assert desk.get(asked["id"])["collected_at"] is not None


def test_after_the_deadline_it_prints_the_fallback_or_fails(ask: Ask) -> None:
    for fallback in ("8080", ""):
        assert ask("Which port?", "1", fallback).stdout.decode() == f"{fallback}\n"
    nobody = ask("Which port?", "1")
    assert (nobody.returncode, nobody.stdout) == (1, b"")
    assert b'"outcome":"expired"' in nobody.stderr


def test_what_the_server_refuses_is_shown(ask: Ask) -> None:
    for refused, told in [(ask(" "), b"must not be empty"), (ask("Which?", token="hr_guess"), b"bad_token")]:
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert told in refused.stderr


def test_it_asks_for_no_approval(ask: Ask, server: Server, proxy_to: Callable[[Server], Proxy]) -> None:
    proxy = proxy_to(server)
    refused = ask("--kind", "approval", "May I?", url=proxy.url)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"handraise ask" in refused.stderr
    assert proxy.requests == []


def test_lost_replies_are_asked_for_again(
    ask: Ask, server: Server, desk: Desk, meanwhile: Meanwhile, proxy_to: Callable[[Server], Proxy]
) -> None:
    question = uuid.uuid4().hex
    proxy = proxy_to(server)
    proxy.lose_reply("POST /api/v1/interactions HTTP")
    proxy.forge_reply("GET /api/v1/interactions/", b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
    asking = meanwhile(ask, question, url=proxy.url)
    desk.answer_next(text="80")
    assert asking.result(PATIENCE).stdout == b"80\n"
    assert desk.count(question) == 1
