// `@openai/agents`: a scripted model calls a tool, which waits for a person.
import { randomUUID } from "node:crypto";

import { Agent, run, setTracingDisabled, tool } from "@openai/agents";
import { ScriptedModel, functionCall, modelResponder } from "@openai/agents/testing";
import { approved } from "handraise/openai-agents";
import { z } from "zod";

setTracingDisabled(true);

const pay = tool({
  name: "pay",
  description: "Pays somebody",
  parameters: z.object({ to: z.string(), amount: z.number() }),
  execute: async ({ to, amount }) => `paid ${amount} to ${to}`,
});

const calls = modelResponder(() => [functionCall("pay", { to: "Ana", amount: 12.5 }, { callId: "call_1" })]);
const agent = new Agent({
  name: "payer",
  model: new ScriptedModel([calls]),
  tools: approved([pay], { conversation: randomUUID(), amendable: true }),
  toolUseBehavior: "stop_on_first_tool",
});
const result = await run(agent, "Pay Ana her 12.50");
console.log(`The tool says: ${result.finalOutput}`);
