"""CrewAI: a tool waits for a person, who may change its arguments in a form. The model is scripted."""

import os
from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from handraise.adapters.crewai import approved

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")


class Scripted(BaseLLM):
    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        heard = [one["content"] for one in messages if one["role"] == "tool"]
        if heard:
            return f"The tool says: {heard[0]}"
        function = {"name": "pay", "arguments": '{"to": "Ana", "amount": 12.5}'}
        return [{"id": "call_1", "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        return True


@tool("pay")
def pay(to: str, amount: float) -> str:
    """Pays somebody."""
    return f"paid {amount} to {to}"


asked = approved(pay, prompt="Pay this?", amendable=True)
payer = Agent(role="payer", goal="pay", backstory="pays", llm=Scripted(model="scripted"), tools=[asked])
task = Task(description="Pay Ana her 12.50", expected_output="what the tool says", agent=payer)
print(Crew(agents=[payer], tasks=[task]).kickoff())
