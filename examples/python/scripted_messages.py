"""A model for Claude Code that says what it is told to: the Messages API, on this machine."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List


def serve(calls: List[Dict[str, Any]], heard: Callable[[Dict[str, str]], None]) -> str:
    """Its URL. It wants ``calls`` made (``id``, ``name``, ``input``), and is done when it has heard of them."""

    class Scripted(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            contents = [one["content"] for one in request["messages"] if isinstance(one["content"], list)]
            results = [part for content in contents for part in content if part["type"] == "tool_result"]
            said: List[Dict[str, Any]] = [{"type": "text", "text": "done"}]
            if results:
                heard({part["tool_use_id"]: json.dumps(part["content"]) for part in results})
            elif request.get("tools"):
                said = [{"type": "tool_use", **call} for call in calls]
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

        def _part(self, index: int, part: Dict[str, Any]) -> None:
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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
