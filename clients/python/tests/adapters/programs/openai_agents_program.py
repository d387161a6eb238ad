"""An agent of the OpenAI Agents SDK that pays."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from ledger import CALLS, SECRET, TERMS, keep, kept, pay, told
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from handraise.adapters.openai_agents import pause, resume, run

set_tracing_disabled(True)


class Scripted(Model):
    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        outputs = [one for one in input if isinstance(one, dict) and one.get("type") == "function_call_output"]
        if outputs:
            told({one["call_id"]: str(one["output"]) for one in outputs})
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output: Any = [
                ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            ]
        else:
            output = [
                ResponseFunctionToolCall(
                    call_id=c["id"],
                    name="pay",
                    arguments=json.dumps({"to": c["to"], "amount": c["amount"]}),
                    type="function_call",
                )
                for c in CALLS
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("nothing here streams")


async def main(mode: str) -> None:
    agent: Any = Agent(name="payer", model=Scripted(), tools=[function_tool(pay, needs_approval=True)])
    context = {"api_key": SECRET}
    if mode == "held":
        await run(agent, "Pay them", options={"context": context}, **TERMS)
        return
    if not kept("run"):
        keep("run", pause(await Runner.run(agent, "Pay them", context=context)))
    await resume(agent, kept("run"), context=context, **TERMS)


asyncio.run(main(sys.argv[1]))
