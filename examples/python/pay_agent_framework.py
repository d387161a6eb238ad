"""Microsoft Agent Framework: a tool waits for a person, who may change its arguments. The model is scripted."""

import asyncio
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message, tool
from handraise.adapters.agent_framework import ApprovalMiddleware


class Scripted(FunctionInvocationLayer, BaseChatClient):  # type: ignore[misc,type-arg]
    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> Any:
        return self._said(messages)

    async def _said(self, messages: Any) -> ChatResponse:
        heard = [one.result for message in messages for one in message.contents if one.type == "function_result"]
        call = Content.from_function_call("call_1", "pay", arguments={"to": "Ana", "amount": 12.5})
        said = Content.from_text(f"The tool says: {heard}") if heard else call
        return ChatResponse(messages=[Message(role="assistant", contents=[said])])


@tool(approval_mode="never_require")
def pay(to: str, amount: float) -> str:
    """Pays somebody."""
    return f"paid {amount} to {to}"


async def main() -> None:
    asks = ApprovalMiddleware("pay", prompt="Pay this?", amendable=True)
    agent: Any = Agent(client=Scripted(), tools=[pay], middleware=[asks])
    print((await agent.run("Pay Ana her 12.50", session=agent.create_session())).text)


asyncio.run(main())
