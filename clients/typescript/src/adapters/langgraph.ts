/**
 * `handraise/langgraph`: tools of LangChain that run in a graph once a person has approved the call.
 *
 *     const tools = approved([deploy, pay], {});
 *     graph.addNode("approval", approvalNode(tools, {})).addNode("tools", new ToolNode(tools));
 *
 * *Held*: without the node, the tool itself waits as long as the process lives. *Durable*: the node stands before the
 * tools. It asks about all calls at once and interrupts the graph, whose checkpointer keeps what is needed; `resume`
 * waits for the answers and returns the command that goes on. Tools interrupt nothing: a node that is interrupted runs
 * again from its start, and so would a tool beside it that had run already.
 */

import { Command, interrupt } from "@langchain/langgraph";

import { HandraiseError } from "../errors.js";
import { type Interaction, isPending } from "../models.js";
import { type AdapterOptions, Gate, gated, toldToModel } from "./gate.js";
import { expectSupported } from "./version.js";

/** As much of a tool as is needed here. */
interface Tool {
  readonly name: string;
  readonly schema?: unknown;
  // The parameters are the framework's own business.
  invoke(input: any, config?: any): Promise<any>;
}

/** A call of a tool, as LangChain hands it to `invoke`. */
interface ToolCall {
  readonly type: "tool_call";
  readonly id?: string;
  readonly args: unknown;
}

interface Config {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

interface AiMessage {
  readonly tool_calls?: readonly { readonly name: string; readonly args: unknown; readonly id?: string }[];
}

/** What the node interrupts with. */
interface Asked {
  readonly handraise: readonly string[];
}

/** The same tools, each behind an approval. The model hears of a denial as the tool's output. The conversation is the
 * graph's `thread_id` unless it is named. */
export function approved<T extends Tool>(tools: readonly T[], options: AdapterOptions): T[] {
  expectSupported("@langchain/langgraph");
  const gate = new Gate("langgraph", options);
  return tools.map((tool) => {
    const own = tool.invoke;
    const invoke = async (input: unknown, config?: Config): Promise<unknown> => {
      if (!isToolCall(input)) {
        throw new HandraiseError(`${tool.name} asks people about a call of a model: invoke it with that tool call`);
      }
      const [conversation, schema] = [threadOf(config, options), schemaOf(tool)];
      const call = { tool: tool.name, id: input.id, arguments: input.args, conversation, schema };
      try {
        return await gate.run(call, (args) => own.call(tool, { ...input, args }, config));
      } catch (error) {
        const content = toldToModel(error);
        // Not at the top: a version that lacks it is to be told from those that are supported.
        const { ToolMessage } = await import("@langchain/core/messages");
        // As a tool that is invoked with a call returns it: a graph with a tool node of its own adds that to its messages.
        return new ToolMessage({ content, tool_call_id: input.id ?? "", name: tool.name, status: "error" });
      }
    };
    const notHere = (): never => {
      throw new HandraiseError(`${tool.name} asks people first, which only \`invoke\` does`);
    };
    return Object.create(tool, {
      invoke: { value: gated(tool.name, own, invoke), enumerable: true },
      call: { value: notHere },
    }) as T;
  });
}

/** The node before the tools: it asks about each call of these, and interrupts the graph until all are decided. */
export function approvalNode(
  tools: readonly { readonly name: string; readonly schema?: unknown }[],
  options: AdapterOptions,
): (state: { messages: readonly unknown[] }, config: Config) => Promise<Record<string, never>> {
  const gate = new Gate("langgraph", options);
  const schemas = new Map(tools.map((tool) => [tool.name, schemaOf(tool)]));
  return async ({ messages }, config) => {
    const calls = ((messages.at(-1) as AiMessage | undefined)?.tool_calls ?? []).filter((call) => schemas.has(call.name));
    const conversation = threadOf(config, options);
    const asked = await Promise.all(
      calls.map(({ name, args, id }) => gate.ask({ tool: name, id, arguments: args, conversation, schema: schemas.get(name) })),
    );
    const pending = asked.filter(isPending);
    if (pending.length > 0) interrupt({ handraise: pending.map((one) => one.id) } satisfies Asked);
    return {};
  };
}

/**
 * Waits until all is decided that a graph was interrupted for, and returns the command to invoke it with; `null` when
 * nothing of ours waits. The node looks at the receipts, not at what the command says.
 */
export async function resume(
  result: { readonly __interrupt__?: readonly { readonly id?: string; readonly value?: unknown }[] } | object,
  options: AdapterOptions,
): Promise<Command | null> {
  const { client } = new Gate("langgraph", options);
  const found = "__interrupt__" in result ? (result.__interrupt__ ?? []) : [];
  const ours = found.filter((one) => Array.isArray((one.value as Asked | undefined)?.handraise));
  const decided: Record<string, unknown> = {};
  for (const { id, value } of ours) {
    if (id === undefined) throw new HandraiseError("this interrupt has no id, so it cannot be answered by itself");
    const closed = await Promise.all((value as Asked).handraise.map((one) => client.wait(one, waiting(options))));
    decided[id] = closed.map((one: Interaction) => one.id);
  }
  return ours.length > 0 ? new Command({ resume: decided }) : null;
}

function schemaOf({ schema }: { readonly schema?: unknown }): (() => unknown) | undefined {
  return schema === undefined ? undefined : async () => (await import("@langchain/core/utils/json_schema")).toJsonSchema(schema);
}

function waiting({ giveUpAfter, signal }: AdapterOptions): Pick<AdapterOptions, "giveUpAfter" | "signal"> {
  return { giveUpAfter, signal };
}

function threadOf(config: Config | undefined, { conversation }: AdapterOptions): string | undefined {
  const thread = config?.configurable?.["thread_id"];
  return conversation ?? (typeof thread === "string" ? thread : undefined);
}

function isToolCall(input: unknown): input is ToolCall {
  return typeof input === "object" && input !== null && (input as { type?: unknown }).type === "tool_call";
}

export type { AdapterOptions };
