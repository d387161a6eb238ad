/**
 * `handraise/ag-ui`: interrupts of AG-UI (1.0) that people answer, and questions that an AG-UI front end shows.
 *
 *     await agent.runAgent();                                             // an HttpAgent
 *     while (agent.pendingInterrupts.length > 0) await agent.runAgent({ resume: await resume(agent, {}) });
 *
 * A yes is proven by its receipt, and used up for this interrupt, before it becomes a `resume`; the receipt goes along
 * as `metadata.handraise`. `ask` asks and returns at once: the process may end then, if the app keeps the thread's id,
 * its messages and the interrupts; `resume` with these waits for what was asked before.
 *
 * The other way, `interrupted` makes the end of a run of questions that wait in Handraise, and `answerOf` what a
 * responder's token sends of the front end's `resume`.
 */

import { createHash } from "node:crypto";

import { canonicalJson, snapshotObject } from "../canonical.js";
import { Handraise } from "../client.js";
import { Cancelled, Expired, HandraiseError } from "../errors.js";
import type { Interaction, JsonObject } from "../models.js";
import { type Decision, answered } from "../verdicts.js";
import { type Interrupt, type Message, type ResumeEntry, type Run, proofOf } from "./ag_ui_shapes.js";
import { type Asking, askingFor, misfit } from "./ag_ui_values.js";
import { flatSchema, isObject } from "./flat_schema.js";
import type { AdapterOptions } from "./gate.js";

export { answerOf, interruptOf, interrupted } from "./ag_ui_front.js";
export type { Interrupt, ResumeEntry, Run, RunFinished } from "./ag_ui_shapes.js";

/** How people are asked. The conversation is the run's thread. */
export type AgUiOptions = Omit<AdapterOptions, "conversation" | "durable" | "amendable" | "prompt">;

/** Asks about every interrupt, unless it was asked before, and returns at once. */
export async function ask(run: Run, options: AgUiOptions): Promise<Interaction[]> {
  const client = options.client ?? new Handraise();
  const questions = await current(run, options, client);
  await client.known();
  return Promise.all(questions.map((one) => one.open(client)));
}

/**
 * Waits until all of them are answered, and returns the entries for the next run: every open interrupt has one.
 *
 * An answer that does not fit the interrupt's schema does not count: people are told why, and asked again. Throws
 * `HandraiseError` when an interrupt has expired by itself: a run takes no answer to it any more, and what was asked
 * about it is taken back.
 */
export async function resume(run: Run, options: AgUiOptions): Promise<ResumeEntry[]> {
  const client = options.client ?? new Handraise();
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const questions = await current(run, { ...options, signal }, client);
  try {
    return await Promise.all(questions.map((one) => one.settle(client)));
  } finally {
    // Without the answer to one of them, those to the others resume nothing.
    stop.abort();
  }
}

interface Question {
  open(client: Handraise): Promise<Interaction>;
  settle(client: Handraise): Promise<ResumeEntry>;
}

/** All of them, as questions to people; nothing is asked when one of them cannot be. */
async function current(run: Run, options: AgUiOptions, client: Handraise): Promise<Question[]> {
  const late = run.pendingInterrupts.filter((one) => deadlineOf(one) <= Date.now());
  for (const interrupt of late) await withdraw(client, sessionOf(run, options), interrupt);
  if (late.length > 0) throw tooLate(late);
  return run.pendingInterrupts.map((interrupt) =>
    isApproval(interrupt) ? approval(run, interrupt, options) : request(run, interrupt, options),
  );
}

function approval(run: Run, interrupt: Interrupt, options: AgUiOptions): Question {
  const { tool, args } = actionOf(run, interrupt);
  const [prompt, about] = asked(run, interrupt, options, 0);
  // What several people approve, none of them changes.
  const more = { ...about, amendable: options.approvals === undefined && amendable(interrupt) };
  return {
    open: (client) => {
      const { maxAge: _, ...rest } = more;
      return client.open("approval", prompt, { ...rest, tool, arguments: args });
    },
    settle: (client) =>
      inTime(client, run, interrupt, options, async (signal) => {
        const decision = await client.decide(prompt, tool, args, { ...more, signal });
        // The same run again may come back for the same answer, and no other.
        if (decision.approved) await client.consume(decision.interaction.id, `ag-ui ${about.idempotencyKey}`);
        return decided(interrupt, decision);
      }),
  };
}

function request(run: Run, interrupt: Interrupt, options: AgUiOptions): Question {
  const asking = askingFor(interrupt);
  const { approvals: _, maxAge: __, ...plain } = options;
  const open = (client: Handraise, nth: number, faults: readonly string[] = [], signal?: AbortSignal) => {
    const [prompt, about] = asked(run, interrupt, plain, nth);
    const again = faults.length > 0 ? `\n\nThe answer before did not fit: ${faults.join("; ")}.` : "";
    return client.open(asking.kind, `${prompt}${again}`, { ...about, ...asking.fields, ...(signal ? { signal } : {}) });
  };
  return {
    open: (client) => open(client, 0),
    settle: (client) =>
      inTime(client, run, interrupt, options, async (signal) => {
        let faults: string[] = [];
        for (let nth = 0; ; nth += 1) {
          const { id } = await open(client, nth, faults, signal);
          await client.wait(id, { signal, giveUpAfter: options.giveUpAfter });
          const closed = await client.collect(id);
          const entry = valued(interrupt, asking, closed, (faults = []));
          if (entry !== null) return entry;
        }
      }),
  };
}

/** The entry of an answer; `null` when it does not fit. */
function valued(interrupt: Interrupt, asking: Asking, closed: Interaction, faults: string[]): ResumeEntry | null {
  const proof = { interactionId: closed.id, outcome: closed.outcome };
  try {
    const answer = answered(closed);
    const payload = asking.read(answer, faults);
    if (faults.length > 0) return null;
    const metadata = proofOf({ ...proof, responder: answer.responder?.name ?? null });
    return { interruptId: interrupt.id, status: "resolved", payload, metadata };
  } catch (error) {
    if (!(error instanceof Expired || error instanceof Cancelled)) throw error;
    return { interruptId: interrupt.id, status: "cancelled", metadata: proofOf(proof) };
  }
}

function decided(interrupt: Interrupt, decision: Decision): ResumeEntry {
  const { interaction, outcome, receipt, comment, approved, responder } = decision;
  const proof = { interactionId: interaction.id, outcome, comment, responder: responder?.name ?? null, receipt: receipt?.document ?? null };
  const entry = { interruptId: interrupt.id, metadata: proofOf(proof) };
  if (!approved && outcome !== "denied") return { ...entry, status: "cancelled" };
  const schema = interrupt.responseSchema;
  const isPlain = schema === undefined ? interrupt.toolCallId === undefined : schema["type"] === "boolean";
  if (isPlain) return { ...entry, status: "resolved", payload: approved };
  const hasReason = schema === undefined || "reason" in membersOf(interrupt);
  const payload = {
    approved,
    ...(comment !== null && hasReason ? { reason: comment } : {}),
    ...(approved && interaction.amended !== null ? { editedArgs: decision.arguments } : {}),
  };
  return { ...entry, status: "resolved", payload };
}

/** Whether a yes or a no is expected. A tool call that waits for anything else is no case for people to guess at. */
function isApproval(interrupt: Interrupt): boolean {
  const { reason, responseSchema: schema, toolCallId } = interrupt;
  if (schema === undefined) return toolCallId !== undefined || reason === "confirmation";
  if (schema["type"] === "boolean") return true;
  const members = membersOf(interrupt);
  const isYesOrNo = isObject(members["approved"]) && members["approved"]["type"] === "boolean";
  if (!isYesOrNo && reason === "tool_call") misfit(interrupt, "has no `approved`, which a tool call waits for");
  const required = schema["required"];
  const others = Array.isArray(required) ? required.filter((name) => name !== "approved") : [];
  if (isYesOrNo && others.length > 0) misfit(interrupt, `requires ${others.join(", ")}, which an approval has not`);
  return isYesOrNo;
}

/** What may be changed: arguments that the server can hold against the schema of `editedArgs`, or any. */
function amendable(interrupt: Interrupt): boolean | JsonObject {
  const edited = membersOf(interrupt)["editedArgs"];
  if (!isObject(edited) || interrupt.toolCallId === undefined) return false;
  if (Object.keys(edited).every((name) => ["type", "description", "title"].includes(name))) return true;
  const schema = flatSchema(edited, { isCheckedLater: false });
  return schema === null ? false : { schema };
}

function membersOf({ responseSchema }: Interrupt): JsonObject {
  const members = responseSchema?.["properties"];
  return isObject(members) ? members : {};
}

function actionOf({ messages }: Run, interrupt: Interrupt): { tool: string; args: JsonObject } {
  const { id, reason, message, toolCallId } = interrupt;
  if (toolCallId === undefined) return { tool: reason, args: { interrupt: id, message: message ?? reason } };
  const calls = (messages as readonly Message[]).flatMap((one) => one.toolCalls ?? []);
  const call = calls.find((one) => one.id === toolCallId);
  if (call === undefined) throw new HandraiseError(`the interrupt ${id} is about the tool call ${toolCallId}, which the messages lack`);
  let args: unknown;
  try {
    args = JSON.parse(call.function.arguments === "" ? "{}" : call.function.arguments);
  } catch (cause) {
    throw new HandraiseError(`the arguments of the tool call ${toolCallId} are no JSON`, { cause });
  }
  return { tool: call.function.name, args: snapshotObject(args, `arguments of ${toolCallId}`) };
}

/** The prompt, and the options, under a key that the same interrupt has after a restart. */
function asked<O extends AgUiOptions>(run: Run, interrupt: Interrupt, options: O, nth: number) {
  const { client: _, ...about } = options;
  // An interrupt's id is its own within one run of a thread alone.
  const last = (run.messages.at(-1) as Message | undefined)?.id ?? null;
  const of = snapshotObject({ ...interrupt }, "interrupt");
  const key = createHash("sha256").update(canonicalJson([run.threadId, last, of, nth])).digest("hex");
  const until = interrupt.expiresAt === undefined ? "" : `\n\nOnly until ${interrupt.expiresAt}.`;
  const prompt = `${interrupt.message ?? `An agent waits: ${interrupt.reason}`}${until}`;
  const metadata = { ...about.metadata, "ag-ui": { interruptId: interrupt.id } };
  return [prompt, { ...about, metadata, sessionId: sessionOf(run, options), idempotencyKey: `ag-ui-${key}` }] as const;
}

/** Waits no longer than the interrupt can be answered. */
async function inTime<T>(
  client: Handraise, run: Run, interrupt: Interrupt, options: AgUiOptions, wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const left = deadlineOf(interrupt) - Date.now();
  // One that is further away than a timer of JavaScript can be set is looked at when the answer is there.
  const timer = left < 2 ** 31 ? setTimeout(() => late.abort(), left) : undefined;
  try {
    const settled = await wait(options.signal ? AbortSignal.any([late.signal, options.signal]) : late.signal);
    if (deadlineOf(interrupt) <= Date.now()) throw tooLate([interrupt]);
    return settled;
  } catch (error) {
    if (deadlineOf(interrupt) > Date.now()) throw error;
    await withdraw(client, sessionOf(run, options), interrupt);
    throw tooLate([interrupt]);
  } finally {
    clearTimeout(timer);
  }
}

/** Takes back what is still asked about an interrupt that takes no answer any more. */
async function withdraw(client: Handraise, sessionId: string, { id, expiresAt }: Interrupt): Promise<void> {
  const { items } = await client.list({ sessionId, state: "pending", limit: 200 });
  const ours = items.filter((one) => isObject(one.metadata?.["ag-ui"]) && one.metadata["ag-ui"]["interruptId"] === id);
  for (const one of ours) await client.cancel(one.id, `its run takes no answer since ${expiresAt}`);
}

function sessionOf({ threadId }: Run, { sessionId }: AgUiOptions): string {
  return sessionId ?? threadId;
}

function deadlineOf({ id, expiresAt }: Interrupt): number {
  if (expiresAt === undefined) return Infinity;
  const at = Date.parse(expiresAt);
  if (Number.isNaN(at)) throw new HandraiseError(`expiresAt of the interrupt ${id} is no time: ${JSON.stringify(expiresAt)}`);
  return at;
}

function tooLate(late: readonly Interrupt[]): HandraiseError {
  const named = late.map(({ id, expiresAt }) => `${id} (${expiresAt})`).join(", ");
  return new HandraiseError(`the run takes no answer any more to what has expired: ${named}`);
}
