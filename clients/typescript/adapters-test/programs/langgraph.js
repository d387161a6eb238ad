import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";

import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { approvalNode, approved, resume } from "handraise/langgraph";

import { CALLS, PARAMETERS, SECRET, isDurable, options, path, pay, tell } from "./script.js";

/** A checkpointer that a killed process leaves behind. */
class FileSaver extends MemorySaver {
  constructor(file) {
    super();
    this.file = file;
    if (existsSync(file)) Object.assign(this, deserialize(readFileSync(file)));
  }

  async put(...given) {
    return this.kept(await super.put(...given));
  }

  async putWrites(...given) {
    return this.kept(await super.putWrites(...given));
  }

  kept(result) {
    writeFileSync(`${this.file}.new`, serialize({ storage: this.storage, writes: this.writes }));
    renameSync(`${this.file}.new`, this.file);
    return result;
  }
}

const own = tool((input, config) => pay(input, config.configurable.password), {
  name: "pay", description: "Pays", schema: PARAMETERS,
});
const { conversation: _, ...named } = options;
const tools = approved([own], named);

/** The scripted model. */
function agent({ messages }) {
  const results = messages.filter((message) => message.getType() === "tool");
  if (results.length > 0) tell(Object.fromEntries(results.map((one) => [one.tool_call_id, one.content])));
  return { messages: [new AIMessage({ content: "", tool_calls: CALLS.map(({ id, tool, args }) => ({ id, name: tool, args })) })] };
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", agent)
  .addNode("approval", isDurable ? approvalNode(tools, named) : () => ({}))
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", ({ messages }) => (messages.at(-1).tool_calls?.length ? "approval" : END), ["approval", END])
  .addEdge("approval", "tools")
  .addEdge("tools", "agent")
  .compile({ checkpointer: isDurable ? new FileSaver(path("checkpoints")) : new MemorySaver() });

const config = { configurable: { thread_id: "nightly-7", password: SECRET } };
let input = { messages: [{ role: "user", content: "Pay them" }] };
if (isDurable) {
  // What was interrupted before this process was started.
  const tasks = (await graph.getState(config)).tasks ?? [];
  input = (await resume({ __interrupt__: tasks.flatMap((task) => task.interrupts) }, named)) ?? input;
}
for (;;) {
  const result = await graph.invoke(input, config);
  input = await resume(result, named);
  if (input === null) break;
}
