"""An agent of the Microsoft Agent Framework that pays."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from ledger import CALLS, SECRET, TERMS, keep, kept, pay, told

from handraise.adapters.agent_framework import ApprovalMiddleware, pause, resume


class Scripted(FunctionInvocationLayer, BaseChatClient):  # type: ignore[misc,type-arg]
    async def _answer(self, messages: Any) -> ChatResponse:
        found = [one for message in messages for one in message.contents if one.type == "function_result"]
        if found:
            told({one.call_id: str(one.result) for one in found})
            said = [Content.from_text("done")]
        else:
            said = [
                Content.from_function_call(c["id"], "pay", arguments={"to": c["to"], "amount": c["amount"]})
                for c in CALLS
            ]
        return ChatResponse(messages=[Message(role="assistant", contents=said)])

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> Any:
        return self._answer(messages)


async def main(mode: str) -> None:
    held = mode == "held"
    paying = tool(pay, approval_mode="never_require" if held else "always_require")
    middleware: Any = [ApprovalMiddleware("pay", **TERMS)] if held else []
    agent: Any = Agent(client=Scripted(), tools=[paying], middleware=middleware)
    session = agent.create_session()
    if held:
        await agent.run("Pay them", session=session, function_invocation_kwargs={"api_key": SECRET})
        return
    if not kept("run"):
        keep("run", pause(await agent.run("Pay them", session=session), session))
    await resume(agent, kept("run"), **TERMS)


asyncio.run(main(sys.argv[1]))
