/**
 * What all adapters share: one call of a tool is one approval, under a key that the same call has after a restart.
 *
 * A framework that starts again with the same call finds what it asked before, answered or not, by that key. The tool
 * runs with what a person approved, once: an approval that an earlier run has used is refused.
 */

import { createHash } from "node:crypto";

import * as asked from "../asked.js";
import { canonicalJson, snapshotObject } from "../canonical.js";
import { Handraise } from "../client.js";
import { AlreadyUsed, Cancelled, Denied, Expired, HandraiseError } from "../errors.js";
import type { Interaction, JsonObject } from "../models.js";
import type { Options } from "../options.js";
import { type Decision, expectApproved } from "../verdicts.js";
import { flatSchema } from "./flat_schema.js";

/** How an adapter asks. */
export interface AdapterOptions extends Omit<Options, "idempotencyKey" | "attachments"> {
  /** The app's own id of this run or conversation, the same after a restart: with the id of the call and its arguments
   * it says which approval is meant. */
  readonly conversation?: string;
  /** Left out, one is made from the environment. */
  readonly client?: Handraise;
  /** Left out, the question names the tool. */
  readonly prompt?: string | ((call: { tool: string; arguments: JsonObject }) => string);
  /** Whether people may change the arguments first: `true`, or an object with `paths` or a flat JSON `schema`; or which
   * of these, by the tool's name. With `true` people get a form where the tool's own schema is known and flat. */
  readonly amendable?: boolean | JsonObject | Amendable;
  readonly approvals?: number | JsonObject;
  readonly maxAge?: number;
  /** Whether the framework is to stop before the tool, so that the process may end while people are asked. Left out,
   * the tool itself waits. */
  readonly durable?: boolean;
}

/** By the name of a tool, how its arguments may be changed. */
export type Amendable = (tool: string) => Promise<boolean | JsonObject>;

/** One call of a tool, as a framework has it. */
export interface Call {
  readonly tool: string;
  /** The framework's id of the call. */
  readonly id: string | undefined;
  readonly arguments: unknown;
  /** Instead of the one in the options. */
  readonly conversation?: string | undefined;
  /** The tool's JSON Schema. */
  readonly schema?: (() => unknown) | undefined;
}

export class Gate {
  readonly client: Handraise;

  constructor(
    private readonly framework: string,
    private readonly options: AdapterOptions,
  ) {
    this.client = options.client ?? new Handraise();
  }

  get isDurable(): boolean {
    return this.options.durable ?? false;
  }

  /** Asks, unless it was asked before, and returns at once. */
  async ask(call: Call): Promise<Interaction> {
    const { prompt, tool, args, options } = await this.question(call);
    // So that nothing is asked that could not be proven.
    await this.client.known();
    const { maxAge: _, ...more } = options;
    return this.client.open("approval", prompt, { ...more, tool, arguments: args });
  }

  /** Asks, unless it was asked before, and waits until it is decided. */
  async decide(call: Call): Promise<Decision> {
    const { prompt, tool, args, options } = await this.question(call);
    return this.client.decide(prompt, tool, args, options);
  }

  /**
   * Runs the tool with what was approved. `schema` is the framework's own, which changed arguments have to fit.
   * `reports` is whether what the tool throws comes this far, so that people can be told what came of it.
   *
   * Throws `Denied`, `Expired`, `Cancelled`, `AlreadyUsed`, and whatever else `Handraise.approve` throws.
   */
  async run<T>(
    call: Call,
    work: (args: JsonObject) => T,
    how: { schema?: unknown; reports?: boolean } = {},
  ): Promise<Awaited<T>> {
    return asked.whileAsking(call.tool, call.id, () => this.ran(call, work, how));
  }

  private async ran<T>(
    call: Call,
    work: (args: JsonObject) => T,
    { schema, reports = true }: { schema?: unknown; reports?: boolean },
  ): Promise<Awaited<T>> {
    const decision = expectApproved(await this.decide(call));
    const { id } = decision.interaction;
    await expectFits(decision, schema);
    await this.client.consume(id);
    let result: Awaited<T>;
    try {
      result = await work(decision.arguments);
    } catch (error) {
      // A message may hold what is nobody's business.
      await this.client.reportSoon(id, "failed", error instanceof Error ? error.constructor.name : typeof error);
      throw error;
    }
    if (reports) await this.client.reportSoon(id, "done");
    return result;
  }

  private async question(call: Call) {
    const { client: _, conversation, prompt, durable: __, amendable, ...options } = this.options;
    const args = snapshotObject(call.arguments ?? {}, "arguments");
    const run = call.conversation ?? conversation;
    if (!call.id || !run) {
      const lacking = run ? `this call of ${call.tool} has no id` : "pass `conversation`, the same after a restart";
      throw new HandraiseError(`which approval is meant after a restart cannot be told: ${lacking}`);
    }
    const text = canonicalJson([this.framework, run, call.id, call.tool, args]);
    const idempotencyKey = `${this.framework}-${createHash("sha256").update(text).digest("hex")}`;
    const said = typeof prompt === "function" ? prompt({ tool: call.tool, arguments: args }) : prompt;
    return {
      prompt: said ?? `May this agent run \`${call.tool}\`?`,
      tool: call.tool,
      args,
      options: { ...options, amendable: await changeable(amendable, call), idempotencyKey },
    };
  }
}

async function changeable(amendable: AdapterOptions["amendable"], call: Call): Promise<boolean | JsonObject> {
  if (typeof amendable === "function") return amendable(call.tool);
  return amendable === true && call.schema !== undefined ? formOf(call.schema) : (amendable ?? false);
}

/** A form, where a tool's schema is flat; else whatever the tool itself takes. */
export async function formOf(schema: () => unknown): Promise<JsonObject | true> {
  const flat = flatSchema(await schema());
  return flat === null ? true : { schema: flat };
}

/** Marks what waits for people. Throws when it does so already, by an adapter or a guard. */
export function gated<T extends (...args: never[]) => unknown>(tool: string, before: unknown, after: T): T {
  if (typeof before !== "function") throw new TypeError(`the tool ${tool} does not run here, so it cannot be held back`);
  asked.expectUngated(tool, before);
  return asked.gated(after);
}

/** What the model is told of a call that did not run; throws what is a fault and no decision. */
export function toldToModel(error: unknown): string {
  const isDecided = [Denied, Expired, Cancelled, AlreadyUsed].some((kind) => error instanceof kind);
  if (!isDecided) throw error;
  return `The tool did not run: ${(error as Error).message}`;
}

/** Changed arguments that the tool does not take are no approval of anything. */
async function expectFits(decision: Decision, schema: unknown): Promise<void> {
  if (decision.interaction.amended === null) return;
  const standard = (schema as { "~standard"?: { validate?(value: unknown): unknown } } | undefined)?.["~standard"];
  const checked = (await standard?.validate?.(decision.arguments)) as { issues?: unknown } | undefined;
  if (checked?.issues) {
    throw new HandraiseError(
      `the arguments were changed to some that the tool does not take, so it did not run: ${JSON.stringify(checked.issues)}`,
    );
  }
}
