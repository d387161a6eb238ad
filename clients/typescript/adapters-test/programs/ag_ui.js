// What an app has kept of an AG-UI run that ended with three interrupts, and the next run, which pays.
import { resume } from "handraise/ag-ui";

import { CALLS, SECRET, options, pay, tell } from "./script.js";

const responseSchema = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
const toolCalls = CALLS.map(({ id, tool, args }) => ({ id, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }));
const run = {
  threadId: options.conversation,
  messages: [{ id: "m1", role: "assistant", toolCalls }],
  interrupts: CALLS.map(({ id }) => ({ id: `int-${id}`, reason: "tool_call", toolCallId: id, responseSchema })),
};
const entries = await resume(run, { client: options.client });
const heard = CALLS.map(({ id, args }) => {
  const { payload } = entries.find(({ interruptId }) => interruptId === `int-${id}`);
  return [id, payload?.approved ? pay(args, SECRET) : "not paid"];
});
tell(Object.fromEntries(heard));
