"""The caller's trace goes along with what it asks, where OpenTelemetry is in use."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any, Iterator, Optional

import pytest
from opentelemetry import trace
from serving import Server
from test_flows import Script

from handraise import AsyncHandraise, Handraise
from handraise.exchange import Request

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def span() -> Iterator[None]:
    place = trace.SpanContext(
        trace_id=0x4BF92F3577B34DA6A3CE929D0E0E4736,
        span_id=0x00F067AA0BA902B7,
        is_remote=False,
        trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
    )
    with trace.use_span(trace.NonRecordingSpan(place)):
        yield


def opening() -> Request:
    script = Script()
    return script.begin(script.calls.ask("Which port?"))


@pytest.mark.usefixtures("span")
def test_the_place_in_the_trace_goes_along() -> None:
    assert opening().headers["traceparent"] == TRACE


def test_without_a_span_nothing_does() -> None:
    assert "traceparent" not in opening().headers


@pytest.mark.usefixtures("span")
@pytest.mark.parametrize("api", [None, SimpleNamespace(), SimpleNamespace(get_current_span=lambda: None)])
def test_an_api_that_is_not_there_or_another_keeps_nobody_from_asking(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", api)
    assert "traceparent" not in opening().headers


@pytest.mark.usefixtures("span")
def test_the_server_gives_it_back(server: Server) -> None:
    with Handraise(server.url, server.token("agent", "traced")) as client:
        asked = client.open("question", "Which port?")
        assert asked.traceparent == TRACE
        assert client.get(asked.id).traceparent == TRACE


@pytest.mark.usefixtures("span")
def test_the_task_that_asks_is_in_its_own_trace(server: Server) -> None:
    async def ask() -> Optional[str]:
        async with AsyncHandraise(server.url, server.token("agent", "traced-too")) as client:
            return (await client.open("question", "Which port?")).traceparent

    assert asyncio.run(ask()) == TRACE
