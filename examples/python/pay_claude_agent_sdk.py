"""Claude Agent SDK: Claude Code, with a model that is scripted, asks before it pays."""

import asyncio
import tempfile
import uuid
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, tool
from handraise.adapters.claude_agent_sdk import approvals
from scripted_messages import serve


@tool("pay", "Pays somebody.", {"to": str, "amount": float})
async def pay(arguments: Any) -> Any:
    return {"content": [{"type": "text", "text": f"paid {arguments['amount']} to {arguments['to']}"}]}


async def main(home: str) -> None:
    call = {"id": f"toolu_{uuid.uuid4().hex}", "name": "mcp__bank__pay", "input": {"to": "Ana", "amount": 12.5}}
    asks = approvals(prompt="Pay this?")
    options = ClaudeAgentOptions(
        can_use_tool=asks,
        hooks=asks.hooks,
        mcp_servers={"bank": create_sdk_mcp_server("bank", tools=[pay])},
        setting_sources=[],
        cwd=home,
        # With a model of Anthropic none of these is needed.
        env={
            "HOME": home,
            "ANTHROPIC_BASE_URL": serve([call], lambda heard: print(f"The tool says: {heard[call['id']]}")),
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ENABLE_TOOL_SEARCH": "false",
        },
    )
    async with ClaudeSDKClient(options) as claude:
        await claude.query("Pay Ana her 12.50")
        async for _ in claude.receive_response():
            pass


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    asyncio.run(main(folder))
