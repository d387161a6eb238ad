// The AI SDK (`ai`): a scripted model calls a tool, which waits for a person.
import { randomUUID } from "node:crypto";

import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { approved } from "handraise/ai";
import { z } from "zod";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const heard = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
    const call = { type: "tool-call", toolCallId: "call_1", toolName: "pay", input: '{"to":"Ana","amount":12.5}' };
    const said = { type: "text", text: `The tool says: ${heard[0]?.output.value}` };
    const unified = heard.length > 0 ? "stop" : "tool-calls";
    return { content: [heard.length > 0 ? said : call], finishReason: { unified, raw: unified }, usage, warnings: [] };
  },
});

const pay = tool({
  description: "Pays somebody",
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  execute: async ({ to, amount }) => `paid ${amount} to ${to}`,
});

const { text } = await generateText({
  model,
  prompt: "Pay Ana her 12.50",
  tools: approved({ pay }, { conversation: randomUUID(), amendable: true }),
  stopWhen: isStepCount(3),
});
console.log(text);
