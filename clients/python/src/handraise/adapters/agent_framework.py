"""Microsoft Agent Framework: people approve the calls of tools.

    from handraise.adapters.agent_framework import ApprovalMiddleware, pause, resume

    agent = Agent(client=model, tools=[pay], middleware=[ApprovalMiddleware("pay")])     # held: "never_require"

    response = await agent.run("Pay Ana", session=session)       # durable: tools with approval_mode="always_require"
    saved = pause(response, session)                             # text, to be kept
    response, session = await resume(agent, saved)               # in any process: asks once, waits, goes on

Held, the tools have approval_mode="never_require": with "always_require" the framework stops before any middleware, and
its response is empty until it is resumed. Arguments can be changed by the middleware only: an approved call of this
framework runs with the model's.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

from ..asked import AskedTwice
from ..client import AsyncHandraise
from ..errors import HandraiseError
from .outcomes import reporting_async
from .tool_calls import Terms, ToolCall, Verdict, decide_all, expect_version, key_of_ids, open_all, running

expect_version("agent-framework-core", (1, 15), (2,), "agent-framework")

from agent_framework import AgentSession, Content, FunctionMiddleware, Message, MiddlewareFailure  # noqa: E402


class ApprovalMiddleware(FunctionMiddleware):
    """``tools`` are the names of those that people approve; none named: all."""

    def __init__(self, *tools: str, client: Optional[AsyncHandraise] = None, **terms: Any) -> None:
        self._names = frozenset(tools)
        self._client = client
        self._terms = Terms(**terms)

    async def process(self, context: Any, call_next: Any) -> None:
        """Waits, and runs the tool with what was approved."""
        if self._names and context.function.name not in self._names:
            return await call_next()
        id = str(context.metadata["call_id"])
        run = context.session.session_id if context.session else ""
        occurrence = str(context.metadata.get("function_call_occurrence_id", ""))
        given = context.arguments
        arguments = dict(given) if isinstance(given, dict) else given.model_dump(mode="json")
        key = key_of_ids("agent-framework", run, id, occurrence)
        call = ToolCall(id, key, context.function.name, arguments, context.function.parameters())
        try:
            with running(id, call.tool):
                verdict = (await decide_all(self._terms, [call], self._client))[id]
                if verdict:
                    context.arguments = verdict.arguments
                    async with reporting_async(verdict, self._client):
                        return await call_next()
        except HandraiseError as fault:
            # Any other exception would be told to the model as the tool's.
            raise MiddlewareFailure(str(fault)) from fault
        context.result = verdict.reason
        return None


class _Reports(FunctionMiddleware):
    """Says what came of the calls that were approved."""

    def __init__(self, verdicts: Dict[str, Verdict], client: Optional[AsyncHandraise]) -> None:
        self._verdicts = verdicts
        self._client = client

    async def process(self, context: Any, call_next: Any) -> None:
        """For the framework."""
        answered = context.metadata.get("approval_response")
        verdict = self._verdicts.pop(answered.id, None) if answered is not None else None
        if not verdict:
            return await call_next()
        try:
            with running(answered.id, context.function.name):
                async with reporting_async(verdict, self._client):
                    return await call_next()
        except AskedTwice as fault:
            raise MiddlewareFailure(str(fault)) from fault


def pause(response: Any, session: Any) -> str:
    """What a run that has stopped for approvals needs to go on: its session and requests."""
    requests = [one.to_dict() for one in response.user_input_requests if one.type == "function_approval_request"]
    if not requests:
        raise HandraiseError("this run has not stopped for approvals")
    return json.dumps({"session": session.to_dict(), "requests": requests})


async def ask(saved: str, client: Optional[AsyncHandraise] = None, **terms: Any) -> Dict[str, str]:
    """Asks, and waits for no answer: the interactions' ids, by request."""
    session, requests = _loaded(saved)
    return await open_all(_terms(terms), _calls_of(session, requests), client)


async def resume(agent: Any, saved: str, client: Optional[AsyncHandraise] = None, **terms: Any) -> Tuple[Any, Any]:
    """Asks what was not asked yet, waits, and goes on. Returns the response and the session."""
    session, requests = _loaded(saved)
    verdicts = await decide_all(_terms(terms), _calls_of(session, requests), client)
    contents: List[Any] = [one.to_function_approval_response(bool(verdicts[one.id])) for one in requests]
    reasons = [verdicts[one.id].reason for one in requests if not verdicts[one.id]]
    # The framework tells the model of a denial and has no place for its reason.
    contents += [Content.from_text(reason) for reason in reasons]
    reports = _Reports(verdicts, client)
    return await agent.run(Message(role="user", contents=contents), session=session, middleware=[reports]), session


def _terms(terms: Dict[str, Any]) -> Terms:
    if terms.get("amendable"):
        raise HandraiseError("a call that this framework has stopped for runs with the model's arguments only")
    return Terms(**terms)


def _loaded(saved: str) -> Any:
    kept = json.loads(saved)
    return AgentSession.from_dict(kept["session"]), [Content.from_dict(one) for one in kept["requests"]]


def _calls_of(session: Any, requests: List[Any]) -> List[ToolCall]:
    return [
        ToolCall(
            one.id,
            key_of_ids("agent-framework", session.session_id, one.id),
            one.function_call.name,
            one.function_call.parse_arguments() or {},
        )
        for one in requests
    ]
