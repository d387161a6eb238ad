"""Claude Agent SDK: people approve what Claude wants to do with a tool, while its session waits.

    from handraise.adapters.claude_agent_sdk import approvals

    options = ClaudeAgentOptions(can_use_tool=approvals())

Tools in ``allowed_tools`` never get here. For sessions that end while people decide there is Claude Code's own hook.
"""

from __future__ import annotations

from typing import Any, Optional

from ..client import AsyncHandraise
from ..errors import HandraiseError
from .tool_calls import Terms, ToolCall, decide_all, expect_version, key_of_ids, running

expect_version("claude-agent-sdk", (0, 2), (0, 3), "claude-agent-sdk")

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ToolPermissionContext  # noqa: E402


def approvals(client: Optional[AsyncHandraise] = None, **terms: Any) -> Any:
    """What ``can_use_tool`` takes. No arguments can be changed: the SDK does not say what a tool takes."""
    if terms.get("amendable"):
        raise HandraiseError("the SDK does not say what arguments a tool takes, so no ask is amendable")
    own = Terms(**terms)

    async def can_use_tool(tool: str, input: Any, context: ToolPermissionContext) -> Any:
        id = context.tool_use_id
        if not id:
            return PermissionResultDeny(message=f"`{tool}` was not run: its call has no id")
        call = ToolCall(id, key_of_ids("claude-agent-sdk", id), tool, dict(input))
        try:
            with running(id):
                verdict = (await decide_all(own, [call], client))[id]
        except HandraiseError as fault:
            return PermissionResultDeny(message=f"`{tool}` was not run: {fault}")
        if verdict:
            return PermissionResultAllow(updated_input=verdict.arguments)
        return PermissionResultDeny(message=verdict.reason)

    return can_use_tool
