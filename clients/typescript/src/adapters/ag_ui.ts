/**
 * `handraise/ag-ui`: the interrupts of AG-UI, answered by people.
 *
 * *In*: a run of an agent ended with interrupts. `ask` asks about all of them and returns, so the process may end;
 * `resume` waits, and returns what the next run gets as its `resume`.
 *
 *     const { threadId } = agent;
 *     const run = { threadId, interrupts: agent.pendingInterrupts, messages: agent.messages };
 *     await agent.runAgent({ resume: await resume(run, {}) });
 *
 * *Out*: an agent that has asked in Handraise ends its run with `outcome(asked)`, which a front end shows. Its next run
 * reads the answers by `client.wait(interruptId)`: what a front end puts into `resume` is no answer.
 */

import { createHash } from "node:crypto";

import { canonicalJson } from "../canonical.js";
import { Handraise } from "../client.js";
import { AlreadyUsed, HandraiseError } from "../errors.js";
import { type Interaction, type JsonObject, isPending } from "../models.js";
import type { Options } from "../options.js";
import { MAX_AGE } from "../receipts.js";
import { answered } from "../verdicts.js";
import { DoesNotFit, type Form, formOf } from "./ag_ui_form.js";
import { flatSchema, isAnyObject, isHeld } from "./flat_schema.js";
import { type AdapterOptions, type Amendable, type Call, Gate } from "./gate.js";

/** As AG-UI has it. */
export interface Interrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId?: string;
  responseSchema?: Record<string, any>;
  expiresAt?: string;
  metadata?: Record<string, any>;
}

/** As AG-UI has it. */
export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: any;
  metadata?: Record<string, any>;
}

/** As much of a message as is needed here. */
export interface Message {
  readonly id?: string;
  readonly role: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

/** A run that ended with interrupts. */
export interface Run {
  readonly threadId: string;
  readonly interrupts: readonly Interrupt[];
  /** Those of the thread: an interrupt names a tool call by its id alone. */
  readonly messages?: readonly Message[];
}

/** How people are asked. `amendable` counts where the agent takes `editedArgs`, and what it takes can be held against
 * its schema before an answer counts. */
export type AgUiOptions = Omit<AdapterOptions, "conversation" | "durable">;

/** How often people are asked again after an answer that does not fit the interrupt's schema. */
const TRIES = 5;

/** Asks about every interrupt, unless it was asked before, and returns at once. */
export async function ask(run: Run, options: AgUiOptions): Promise<Interaction[]> {
  const desk = new Desk(run, options);
  return Promise.all(desk.open.filter((one) => !hasExpired(one)).map((one) => desk.ask(one)));
}

/**
 * Waits until people have answered all, and returns an entry for every interrupt.
 *
 * An approval is `{approved, reason?, editedArgs?}`: `true` only by a verified receipt, which goes along in
 * `metadata.handraise`, and used up for this interrupt before this returns. An interrupt that nobody answered in its time
 * is `cancelled`. Throws `HandraiseError` before anything is asked for an interrupt that people cannot be asked.
 */
export async function resume(run: Run, options: AgUiOptions): Promise<ResumeEntry[]> {
  const desk = new Desk(run, options);
  return Promise.all(desk.open.map((one) => desk.answer(one)));
}

/** The outcome of a run that waits for these, for its `RUN_FINISHED`. */
export function outcome(asked: readonly Interaction[]): { type: "interrupt"; interrupts: Interrupt[] } {
  if (asked.length === 0) throw new TypeError("an outcome has at least one interrupt");
  return { type: "interrupt", interrupts: asked.map(shown) };
}

function shown(asked: Interaction): Interrupt {
  const { id, kind, prompt, expiresAt, dashboardUrl } = asked;
  return {
    id,
    reason: `handraise:${kind}`,
    message: prompt,
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
    metadata: { handraise: { url: dashboardUrl } },
  };
}

/** An interrupt, and how people are asked about it. */
type Opened = Approval | Question;

interface Approval {
  readonly interrupt: Interrupt;
  readonly call: Call;
  readonly amendable: Amendable;
  readonly wantsReason: boolean;
}

interface Question {
  readonly interrupt: Interrupt;
  readonly form: Form;
}

/** What the answer to an approval is made of. */
const OF_APPROVAL = ["approved", "reason", "editedArgs"];

class Desk {
  readonly open: readonly Opened[];
  private readonly client: Handraise;

  constructor(
    private readonly run: Run,
    private readonly options: AgUiOptions,
  ) {
    expectInterrupts(run.interrupts);
    this.client = options.client ?? new Handraise();
    this.open = run.interrupts.map((one) => this.opened(one));
  }

  async ask(one: Opened): Promise<Interaction> {
    return "call" in one ? this.gateOf(one).ask(one.call) : this.asked(one.interrupt, one.form, []);
  }

  async answer(one: Opened): Promise<ResumeEntry> {
    if (hasExpired(one)) return abandoned(one.interrupt, null);
    return "call" in one ? this.approval(one) : this.answered(one.interrupt, one.form);
  }

  private async approval(one: Approval): Promise<ResumeEntry> {
    const { interrupt, call, wantsReason } = one;
    const gate = this.gateOf(one);
    const closed = await this.closed(interrupt, await gate.ask(call));
    if (closed.state !== "resolved") return abandoned(interrupt, closed);
    const decision = await gate.decide(call);
    const said = decision.comment === null && !wantsReason ? {} : { reason: decision.comment ?? "" };
    if (!decision.approved) return entry(interrupt, decision.interaction, { approved: false, ...said });
    try {
      // By a name of its own: a process that was killed while others waited comes back for the same yes.
      await this.client.consume(closed.id, `ag-ui ${closed.id}`, { maxAge: this.options.maxAge ?? MAX_AGE });
    } catch (error) {
      if (!(error instanceof AlreadyUsed)) throw error;
      return entry(interrupt, decision.interaction, { approved: false, reason: error.message });
    }
    const edited = decision.interaction.amended === null ? {} : { editedArgs: decision.arguments };
    const payload = { approved: true, ...said, ...edited };
    return entry(interrupt, decision.interaction, payload, { receipt: decision.receipt });
  }

  private async answered(interrupt: Interrupt, form: Form): Promise<ResumeEntry> {
    const faults: string[] = [];
    for (;;) {
      const closed = await this.closed(interrupt, await this.asked(interrupt, form, faults));
      if (closed.state !== "resolved") return abandoned(interrupt, closed);
      await this.client.collect(closed.id);
      try {
        return entry(interrupt, closed, form.read(answered(closed).answers ?? {}));
      } catch (error) {
        if (!(error instanceof DoesNotFit) || faults.length + 1 >= TRIES) throw error;
        faults.push(error.message);
      }
    }
  }

  /** As it is closed. An interrupt that stops being answerable is taken back. */
  private async closed(interrupt: Interrupt, asked: Interaction): Promise<Interaction> {
    const left = timeLeft(interrupt);
    const closed = await this.client.wait(asked.id, left === null ? {} : { timeout: left });
    return isPending(closed) ? this.client.cancel(asked.id, "the interrupt has expired") : closed;
  }

  private async asked(interrupt: Interrupt, form: Form, faults: readonly string[]): Promise<Interaction> {
    const { client: _, prompt, amendable: __, approvals: ___, maxAge: ____, ...about } = this.options;
    const said = typeof prompt === "string" ? prompt : (interrupt.message ?? interrupt.reason);
    const last = faults.at(-1);
    const text = canonicalJson([conversationOf(this.run), interrupt.id, [...faults]]);
    const options: Options = { ...about, idempotencyKey: `ag-ui-${createHash("sha256").update(text).digest("hex")}` };
    const again = last === undefined ? said : `${said}\n\n**Asked again**: ${last}`;
    return this.client.open("form", again, { ...options, questions: form.questions });
  }

  private gateOf({ amendable }: Approval): Gate {
    return new Gate("ag-ui", { ...this.options, client: this.client, conversation: conversationOf(this.run), amendable });
  }

  private opened(interrupt: Interrupt): Opened {
    const { id, reason, message, metadata, responseSchema: schema, toolCallId } = interrupt;
    const wants: JsonObject = schema?.["properties"] ?? {};
    const isYesOrNo = (wants["approved"] as { type?: unknown } | undefined)?.type === "boolean";
    if (toolCallId === undefined && !isYesOrNo) return { interrupt, form: formOf(schema, `the interrupt ${id}`) };
    const required: unknown[] = Array.isArray(schema?.["required"]) ? schema["required"] : [];
    const more = required.filter((name) => !OF_APPROVAL.includes(String(name)));
    if (more.length > 0) throw new HandraiseError(`the interrupt ${id} wants more than a yes or no: ${more.join(", ")}`);
    const wantsReason = required.includes("reason");
    if (toolCallId !== undefined) {
      const { name, args } = this.callNamed(toolCallId);
      const call = { tool: name, id, arguments: args };
      const takes = schema === undefined ? {} : wants["editedArgs"];
      return { interrupt, call, amendable: changesTo(takes, this.options.amendable, id), wantsReason };
    }
    const shown = { ...(message === undefined ? {} : { message }), ...(metadata === undefined ? {} : { metadata }) };
    return { interrupt, call: { tool: reason, id, arguments: shown }, amendable: async () => false, wantsReason };
  }

  private callNamed(id: string): { name: string; args: unknown } {
    const calls = (this.run.messages ?? []).flatMap((message) => message.toolCalls ?? []);
    const call = calls.find((one) => one.id === id)?.function;
    if (call === undefined) throw new HandraiseError(`the messages lack the tool call ${id}, so what it does is not known`);
    try {
      return { name: call.name, args: JSON.parse(call.arguments || "{}") };
    } catch (error) {
      throw new HandraiseError(`the arguments of the tool call ${id} are no JSON`, { cause: error });
    }
  }
}

function expectInterrupts(given: unknown): void {
  if (!Array.isArray(given)) {
    throw new TypeError("`interrupts` is a list: `agent.pendingInterrupts`, which @ag-ui/client has since 0.0.54");
  }
  const ids = (given as Interrupt[]).map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new HandraiseError(`two interrupts have the id ${twice}, so no answer can be told to be for one of them`);
}

/** How people may change the arguments of a call, by the schema of what the agent takes: what could only be held against
 * it when it counts already may not be changed. */
function changesTo(takes: unknown, given: AgUiOptions["amendable"], id: string): Amendable {
  if (isAnyObject(takes)) return async (tool) => (typeof given === "function" ? given(tool) : (given ?? false));
  const schema = isHeld(takes) ? flatSchema(takes) : null;
  return async (tool) => {
    const wanted = typeof given === "function" ? await given(tool) : (given ?? false);
    if (schema === null || wanted === false) return false;
    if (wanted === true) return { schema };
    if ("schema" in wanted) throw new HandraiseError(`the interrupt ${id} has a schema for changed arguments: give \`amendable\` none`);
    return { ...wanted, schema };
  };
}

/** The id of an interrupt is its own within one run alone, and a thread has many: after each there are other messages. */
function conversationOf({ threadId, messages }: Run): string {
  const last = messages?.at(-1)?.id;
  return last === undefined ? threadId : canonicalJson([threadId, last]);
}

function entry(interrupt: Interrupt, closed: Interaction, payload: unknown, more: object = {}): ResumeEntry {
  const metadata = { handraise: { interaction: closed.id, ...more } };
  return { interruptId: interrupt.id, status: "resolved", payload, metadata };
}

function abandoned(interrupt: Interrupt, closed: Interaction | null): ResumeEntry {
  const metadata = closed && { handraise: { interaction: closed.id, outcome: closed.outcome } };
  return { interruptId: interrupt.id, status: "cancelled", ...(metadata === null ? {} : { metadata }) };
}

/** In seconds; `null` for as long as it takes, also where the time cannot be read. */
function timeLeft({ expiresAt }: Interrupt): number | null {
  const at = Date.parse(expiresAt ?? "");
  return Number.isNaN(at) ? null : (at - Date.now()) / 1000;
}

function hasExpired({ interrupt }: Opened): boolean {
  const left = timeLeft(interrupt);
  return left !== null && left <= 0;
}
