"""OpenAI Agents SDK: people approve the calls of tools that have ``needs_approval``.

    from handraise.adapters.openai_agents import pause, resume, run

    result = await run(agent, "Pay Ana")                       # held: asks, waits and goes on until the agent is done
    saved = pause(await Runner.run(agent, "Pay Ana"))          # durable: text, to be kept
    result = await resume(agent, saved)                        # in any process: asks once, waits, goes on

Arguments cannot be changed: this framework takes none for a call.
"""

from __future__ import annotations

import json
import uuid
from typing import Any, Dict, List, Optional

from ..client import AsyncHandraise
from ..errors import HandraiseError
from .tool_calls import Terms, ToolCall, Verdict, decide_all, expect_version, key_of_ids, open_all

expect_version("openai-agents", (0, 22), (0, 25), "openai-agents")

from agents import Runner, RunState  # noqa: E402


async def run(
    agent: Any, input: Any, client: Optional[AsyncHandraise] = None, *, options: Any = None, **terms: Any
) -> Any:
    """``Runner.run``, and people decide what it stops for. ``options`` is a ``dict`` for ``Runner.run``."""
    result = await Runner.run(agent, input, **(options or {}))
    own, name = _terms(terms), uuid.uuid4().hex
    while result.interruptions:
        state = result.to_state()
        _decide(state, await decide_all(own, _calls_of(state, name), client))
        result = await Runner.run(agent, state, **_without_context(options))
    return result


def pause(result: Any) -> str:
    """What a run that has stopped for approvals needs to go on, without the app's own context."""
    if not result.interruptions:
        raise HandraiseError("this run has not stopped for approvals")
    state = result.to_state().to_json(context_serializer=lambda _: {})
    if isinstance(state.get("context"), dict) and "context" in state["context"]:
        # A mapping is written as it is, whatever serializer is given.
        state["context"]["context"] = {}
    return json.dumps({"run": uuid.uuid4().hex, "state": state})


async def ask(agent: Any, saved: str, client: Optional[AsyncHandraise] = None, **terms: Any) -> Dict[str, str]:
    """Asks, and waits for no answer: the interactions' ids, by tool call."""
    state, name = await _loaded(agent, saved, None)
    return await open_all(_terms(terms), _calls_of(state, name), client)


async def resume(
    agent: Any,
    saved: str,
    client: Optional[AsyncHandraise] = None,
    *,
    context: Any = None,
    options: Any = None,
    **terms: Any,
) -> Any:
    """Asks what was not asked yet, waits, and goes on with the app's ``context`` of now."""
    state, name = await _loaded(agent, saved, context)
    _decide(state, await decide_all(_terms(terms), _calls_of(state, name), client))
    return await Runner.run(agent, state, **_without_context(options))


def _terms(terms: Dict[str, Any]) -> Terms:
    if terms.get("amendable"):
        raise HandraiseError("openai-agents runs a call with the model's arguments only, so no ask is amendable")
    return Terms(**terms)


def _without_context(options: Any) -> Dict[str, Any]:
    # The state has it. Given once more, the SDK asks again.
    return {name: value for name, value in (options or {}).items() if name != "context"}


async def _loaded(agent: Any, saved: str, context: Any) -> Any:
    kept = json.loads(saved)
    state = await RunState.from_json(agent, kept["state"], context_override={} if context is None else context)
    return state, kept["run"]


def _calls_of(state: Any, run: str) -> List[ToolCall]:
    return [
        ToolCall(
            one.call_id, key_of_ids("openai-agents", run, one.call_id), one.name, json.loads(one.arguments or "{}")
        )
        for one in state.get_interruptions()
    ]


def _decide(state: Any, verdicts: Dict[str, Verdict]) -> None:
    for one in state.get_interruptions():
        verdict = verdicts[one.call_id]
        if verdict:
            state.approve(one)
        else:
            state.reject(one, rejection_message=verdict.reason)
