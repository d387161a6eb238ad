"""What the Claude Agent SDK calls when Claude wants to pay. The session that would call it is scripted."""

from __future__ import annotations

import asyncio
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow, ToolPermissionContext
from ledger import CALLS, TERMS, pay, told

from handraise.adapters.claude_agent_sdk import approvals


async def main() -> None:
    options = ClaudeAgentOptions(can_use_tool=approvals(**TERMS))

    async def want(call: Any) -> str:
        arguments = {"to": call["to"], "amount": call["amount"]}
        assert options.can_use_tool
        result = await options.can_use_tool("pay", arguments, ToolPermissionContext(tool_use_id=call["id"]))
        if isinstance(result, PermissionResultAllow):
            return pay(**(result.updated_input or {}))
        return result.message

    heard = await asyncio.gather(*map(want, CALLS))
    told({call["id"]: one for call, one in zip(CALLS, heard)})


asyncio.run(main())
