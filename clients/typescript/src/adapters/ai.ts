/**
 * `handraise/ai`: tools of the AI SDK (`ai`, by Vercel) that run once a person has approved the call.
 *
 *     const tools = { ...harmless, ...approved({ deploy, pay }, { conversation: id }) };
 *
 * *Held*: the tool's `execute` waits, several at once, as long as the process lives. *Durable* (`durable: true`): the
 * SDK stops before the tools and returns; keep its messages, and add what `answers` makes of them before the next call.
 */

import type { Interaction } from "../models.js";
import { type AdapterOptions, type Amendable, type Call, Gate, formOf, gated } from "./gate.js";
import { expectSupported } from "./version.js";

/** As much of a tool as is needed here. */
interface Tool {
  execute?: unknown;
  inputSchema?: unknown;
}

type Execute = (input: unknown, options: { toolCallId: string }) => unknown;

/** As much of a message as is needed here. */
export interface Message {
  readonly role: string;
  readonly content: unknown;
}

interface Part {
  readonly type: string;
  readonly approvalId?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
}

/** What is added to the messages. */
export interface Answers {
  readonly role: "tool";
  readonly content: { type: "tool-approval-response"; approvalId: string; approved: boolean; reason?: string }[];
}

/** The same tools, each behind an approval. The model hears of a denial as a tool's error, or as a denial if durable. */
export function approved<Tools extends Readonly<Record<string, Tool>>>(tools: Tools, options: AdapterOptions): Tools {
  expectSupported("ai");
  const gate = new Gate("ai", options);
  const behind = Object.entries(tools).map(([name, tool]) => {
    const own = tool.execute as Execute;
    const execute: Execute = (input, details) =>
      gate.run(
        { tool: name, id: details.toolCallId, arguments: input, schema: gate.isDurable ? undefined : schemaOf(tool) },
        (args) => own.call(tool, args, details),
        { schema: tool.inputSchema },
      );
    const stops = gate.isDurable ? { needsApproval: true } : {};
    return [name, { ...tool, ...stops, execute: gated(name, own, execute) }];
  });
  return Object.fromEntries(behind) as Tools;
}

/** `amendable` of the durable way, where `ask` and `answers` do not have the tools: a form by the schema of each. */
export function forms(tools: Readonly<Record<string, Tool>>): Amendable {
  return async (name) => {
    const tool = tools[name];
    return tool === undefined ? true : formOf(schemaOf(tool));
  };
}

function schemaOf({ inputSchema }: Tool): () => unknown {
  // Not at the top: a version that lacks it is to be told from those that are supported.
  return async () => (await import("ai")).asSchema(inputSchema).jsonSchema;
}

/** Asks about every call that waits in these messages, and returns at once: the process may end then. */
export async function ask(messages: readonly Message[], options: AdapterOptions): Promise<Interaction[]> {
  const gate = new Gate("ai", options);
  return Promise.all(waitingIn(messages).map(({ call }) => gate.ask(call)));
}

/** Waits until all of them are decided, and returns the message to add; `null` when none waits. */
export async function answers(messages: readonly Message[], options: AdapterOptions): Promise<Answers | null> {
  const gate = new Gate("ai", options);
  const waiting = waitingIn(messages);
  const content = await Promise.all(
    waiting.map(async ({ approvalId, call }) => {
      const decision = await gate.decide(call);
      const reason = decision.comment ?? (decision.approved ? undefined : (decision.outcome ?? undefined));
      return {
        type: "tool-approval-response" as const,
        approvalId,
        approved: decision.approved,
        ...(reason === undefined ? {} : { reason }),
      };
    }),
  );
  return content.length > 0 ? { role: "tool", content } : null;
}

/** The calls that an approval was requested for, and not answered yet. */
function waitingIn(messages: readonly Message[]): { approvalId: string; call: Call }[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []));
  const calls = new Map(parts.filter((one) => one.type === "tool-call").map((one) => [one.toolCallId, one]));
  const answered = new Set(
    parts.filter((one) => one.type === "tool-approval-response").map((one) => one.approvalId),
  );
  return parts
    .filter((one) => one.type === "tool-approval-request" && !answered.has(one.approvalId))
    .map(({ approvalId = "", toolCallId }) => {
      const call = calls.get(toolCallId);
      if (call?.toolName === undefined) throw new TypeError(`the messages lack the call ${toolCallId}`);
      return { approvalId, call: { tool: call.toolName, id: toolCallId, arguments: call.input } };
    });
}
