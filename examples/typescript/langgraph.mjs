// LangGraph.js: a scripted model calls a tool. The graph is interrupted, and resumed with a person's answer; with a
// checkpointer that outlives the process, the process may end in between.
import { randomUUID } from "node:crypto";

import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { approvalNode, approved, resume } from "handraise/langgraph";
import { z } from "zod";

const pay = tool(async ({ to, amount }) => `paid ${amount} to ${to}`, {
  name: "pay",
  description: "Pays somebody",
  schema: z.object({ to: z.string(), amount: z.number() }),
});
const options = { amendable: true };
const tools = approved([pay], options);

function agent({ messages }) {
  const last = messages.at(-1);
  if (last.getType() === "tool") return { messages: [new AIMessage(`The tool says: ${last.content}`)] };
  const call = { id: "call_1", name: "pay", args: { to: "Ana", amount: 12.5 } };
  return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", agent)
  .addNode("approval", approvalNode(tools, options))
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", ({ messages }) => (messages.at(-1).tool_calls?.length ? "approval" : END), ["approval", END])
  .addEdge("approval", "tools")
  .addEdge("tools", "agent")
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: randomUUID() } };
let result;
let next = { messages: [{ role: "user", content: "Pay Ana her 12.50" }] };
while (next !== null) {
  result = await graph.invoke(next, config);
  next = await resume(result, options);
}
console.log(result.messages.at(-1).content);
