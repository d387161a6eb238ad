"""An agent of CrewAI that pays, and a flow that does."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback
from crewai.flow.persistence import SQLiteFlowPersistence
from crewai.tools import tool
from ledger import CALLS, FOLDER, SECRET, TERMS, told
from ledger import pay as paid

from handraise.adapters.crewai import Proposals, approved, approved_calls, resume, run


@tool("pay")
def pay(to: str, amount: int) -> str:
    """Pays somebody."""
    return paid(to, amount)


class Scripted(BaseLLM):
    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        heard = {one["tool_call_id"]: str(one["content"]) for one in messages if one["role"] == "tool"}
        if heard:
            told(heard)
            return "done"
        return [
            {
                "id": c["id"],
                "type": "function",
                "function": {"name": "pay", "arguments": json.dumps({"to": c["to"], "amount": c["amount"]})},
            }
            for c in CALLS
        ]

    def supports_function_calling(self) -> bool:
        return True


def hold() -> None:
    agent = Agent(
        role="payer", goal="pay", backstory="pays", llm=Scripted(model="scripted"), tools=[approved(pay, **TERMS)]
    )
    task = Task(description="Pay them", expected_output="done", agent=agent)
    Crew(agents=[agent], tasks=[task]).kickoff(inputs={"api_key": SECRET})


def go_on() -> None:
    class Paying(Flow):  # type: ignore[type-arg]
        @start()
        @human_feedback(message="May this be paid?", provider=Proposals(**TERMS))
        def propose(self) -> Any:
            return [{"id": c["id"], "tool": "pay", "arguments": {"to": c["to"], "amount": c["amount"]}} for c in CALLS]

        @listen(propose)
        def act(self, proposed: Any) -> None:
            decided = zip(CALLS, approved_calls(self, proposed, **TERMS))
            told({c["id"]: run(one, pay.run) for c, one in decided})

    persistence = SQLiteFlowPersistence(str(FOLDER / "flow.db"))
    id = FOLDER.name
    if persistence.load_pending_feedback(id) is None:
        Paying(persistence=persistence).kickoff(inputs={"id": id, "api_key": SECRET})
    asyncio.run(resume(Paying, id, persistence, **TERMS))


hold() if sys.argv[1] == "held" else go_on()
