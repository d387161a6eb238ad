/**
 * `handraise/openai-agents`: function tools of `@openai/agents` that run once a person has approved the call.
 *
 *     const agent = new Agent({ name, tools: approved([deploy, pay], { conversation: id }) });
 *
 * *Held*: the tool waits, several at once, as long as the process lives. *Durable* (`durable: true`): the run stops
 * before the tools; keep `result.state.toString()`, and run again with the state that `settle` returns. The state holds
 * the app's context, so keep no secrets in that; nothing of it is sent to Handraise.
 */

import type { Interaction, JsonObject } from "../models.js";
import { expectApproved } from "../verdicts.js";
import { type AdapterOptions, type Amendable, type Call, Gate, formOf, gated, toldToModel } from "./gate.js";
import { expectSupported } from "./version.js";

/** As much of a function tool as is needed here. */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly parameters: unknown;
  invoke: Invoke;
  needsApproval: unknown;
}

type Details = { toolCall?: { callId: string } } | undefined;
// The parameters are the framework's own business.
type Invoke = (context: any, input: string, details?: any) => Promise<any>;

/** As much of a tool call that waits as is needed here. */
interface Waiting {
  readonly name: string | undefined;
  readonly arguments: string | undefined;
  readonly rawItem: unknown;
}

/** As much of a `RunState` as is needed here. */
interface State<Item> {
  getInterruptions(): Item[];
  approve(item: Item): void;
  reject(item: Item, options?: { message?: string }): void;
}

/** The same tools, each behind an approval. The model hears of a denial as the tool's output. */
export function approved<Tool extends FunctionTool>(tools: readonly Tool[], options: AdapterOptions): Tool[] {
  expectSupported("@openai/agents");
  const gate = new Gate("openai-agents", options);
  return tools.map((tool) => {
    const own = tool.invoke;
    const invoke: Invoke = async (context, input, details) => {
      const schema = gate.isDurable ? undefined : () => tool.parameters;
      const call = { tool: tool.name, id: (details as Details)?.toolCall?.callId, arguments: argumentsIn(input), schema };
      try {
        const work = (args: JsonObject): unknown => own.call(tool, context, JSON.stringify(args), details);
        // The SDK makes a text for the model of what a tool throws, so here every call seems to be done.
        return await gate.run(call, work, { reports: false });
      } catch (error) {
        return toldToModel(error);
      }
    };
    const stops = gate.isDurable ? { needsApproval: async () => true } : {};
    return { ...tool, ...stops, invoke: gated(tool.name, own, invoke) };
  });
}

/** `amendable` of the durable way, where `ask` and `settle` do not have the tools: a form by the schema of each. */
export function forms(tools: readonly FunctionTool[]): Amendable {
  return async (name) => {
    const tool = tools.find((one) => one.name === name);
    return tool === undefined ? true : formOf(() => tool.parameters);
  };
}

/** Asks about every call that this state waits for, and returns at once: the process may end then. */
export async function ask<Item extends Waiting>(state: State<Item>, options: AdapterOptions): Promise<Interaction[]> {
  const gate = new Gate("openai-agents", options);
  return Promise.all(state.getInterruptions().map((item) => gate.ask(callOf(item))));
}

/** Waits until all of them are decided, and notes that in the state, which is returned to be run again. */
export async function settle<Item extends Waiting, Kept extends State<Item>>(
  state: Kept & State<Item>,
  options: AdapterOptions,
): Promise<Kept> {
  const gate = new Gate("openai-agents", options);
  const settled = state.getInterruptions().map(async (item) => ({ item, decision: await gate.decide(callOf(item)) }));
  for (const { item, decision } of await Promise.all(settled)) {
    try {
      expectApproved(decision);
      state.approve(item);
    } catch (error) {
      state.reject(item, { message: toldToModel(error) });
    }
  }
  return state;
}

function callOf(item: Waiting): Call {
  const { callId } = item.rawItem as { callId?: string };
  if (item.name === undefined || item.arguments === undefined) {
    throw new TypeError("only calls of function tools can be approved by this adapter");
  }
  return { tool: item.name, id: callId, arguments: argumentsIn(item.arguments) };
}

function argumentsIn(text: string): JsonObject {
  return JSON.parse(text === "" ? "{}" : text) as JsonObject;
}
