import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { answers, approved, forms } from "handraise/ai";

import { CALLS, PARAMETERS, SECRET, find, isDurable, keep, options, pay, tell } from "./script.js";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const results = prompt.filter((message) => message.role === "tool").flatMap((message) => message.content);
    if (results.length > 0) {
      const heard = results.filter((one) => one.type === "tool-result");
      tell(Object.fromEntries(heard.map((one) => [one.toolCallId, JSON.stringify(one.output)])));
    }
    const content = CALLS.map(({ id, tool, args }) => ({
      type: "tool-call", toolCallId: id, toolName: tool, input: JSON.stringify(args),
    }));
    return { content, finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage, warnings: [] };
  },
});

const own = {
  pay: tool({
    description: "Pays",
    inputSchema: PARAMETERS,
    execute: (input) => pay(input, SECRET),
  }),
};
if (isDurable && options.amendable === true) options.amendable = forms(own);
const tools = approved(own, options);

let messages = JSON.parse(find() ?? '[{"role":"user","content":"Pay them"}]');
const run = async () => {
  const result = await generateText({
    model, tools, messages, runtimeContext: { password: SECRET }, stopWhen: isStepCount(5),
    experimental_toolApprovalSecret: "of-the-app",
  });
  messages = [...messages, ...result.response.messages];
};
if (isDurable) {
  if (find() === null) {
    await run();
    keep(JSON.stringify(messages));
  }
  for (let n = 0; n < 5; n += 1) {
    const answered = await answers(messages, options);
    if (answered !== null) messages = [...messages, answered];
    await run();
  }
} else {
  await run();
}
