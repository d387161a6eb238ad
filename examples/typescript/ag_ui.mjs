// AG-UI: a scripted agent behind HTTP ends its run with an interrupt; a person answers, and the next run resumes.
import { createServer } from "node:http";

import { HttpAgent } from "@ag-ui/client";
import { resume } from "handraise/ag-ui";

const responseSchema = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
const interrupt = { id: "int-1", reason: "tool_call", message: "Pay Ana 12.50?", toolCallId: "call_1", responseSchema };

const backend = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const { threadId, runId, resume: answers } = JSON.parse(body);
  const tool = [
    { type: "TOOL_CALL_START", toolCallId: "call_1", toolCallName: "pay", parentMessageId: runId },
    { type: "TOOL_CALL_ARGS", toolCallId: "call_1", delta: '{"to":"Ana","amount":12.5}' },
    { type: "TOOL_CALL_END", toolCallId: "call_1" },
  ];
  const said = answers?.[0].payload?.approved ? "paid 12.5 to Ana" : "not paid";
  const result = { type: "TOOL_CALL_RESULT", toolCallId: "call_1", messageId: `${runId}-result`, content: said };
  const outcome = answers ? { type: "success" } : { type: "interrupt", interrupts: [interrupt] };
  const events = [{ type: "RUN_STARTED", threadId, runId }, ...(answers ? [result] : tool), { type: "RUN_FINISHED", threadId, runId, outcome }];
  response.setHeader("Content-Type", "text/event-stream");
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
});
await new Promise((done) => backend.listen(0, "127.0.0.1", done));

const agent = new HttpAgent({ url: `http://127.0.0.1:${backend.address().port}` });
await agent.runAgent();
while (agent.pendingInterrupts.length > 0) {
  const { threadId, messages, pendingInterrupts: interrupts } = agent;
  await agent.runAgent({ resume: await resume({ threadId, messages, interrupts }, {}) });
}
console.log(`The tool says: ${agent.messages.at(-1).content}`);
backend.close();
