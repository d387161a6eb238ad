"""Claude Agent SDK: people approve what Claude wants to do with a tool, while its session waits.

    from handraise.adapters.claude_agent_sdk import approvals

    asks = approvals()
    options = ClaudeAgentOptions(can_use_tool=asks, hooks=asks.hooks)      # the hooks report what came of each call

Tools in ``allowed_tools`` never get here. For sessions that end while people decide there is Claude Code's own hook.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from ..client import AsyncHandraise
from ..errors import HandraiseError
from .outcomes import report
from .tool_calls import Terms, ToolCall, Verdict, decide_all, expect_version, key_of_ids, running

expect_version("claude-agent-sdk", (0, 2), (0, 3), "claude-agent-sdk")

from claude_agent_sdk import (  # noqa: E402
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)


def approvals(client: Optional[AsyncHandraise] = None, **terms: Any) -> Approvals:
    """What ``can_use_tool`` takes. No arguments can be changed: the SDK does not say what a tool takes."""
    if terms.get("amendable"):
        raise HandraiseError("the SDK does not say what arguments a tool takes, so no ask is amendable")
    return Approvals(client, Terms(**terms))


class Approvals:
    """Asks about each call, and has the ``hooks`` that report what came of it."""

    def __init__(self, client: Optional[AsyncHandraise], terms: Terms) -> None:
        self._client = client
        self._terms = terms
        self._made: Dict[str, Verdict] = {}
        self.hooks: Any = {
            event: [HookMatcher(hooks=[self._report])] for event in ("PostToolUse", "PostToolUseFailure")
        }

    async def __call__(self, tool: str, input: Any, context: ToolPermissionContext) -> Any:
        """For the SDK."""
        id = context.tool_use_id
        if not id:
            return PermissionResultDeny(message=f"`{tool}` was not run: its call has no id")
        call = ToolCall(id, key_of_ids("claude-agent-sdk", id), tool, dict(input))
        try:
            with running(id, tool):
                verdict = (await decide_all(self._terms, [call], self._client))[id]
        except HandraiseError as fault:
            return PermissionResultDeny(message=f"`{tool}` was not run: {fault}")
        if not verdict:
            return PermissionResultDeny(message=verdict.reason)
        self._made[id] = verdict
        return PermissionResultAllow(updated_input=verdict.arguments)

    async def _report(self, input: Any, id: Optional[str], context: Any) -> Any:
        verdict = self._made.pop(id or "", None)
        if verdict is not None:
            failed = "the tool failed" if input["hook_event_name"] == "PostToolUseFailure" else None
            await report(verdict, failed, self._client)
        return {}
