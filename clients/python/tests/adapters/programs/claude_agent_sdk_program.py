"""Claude Code, as the SDK brings it, wants to pay. The model that it talks to is scripted, on this machine."""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ToolAnnotations, create_sdk_mcp_server, tool
from ledger import CALLS, FOLDER, SECRET, TERMS, pay, told

from handraise.adapters.claude_agent_sdk import approvals

sys.path.insert(0, str(Path(__file__).resolve().parents[5] / "examples/python"))

from scripted_messages import serve

RUN = uuid.uuid4().hex
"""No two calls of Anthropic's models have one id, and by it alone the SDK tells them apart."""


# Claude Code runs calls side by side only where their tool says that it changes nothing.
@tool("pay", "Pays somebody.", {"to": str, "amount": int}, annotations=ToolAnnotations(readOnlyHint=True))
async def paying(arguments: Any) -> Any:
    return {"content": [{"type": "text", "text": pay(**arguments)}]}


async def main() -> None:
    wanted = [
        {"id": f"{c['id']}_{RUN}", "name": "mcp__bank__pay", "input": {"to": c["to"], "amount": c["amount"]}}
        for c in CALLS
    ]
    asks = approvals(**TERMS)
    options = ClaudeAgentOptions(
        can_use_tool=asks,
        hooks=asks.hooks,
        mcp_servers={"bank": create_sdk_mcp_server("bank", tools=[paying])},
        setting_sources=[],
        cwd=FOLDER,
        env={
            "HOME": str(FOLDER),
            "ANTHROPIC_BASE_URL": serve(
                wanted, lambda heard: told({id.removesuffix(f"_{RUN}"): one for id, one in heard.items()})
            ),
            "ANTHROPIC_API_KEY": SECRET,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ENABLE_TOOL_SEARCH": "false",
        },
    )
    async with ClaudeSDKClient(options) as claude:
        await claude.query("Pay them")
        async for _ in claude.receive_response():
            pass


asyncio.run(main())
