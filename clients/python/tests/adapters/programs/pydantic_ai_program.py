"""An agent of Pydantic AI that pays."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, List

from ledger import CALLS, SECRET, TERMS, keep, kept, pay, told
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import DeferredToolRequests, Tool

from handraise.adapters.pydantic_ai import approvals, pause, resume


def scripted(messages: List[ModelMessage], info: AgentInfo) -> ModelResponse:
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    if parts:
        told({part.tool_call_id: str(part.content) for part in parts})
        return ModelResponse(parts=[TextPart("done")])
    return ModelResponse(
        parts=[ToolCallPart("pay", {"to": c["to"], "amount": c["amount"]}, tool_call_id=c["id"]) for c in CALLS]
    )


async def main(mode: str) -> None:
    tools: Any = [Tool(pay, requires_approval=True)]
    if mode == "held":
        await Agent(FunctionModel(scripted), tools=tools, deps_type=str, capabilities=[approvals(**TERMS)]).run(
            "Pay them", deps=SECRET
        )
        return
    agent = Agent(FunctionModel(scripted), tools=tools, deps_type=str, output_type=[str, DeferredToolRequests])
    if not kept("run"):
        keep("run", pause(await agent.run("Pay them", deps=SECRET)).decode())
    await resume(agent, kept("run").encode(), run={"deps": SECRET}, **TERMS)


asyncio.run(main(sys.argv[1]))
