"""CrewAI: people approve the calls of an agent's tools, or what a step of a flow proposes.

    from handraise.adapters.crewai import Proposals, approved, approved_calls, resume, run

    agent = Agent(..., tools=[approved(pay)])                              # held: the tool waits

    class Paying(Flow):                                                    # durable, with `persistence`
        @start()
        @human_feedback(message="Pay?", provider=Proposals())
        def propose(self):                                                 # one call, or a list of them
            return {"tool": "pay", "arguments": {"to": "Ana", "amount": 1}}

        @listen(propose)
        def act(self, proposed):
            return [run(call, pay.run) for call in approved_calls(self, proposed)]

    Paying(persistence=kept).kickoff(inputs={"id": id})                    # asks, and ends
    await resume(Paying, id, kept)                                         # in any process: waits, goes on

CrewAI's tool hooks are not used: they let a call run when they fail, and have no words for a denial.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any, Callable, Dict, List, Optional

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

expect_version("crewai", (1, 15), (1, 16), "crewai")

from crewai.flow.async_feedback import HumanFeedbackPending  # noqa: E402
from crewai.tools import BaseTool  # noqa: E402
from pydantic import PrivateAttr  # noqa: E402


def approved(tool: BaseTool, client: Optional[Handraise] = None, **terms: Any) -> BaseTool:
    """A tool in this one's place, which asks before each call, waits, and then runs it."""
    if isinstance(tool, _Approved):
        raise HandraiseError(f"two adapters ask about {tool.name}: remove one of them")
    made = _Approved(
        name=tool.name,
        description=tool.description,
        args_schema=tool.args_schema,
        result_schema=tool.result_schema,
        result_as_answer=tool.result_as_answer,
        tool_failure_policy=tool.tool_failure_policy,
        # One that is answered out of the cache would be a denial for ever.
        cache_function=_never,
    )
    made._tool, made._client, made._terms = tool, client, Terms(**terms)
    return made


class _Approved(BaseTool):
    _tool: Any = PrivateAttr()
    _client: Any = PrivateAttr()
    _terms: Any = PrivateAttr()

    def _run(self, **arguments: Any) -> Any:
        exact = snapshot(arguments, "arguments")
        # CrewAI has no id for a call. None is needed: one that is held ends with its process.
        id = uuid.uuid4().hex
        schema = self.args_schema.model_json_schema()
        call = ToolCall(id, key_of_ids("crewai", id), self.name, exact, schema)
        with running(id, self.name):
            verdict = decide_one(self._terms, call, self._client)
            if verdict.arguments is None:
                return verdict.reason
            with reporting(verdict, self._client):
                return self._tool.run(**verdict.arguments)

    async def _arun(self, **arguments: Any) -> Any:
        return await asyncio.to_thread(self._run, **arguments)


class Proposals:
    """The ``provider`` of a step's ``human_feedback``. Asks about what the step returns, and ends the run."""

    def __init__(self, client: Optional[Handraise] = None, **terms: Any) -> None:
        if terms.get("amendable"):
            raise HandraiseError("the step says what is proposed and not what it takes, so no ask is amendable")
        self._client = client
        self._terms = Terms(**terms)

    def request_feedback(self, context: Any, flow: Any) -> str:
        """For CrewAI."""
        if flow.persistence is None:
            raise HandraiseError("the flow needs `persistence`: by it a proposal is known after a restart")
        calls = _calls_of(context.flow_id, context.method_output)
        asked = [open_one(self._terms, call, self._client) for call in calls]
        raise HumanFeedbackPending(context=context, callback_info={"handraise": asked})


def approved_calls(flow: Any, proposed: Any, client: Optional[Handraise] = None, **terms: Any) -> List[Verdict]:
    """What became of each proposed call, in their order, with the options of its `Proposals`. Each is used up here."""
    own = Terms(**terms)
    return [decide_one(own, call, client) for call in _calls_of(flow.flow_id, proposed.output)]


def run(call: Verdict, function: Callable[..., Any], client: Optional[Handraise] = None) -> Any:
    """Runs it with what was approved, and reports what came of it; what the model is told, where it may not run."""
    if call.arguments is None:
        return call.reason
    with reporting(call, client):
        return function(**call.arguments)


async def resume(flow: Any, id: str, persistence: Any, client: Optional[AsyncHandraise] = None, **terms: Any) -> Any:
    """Waits for the answers to what a flow (its class) of this id has proposed, and goes on."""
    restored = flow.from_pending(id, persistence)
    own = client or AsyncHandraise()
    try:
        calls = _calls_of(id, restored.pending_feedback.method_output)
        asked = await asyncio.gather(*(own.carry_out(Terms(**terms).opened(own.calls, call)) for call in calls))
        await asyncio.gather(*(own.wait(one.id) for one in asked))
    finally:
        if client is None:
            await own.close()
    # What counts is looked at by `approved_calls`: these words are CrewAI's, which a person may write as well.
    return await restored.resume_async("answered")


def _calls_of(flow_id: str, proposed: Any) -> List[ToolCall]:
    listed = proposed if isinstance(proposed, list) else [proposed]
    calls = [_call_of(flow_id, one) for one in listed]
    expect_told_apart(calls)
    return calls


def _call_of(flow_id: str, proposed: Any) -> ToolCall:
    if not isinstance(proposed, dict) or set(proposed) - {"id"} != {"tool", "arguments"}:
        raise HandraiseError("a step proposes {'tool': ..., 'arguments': {...}}, with an 'id' where two are the same")
    tool: str = proposed["tool"]
    exact: Dict[str, Any] = snapshot(proposed["arguments"], "arguments")
    id = str(proposed.get("id") or action_digest(tool, exact))
    return ToolCall(id, key_of_ids("crewai", flow_id, id, tool), tool, exact)


def _never(_arguments: Any = None, _result: Any = None) -> bool:
    return False
