"""LangChain: a middleware that has people approve the calls of tools, in place or with an interrupt for each.

    from handraise.adapters.langchain import ApprovalMiddleware, resume

    agent = create_agent(model, tools=[pay], middleware=[ApprovalMiddleware("pay", durable=True)], checkpointer=saver)

In place of LangChain's own HumanInTheLoopMiddleware: two would ask twice. The approval is used up as the tool begins,
so a tools node that runs again after a crash does not run it a second time.
"""

from __future__ import annotations

from typing import Any, Optional

from ..client import Handraise
from ..errors import HandraiseError
from .langgraph import call_of, decide, resume
from .outcomes import report_one
from .tool_calls import Terms, Verdict, expect_version, running

expect_version("langchain", (1, 2), (2,), "langchain")

import asyncio  # noqa: E402

from langchain.agents.middleware import AgentMiddleware  # noqa: E402
from langchain_core.messages import ToolMessage  # noqa: E402
from langgraph.errors import GraphBubbleUp  # noqa: E402

__all__ = ["ApprovalMiddleware", "resume"]


class ApprovalMiddleware(AgentMiddleware):
    """``tools`` are the names of those that people approve; none named: all."""

    def __init__(self, *tools: str, durable: bool = False, client: Optional[Handraise] = None, **terms: Any) -> None:
        super().__init__()
        self._names = frozenset(tools)
        self._durable = durable
        self._client = client
        self._terms = Terms(**terms)

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """For ``invoke``."""
        if not self._asks_about(request):
            return handler(request)
        with running(request.tool_call["id"], request.tool_call["name"]):
            verdict = self._decide(request)
            if not verdict:
                return _told(request, verdict)
            try:
                result = handler(_changed(request, verdict))
            except GraphBubbleUp:
                # It goes on later, or elsewhere: nothing has come of it yet.
                raise
            except Exception as error:
                report_one(verdict, error, self._client)
                raise
            report_one(verdict, _failure_in(result), self._client)
            return result

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        """For ``ainvoke``."""
        if not self._asks_about(request):
            return await handler(request)
        with running(request.tool_call["id"], request.tool_call["name"]):
            verdict = await asyncio.to_thread(self._decide, request)
            if not verdict:
                return _told(request, verdict)
            try:
                result = await handler(_changed(request, verdict))
            except GraphBubbleUp:
                raise
            except Exception as error:
                await asyncio.to_thread(report_one, verdict, error, self._client)
                raise
            await asyncio.to_thread(report_one, verdict, _failure_in(result), self._client)
            return result

    def _asks_about(self, request: Any) -> bool:
        return not self._names or request.tool_call["name"] in self._names

    def _decide(self, request: Any) -> Verdict:
        made = request.tool_call
        if not made["id"]:
            raise HandraiseError(f"the model's call of {made['name']} has no id, so no answer can be told to be its")
        schema = None if request.tool is None else _schema_of(request.tool)
        call = call_of(request.runtime.config, made["id"], made["name"], made["args"], schema)
        return decide(self._terms, call, self._durable, self._client)


def _schema_of(tool: Any) -> Any:
    found = tool.tool_call_schema
    return found if isinstance(found, dict) else found.model_json_schema()


def _failure_in(result: Any) -> Optional[str]:
    """LangChain may have made a message of what the tool raised."""
    return "the tool failed" if isinstance(result, ToolMessage) and result.status == "error" else None


def _changed(request: Any, verdict: Verdict) -> Any:
    return request.override(tool_call={**request.tool_call, "args": verdict.arguments})


def _told(request: Any, verdict: Verdict) -> ToolMessage:
    made = request.tool_call
    return ToolMessage(verdict.reason, tool_call_id=made["id"], name=made["name"], status="error")
