"""Claude Code, as the SDK brings it, wants to pay. The model that it talks to is scripted, on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ToolAnnotations, create_sdk_mcp_server, tool
from ledger import CALLS, FOLDER, SECRET, TERMS, pay, told

from handraise.adapters.claude_agent_sdk import approvals

TOOL = "mcp__bank__pay"


class Scripted(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = [{"type": "text", "text": "done"}]
        results = [
            part
            for message in request["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "tool_result"
        ]
        if results:
            told({part["tool_use_id"]: json.dumps(part["content"]) for part in results})
        elif any(one["name"] == TOOL for one in request.get("tools", ())):
            said = [
                {"type": "tool_use", "id": c["id"], "name": TOOL, "input": {"to": c["to"], "amount": c["amount"]}}
                for c in CALLS
            ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        usage = {"input_tokens": 1, "output_tokens": 1}
        begun = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
        self._event("message_start", message={**begun, "stop_reason": None, "stop_sequence": None, "usage": usage})
        for index, part in enumerate(said):
            self._part(index, part)
        why = "tool_use" if said[0]["type"] == "tool_use" else "end_turn"
        self._event("message_delta", delta={"stop_reason": why, "stop_sequence": None}, usage=usage)
        self._event("message_stop")

    def _part(self, index: int, part: Any) -> None:
        if part["type"] == "text":
            empty, delta = {**part, "text": ""}, {"type": "text_delta", "text": part["text"]}
        else:
            empty = {**part, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}
        self._event("content_block_start", index=index, content_block=empty)
        self._event("content_block_delta", index=index, delta=delta)
        self._event("content_block_stop", index=index)

    def _event(self, name: str, **data: Any) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())

    def log_message(self, *args: Any) -> None:
        pass


# Claude Code runs calls side by side only where their tool says that it changes nothing.
@tool("pay", "Pays somebody.", {"to": str, "amount": int}, annotations=ToolAnnotations(readOnlyHint=True))
async def paying(arguments: Any) -> Any:
    return {"content": [{"type": "text", "text": pay(**arguments)}]}


async def main() -> None:
    model = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    asks = approvals(**TERMS)
    options = ClaudeAgentOptions(
        can_use_tool=asks,
        hooks=asks.hooks,
        mcp_servers={"bank": create_sdk_mcp_server("bank", tools=[paying])},
        setting_sources=[],
        cwd=FOLDER,
        env={
            "HOME": str(FOLDER),
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_port}",
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
