"""Pydantic AI: a tool waits for a person, who may change its arguments in a form. The model is scripted."""

from typing import List

from handraise.adapters.pydantic_ai import approvals
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def scripted(messages: List[ModelMessage], info: AgentInfo) -> ModelResponse:
    last = messages[-1].parts[0]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(f"The tool says: {last.content}")])
    return ModelResponse(parts=[ToolCallPart("pay", {"to": "Ana", "amount": 12.5})])


agent = Agent(FunctionModel(scripted), capabilities=[approvals(prompt="Pay this?", amendable=True)])


@agent.tool_plain(requires_approval=True)
def pay(to: str, amount: float) -> str:
    """Pays somebody."""
    return f"paid {amount} to {to}"


print(agent.run_sync("Pay Ana her 12.50").output)
