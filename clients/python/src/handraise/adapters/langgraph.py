"""LangGraph: a node asks people before it acts, in place or with an interrupt.

    from handraise.adapters.langgraph import approved, approving, resume, stop_for

    def pay(state):
        with approving("bank.pay", {"to": state["to"], "amount": state["amount"]}, durable=True) as arguments:
            return {"receipt": bank.pay(**arguments)}             # done or failed is reported

    def call_tools(state):                                        # a node that runs all calls of a model's message
        calls = state["messages"][-1].tool_calls
        stop_for(calls)                                           # durable: asks about all, and stops once
        return {"messages": [run(one["name"], approved(one["name"], one["args"], call_id=one["id"])) for one in calls]}

They run inside a node, in a graph with a checkpointer, and block: an async node calls them by ``asyncio.to_thread``.
With ``durable`` the graph stops at an interrupt, which names the interactions, and the process may end; `resume` goes
on with exactly the answers, by the interrupts' ids. What may not run raises `NotApproved`, whose text is for the model.
`approved` is `approving` where the run is not to be reported.
"""

from __future__ import annotations

import asyncio
import contextvars
from contextlib import contextmanager
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Union

from ..canonical import action_digest, snapshot
from ..client import AsyncHandraise, Handraise
from ..errors import HandraiseError
from .outcomes import reporting
from .tool_calls import (
    Terms,
    ToolCall,
    Verdict,
    decide_one,
    expect_told_apart,
    expect_version,
    key_of_ids,
    open_one,
    running,
)

expect_version("langgraph", (1, 2), (2,), "langgraph")

from langgraph.config import get_config  # noqa: E402
from langgraph.errors import GraphBubbleUp  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402

_gone_on: contextvars.ContextVar[FrozenSet[str]] = contextvars.ContextVar("handraise_gone_on", default=frozenset())
"""The tasks of the graph that have used up a durable approval in this run of theirs."""


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
    call = _call_now(tool, arguments, call_id, schema)
    with running(call.key, tool):
        verdict = _decide_once(Terms(**terms), call, durable, client)
    if verdict.arguments is None:
        raise NotApproved(verdict)
    return verdict.arguments


@contextmanager
def approving(
    tool: str,
    arguments: Mapping[str, Any],
    *,
    call_id: Optional[str] = None,
    schema: Optional[Mapping[str, Any]] = None,
    durable: bool = False,
    client: Optional[Handraise] = None,
    **terms: Any,
) -> Iterator[Dict[str, Any]]:
    """`approved`, around what is approved: that it ended, or raised, is reported."""
    call = _call_now(tool, arguments, call_id, schema)
    with running(call.key, tool):
        verdict = _decide_once(Terms(**terms), call, durable, client)
        if verdict.arguments is None:
            raise NotApproved(verdict)
        with reporting(verdict, client, (GraphBubbleUp,)):
            yield verdict.arguments


def stop_for(calls: Sequence[Mapping[str, Any]], *, client: Optional[Handraise] = None, **terms: Any) -> None:
    """Asks about all ``calls`` of a message, and stops the graph until all are answered. Each has ``id``, ``name``,
    ``args``, and ``schema`` for ``amendable=True``.

    A node begins anew each time it is resumed, so one that stopped for one call after the other would run the first
    again. `approved`, with the same ``call_id`` and options and without ``durable``, then has each answer.
    """
    made = [_call_now(one["name"], one["args"], one["id"], one.get("schema")) for one in calls]
    expect_told_apart(made)
    if made:
        own = Terms(**terms)
        _stop_until([open_one(own, call, client) for call in made], {"calls": [dict(one) for one in calls]})


def _call_now(
    tool: str, arguments: Mapping[str, Any], id: Optional[str], schema: Optional[Mapping[str, Any]]
) -> ToolCall:
    exact = snapshot(dict(arguments), "arguments")
    return call_of(get_config(), id or action_digest(tool, exact), tool, exact, schema)


def _decide_once(terms: Terms, call: ToolCall, durable: bool, client: Optional[Handraise]) -> Verdict:
    if not durable:
        return decide(terms, call, False, client)
    task = str(get_config().get("configurable", {}).get("checkpoint_ns", ""))
    if task in _gone_on.get():
        raise HandraiseError(
            f"this node has used up a durable approval and asks about {call.tool} as well: resumed, it would begin "
            "anew and run the first again. Call `stop_for` with all calls first, or use a node for each"
        )
    verdict = decide(terms, call, True, client)
    if verdict:
        _gone_on.set(_gone_on.get() | {task})
    return verdict


def call_of(
    config: Mapping[str, Any], id: str, tool: str, arguments: Dict[str, Any], schema: Optional[Mapping[str, Any]]
) -> ToolCall:
    """A call by the thread, the task of this step, which stays the same when it runs again, and its own id."""
    named = config.get("configurable", {})
    if not named.get("thread_id"):
        raise HandraiseError(
            "the graph needs a checkpointer and a thread_id: by it a call is known after a restart. To begin with, "
            "checkpointer=InMemorySaver(), and {'configurable': {'thread_id': '1'}} as the second argument of invoke"
        )
    key = key_of_ids("langgraph", str(named["thread_id"]), str(named.get("checkpoint_ns", "")), id)
    return ToolCall(id, key, tool, arguments, schema)


def decide(terms: Terms, call: ToolCall, durable: bool, client: Optional[Handraise]) -> Verdict:
    """Waits here, or lets the graph stop until it is resumed."""
    if durable:
        _stop_until(open_one(terms, call, client), {"tool": call.tool, "arguments": call.arguments})
    return decide_one(terms, call, client)


def _stop_until(asked: Union[str, List[str]], about: Dict[str, Any]) -> None:
    if interrupt({"handraise": asked, **about}) != {"handraise": asked}:
        raise HandraiseError(f"this resumes other calls than those of {asked}: use `resume`, which goes by ids")


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
        await asyncio.gather(*(own.wait(one) for named in asked.values() for one in _listed(named)))
    finally:
        if client is None:
            await own.close()
    answers = {id: {"handraise": interactions} for id, interactions in asked.items()}
    return await graph.ainvoke(Command(resume=answers), config, **more)


def _listed(asked: Union[str, List[str]]) -> List[str]:
    return [asked] if isinstance(asked, str) else asked


def _asked_by(one: Any) -> Union[str, List[str]]:
    value = one.value
    asked = value.get("handraise") if isinstance(value, dict) else None
    if isinstance(asked, (str, list)):
        return asked
    named = isinstance(value, dict) and ("action_requests" in value or value.get("type") == "tool_approval")
    also = ": HumanInTheLoopMiddleware asks as well, remove it" if named else ""
    raise HandraiseError(f"the interrupt {one.id} is not one of Handraise{also}")
