"""LangGraph: a node asks people before it acts, in place or with an interrupt.

    from handraise.adapters.langgraph import approved, resume

    def pay(state):
        arguments = approved("bank.pay", {"to": state["to"], "amount": state["amount"]}, durable=True)
        return {"receipt": bank.pay(**arguments)}

`approved` runs inside a node, in a graph with a checkpointer. With ``durable`` the graph stops at an interrupt, which
names the interaction, and the process may end; `resume` goes on with exactly the answers, by the interrupts' ids.
"""

from __future__ import annotations

import asyncio
from typing import Any, Dict, Mapping, Optional

from ..canonical import action_digest, snapshot
from ..client import AsyncHandraise, Handraise
from ..errors import HandraiseError
from .tool_calls import Terms, ToolCall, Verdict, decide_one, expect_version, key_of_ids, open_one, running

expect_version("langgraph", (1, 2), (2,), "langgraph")

from langgraph.config import get_config  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402


class NotApproved(HandraiseError):
    """A node may not act. Its text is what a model may be told."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict


def approved(
    tool: str,
    arguments: Mapping[str, Any],
    *,
    call_id: Optional[str] = None,
    schema: Optional[Mapping[str, Any]] = None,
    durable: bool = False,
    client: Optional[Handraise] = None,
    **terms: Any,
) -> Dict[str, Any]:
    """What to run it with, once a person has approved it; raises `NotApproved`.

    ``call_id`` tells two equal calls of one node apart. ``schema`` is the JSON Schema of the arguments, for
    ``amendable=True``. The other options are those of `handraise.Options` and ``prompt``.
    """
    exact = snapshot(dict(arguments), "arguments")
    call = call_of(get_config(), call_id or action_digest(tool, exact), tool, exact, schema)
    with running(call.key, tool):
        verdict = decide(Terms(**terms), call, durable, client)
    if verdict.arguments is None:
        raise NotApproved(verdict)
    return verdict.arguments


def call_of(
    config: Mapping[str, Any], id: str, tool: str, arguments: Dict[str, Any], schema: Optional[Mapping[str, Any]]
) -> ToolCall:
    """A call by the thread, the task of this step, which stays the same when it runs again, and its own id."""
    named = config.get("configurable", {})
    if not named.get("thread_id"):
        raise HandraiseError("the graph needs a checkpointer and a thread_id: by it a call is known after a restart")
    key = key_of_ids("langgraph", str(named["thread_id"]), str(named.get("checkpoint_ns", "")), id)
    return ToolCall(id, key, tool, arguments, schema)


def decide(terms: Terms, call: ToolCall, durable: bool, client: Optional[Handraise]) -> Verdict:
    """Waits here, or lets the graph stop until it is resumed."""
    if durable:
        asked = open_one(terms, call, client)
        given = interrupt({"handraise": asked, "tool": call.tool, "arguments": call.arguments})
        if given != {"handraise": asked}:
            raise HandraiseError(f"this resumes another call than that of {asked}: use `resume`, which goes by ids")
    return decide_one(terms, call, client)


async def resume(graph: Any, config: Any, client: Optional[AsyncHandraise] = None, **more: Any) -> Any:
    """Waits for the answers that a stopped thread needs, and goes on with it. Where a process was killed before its
    thread had stopped, it first goes on to there. ``more`` goes to ``graph.ainvoke``.
    """
    state = await graph.aget_state(config)
    if not state.interrupts and state.next:
        await graph.ainvoke(None, config, **more)
        state = await graph.aget_state(config)
    asked = {one.id: _asked_by(one) for one in state.interrupts}
    if not asked:
        return state.values
    own = client or AsyncHandraise()
    try:
        await asyncio.gather(*map(own.wait, asked.values()))
    finally:
        if client is None:
            await own.close()
    answers = {id: {"handraise": interaction} for id, interaction in asked.items()}
    return await graph.ainvoke(Command(resume=answers), config, **more)


def _asked_by(one: Any) -> str:
    value = one.value
    if isinstance(value, dict) and isinstance(value.get("handraise"), str):
        return str(value["handraise"])
    named = isinstance(value, dict) and ("action_requests" in value or value.get("type") == "tool_approval")
    also = ": HumanInTheLoopMiddleware asks as well, remove it" if named else ""
    raise HandraiseError(f"the interrupt {one.id} is not one of Handraise{also}")
