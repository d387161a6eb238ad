"""LangChain: a tool waits for a person, who may change its arguments in a form. The model is scripted."""

import uuid
from typing import Any, List

from handraise.adapters.langchain import ApprovalMiddleware
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver


class Scripted(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: List[Any], *args: Any, **kwargs: Any) -> ChatResult:
        if isinstance(messages[-1], ToolMessage):
            said = AIMessage(f"The tool says: {messages[-1].content}")
        else:
            said = AIMessage("", tool_calls=[{"id": "call_1", "name": "pay", "args": {"to": "Ana", "amount": 12.5}}])
        return ChatResult(generations=[ChatGeneration(message=said)])


def pay(to: str, amount: float) -> str:
    """Pays somebody."""
    return f"paid {amount} to {to}"


asks = ApprovalMiddleware("pay", prompt="Pay this?", amendable=True)
agent = create_agent(Scripted(), tools=[pay], middleware=[asks], checkpointer=InMemorySaver())
thread: Any = {"configurable": {"thread_id": f"example-{uuid.uuid4()}"}}
result = agent.invoke({"messages": [("user", "Pay Ana her 12.50")]}, thread)
print(result["messages"][-1].content)
