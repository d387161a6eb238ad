"""OpenAI Agents SDK: a run stops, is kept as text, and goes on when a person has answered. The model is scripted."""

import asyncio
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from handraise.adapters.openai_agents import pause, resume
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        heard = [one["output"] for one in input if isinstance(one, dict) and one.get("type") == "function_call_output"]
        text = ResponseOutputText(text=f"The tool says: {heard}", type="output_text", annotations=[])
        said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        arguments = '{"to": "Ana", "amount": 12.5}'
        call = ResponseFunctionToolCall(call_id="call_1", name="pay", arguments=arguments, type="function_call")
        return ModelResponse(output=[said if heard else call], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("nothing here streams")


@function_tool(needs_approval=True)
def pay(to: str, amount: float) -> str:
    """Pays somebody."""
    return f"paid {amount} to {to}"


async def main() -> None:
    set_tracing_disabled(True)
    agent: Any = Agent(name="payer", model=Scripted(), tools=[pay])
    saved = pause(await Runner.run(agent, "Pay Ana her 12.50"))
    # Kept in a file, this goes on in another process.
    print("stopped")
    print((await resume(agent, saved, prompt="Pay this?")).final_output)


asyncio.run(main())
