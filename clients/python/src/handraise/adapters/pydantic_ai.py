"""Pydantic AI: people approve the calls of tools that have ``requires_approval``.

from handraise.adapters.pydantic_ai import approvals, pause, resume

agent = Agent(model, capabilities=[approvals()])                      # held: waits within the run
agent = Agent(model, output_type=[str, DeferredToolRequests])         # durable: the run ends
saved = pause(await agent.run("Pay Ana"))                             # bytes, to be kept
result = await resume(agent, saved)                                   # in any process: asks once, waits, goes on
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ..client import AsyncHandraise
from ..errors import HandraiseError
from .outcomes import reporting_async
from .tool_calls import Terms, ToolCall, Verdict, decide_all, expect_version, key_of_ids, open_all, running

expect_version("pydantic-ai-slim", (2, 60), (3,), "pydantic-ai")

from pydantic import TypeAdapter  # noqa: E402
from pydantic_ai.capabilities import AbstractCapability, HandleDeferredToolCalls  # noqa: E402
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred  # noqa: E402
from pydantic_ai.messages import ModelMessage  # noqa: E402
from pydantic_ai.tools import (  # noqa: E402
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolApproved,
    ToolDenied,
)

_SAVED: Any = TypeAdapter(Dict[str, Any])
_MESSAGES: Any = TypeAdapter(List[ModelMessage])
_REQUESTS: Any = TypeAdapter(DeferredToolRequests)


def approvals(client: Optional[AsyncHandraise] = None, **terms: Any) -> HandleDeferredToolCalls[Any]:
    """The capability that asks and waits. What is not to be approved is left to others."""
    own = Terms(**terms)
    made: Dict[str, Verdict] = {}

    async def handle(ctx: RunContext[Any], requests: DeferredToolRequests) -> Optional[DeferredToolResults]:
        if not requests.approvals:
            return None
        schemas = {name: tool.parameters_json_schema for name, tool in ctx.tools.items()}
        calls = _calls_of(requests, f"{ctx.conversation_id} {ctx.run_id}", schemas)
        verdicts = await decide_all(own, calls, client)
        made.update({f"{ctx.run_id} {id}": verdict for id, verdict in verdicts.items()})
        return requests.build_results(approvals=_results(verdicts))

    return _Approvals(handler=handle, made=made, client=client)


@dataclass
class _Reports(AbstractCapability[Any]):
    """Says what came of the calls that were approved."""

    made: Dict[str, Verdict]
    """By the framework's id of the call, with that of its run before it where there may be several runs."""
    client: Optional[AsyncHandraise]

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """For Pydantic AI."""
        id = call.tool_call_id
        verdict = self.made.pop(f"{ctx.run_id} {id}", None) or self.made.pop(id, None)
        if not verdict:
            return await handler(args)
        with running(f"{ctx.run_id} {id}", call.tool_name):
            async with reporting_async(verdict, self.client, (CallDeferred, ApprovalRequired)):
                return await handler(args)


@dataclass
class _Approvals(_Reports, HandleDeferredToolCalls[Any]):
    """`_Reports`, and asks."""


def pause(result: Any) -> bytes:
    """What a run that has stopped for approvals needs to go on: its messages and requests, none of its ``deps``."""
    if not isinstance(result.output, DeferredToolRequests):
        raise HandraiseError("this run has not stopped for approvals: give the agent DeferredToolRequests as an output")
    saved = {
        "run": f"{result.conversation_id} {result.run_id}",
        "messages": _MESSAGES.dump_python(result.all_messages(), mode="json"),
        "requests": _REQUESTS.dump_python(result.output, mode="json"),
    }
    kept: bytes = _SAVED.dump_json(saved)
    return kept


async def ask(saved: bytes, client: Optional[AsyncHandraise] = None, **terms: Any) -> Dict[str, str]:
    """Asks, and waits for no answer: the interactions' ids, by tool call."""
    _, calls, _ = _loaded(saved)
    return await open_all(Terms(**terms), calls, client)


async def resume(
    agent: Any, saved: bytes, client: Optional[AsyncHandraise] = None, run: Any = None, **terms: Any
) -> Any:
    """Asks what was not asked yet, waits, and goes on. ``run`` is a ``dict`` for ``agent.run``, as of ``deps``;
    ``terms`` are those of `ask`, if that was called before.
    """
    requests, calls, messages = _loaded(saved)
    verdicts = await decide_all(Terms(**terms), calls, client)
    given = dict(run or {})
    given["capabilities"] = [*(given.get("capabilities") or ()), _Reports(verdicts, client)]
    results = requests.build_results(approvals=_results(verdicts))
    return await agent.run(message_history=messages, deferred_tool_results=results, **given)


def _loaded(saved: bytes) -> Any:
    kept = _SAVED.validate_json(saved)
    requests = _REQUESTS.validate_python(kept["requests"])
    if requests.calls:
        raise HandraiseError("this run also waits for tools that run elsewhere: their results are not Handraise's")
    # A schema would be of another version of the program: what runs is checked by the tool all the same.
    return requests, _calls_of(requests, kept["run"], {}), _MESSAGES.validate_python(kept["messages"])


def _calls_of(requests: DeferredToolRequests, run: str, schemas: Dict[str, Any]) -> List[ToolCall]:
    return [
        ToolCall(
            one.tool_call_id,
            key_of_ids("pydantic-ai", run, one.tool_call_id),
            one.tool_name,
            one.args_as_dict(),
            schemas.get(one.tool_name),
        )
        for one in requests.approvals
    ]


def _results(verdicts: Dict[str, Verdict]) -> Dict[str, Any]:
    return {
        id: ToolApproved(override_args=verdict.arguments) if verdict else ToolDenied(verdict.reason)
        for id, verdict in verdicts.items()
    }
