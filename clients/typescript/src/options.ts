/** What may be said with every question, and how it is put into a request. */

import { randomUUID } from "node:crypto";

import type { Attachment, JsonObject, Operand, Option, Question, Task } from "./models.js";

/** An option of a choice; a string is its value and its label. */
export type AnyOption = string | Option;

/** What any interaction may carry. All of it may be left out. */
export interface About {
  /** This agent's own context, up to 128 characters. */
  readonly sessionId?: string | null | undefined;
  /** The piece of work; a string is its id. */
  readonly task?: string | Task | null | undefined;
  /** A few words above the prompt, up to 200 characters. */
  readonly title?: string | null | undefined;
  /** The name of the team to ask, one that an admin has opened to this agent. Left out, the agent's home. */
  readonly team?: string | null | undefined;
  /** Before the others. */
  readonly urgent?: boolean | undefined;
  /** Anything, up to 8 kB of JSON; it comes back with the answer. */
  readonly metadata?: JsonObject | null | undefined;
  /** Up to five files that people are shown with it, each from `Handraise.attach`. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** An address to be called when it is closed. */
  readonly callbackUrl?: string | null | undefined;
  /** The same key and the same request get the same interaction, also from another process, up to 255 characters.
   * Without it every call makes its own. */
  readonly idempotencyKey?: string | undefined;
  /** Seconds without any reply after which to throw `Unreachable`. Left out, what the client was made with. */
  readonly giveUpAfter?: number | null | undefined;
  /** Ends the waiting here. What was asked stays as it is; `cancel` takes it back. */
  readonly signal?: AbortSignal | undefined;
}

/** What any question may carry. All of it may be left out. */
export interface Options extends About {
  /** Seconds until it expires, from 1 to 400 days; `null` = never. Left out, the server's default of the kind. */
  readonly timeout?: number | null | undefined;
  /** `sync`, which is the default: this agent has stopped. `async`: it goes on meanwhile. */
  readonly mode?: "sync" | "async" | undefined;
  /** Whom of the team it is for: `duty`, `team`, or `person:` and a name. Others who may answer it still may. */
  readonly to?: string | null | undefined;
  /** Whether it is taken back when the session in `sessionId` ends: see `endSession`. */
  readonly withdrawOnDisconnect?: boolean | undefined;
}

/** What belongs to a kind. */
export interface Fields {
  readonly fallback?: unknown;
  readonly options?: readonly AnyOption[] | undefined;
  readonly multiple?: boolean | undefined;
  readonly tool?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly operands?: readonly Operand[] | undefined;
  readonly amendable?: boolean | JsonObject | undefined;
  readonly approvals?: number | JsonObject | undefined;
  readonly plan?: string | undefined;
  readonly revises?: string | undefined;
  readonly questions?: readonly Question[] | undefined;
  readonly level?: string | undefined;
}

const ABOUT = [
  "sessionId", "task", "title", "team", "urgent", "metadata", "attachments", "callbackUrl", "idempotencyKey",
  "giveUpAfter", "signal",
];
const OPTIONS = [...ABOUT, "timeout", "mode", "to", "withdrawOnDisconnect"];

/** The fields of a request for these options. Throws `TypeError` for one that is none. */
export function putOptions(kind: string, options: Options): Record<string, unknown> {
  const known = kind === "notification" ? ABOUT : OPTIONS;
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`there is no option ${JSON.stringify(name)} here`);
  }
  const { mode, sessionId, team, to, title, metadata, callbackUrl, task, attachments, timeout } = options;
  const body: Record<string, unknown> = {
    mode,
    session_id: sessionId,
    team,
    to,
    title,
    metadata,
    callback_url: callbackUrl,
    task: typeof task === "string" ? { id: task } : task && withoutNull(task),
    attachments: attachments?.length ? attachments.map(idOf) : null,
    priority: options.urgent ? "urgent" : null,
    withdraw_on_disconnect: options.withdrawOnDisconnect || null,
  };
  // Of a deadline `null` is never, and nothing is the server's default.
  return { ...withoutNull(body), ...(timeout === undefined ? {} : { timeout_seconds: allowed(timeout) ?? null }) };
}

/** What belongs to a kind, for a request. */
export function putFields(fields: Fields): Record<string, unknown> {
  const { tool, arguments: args, operands, options, questions, approvals, amendable, ...plain } = fields;
  const action = withoutNull({ tool, arguments: args, operands: operands?.length ? operands.map(operand) : null });
  return withoutNull({
    ...plain,
    options: options?.map(choice),
    questions: questions?.map((one) => withoutNull({ ...one, options: one.options?.map(choice) })),
    approvals: typeof approvals === "number" ? { needed: approvals } : approvals,
    amendable: amendable || null,
    action: Object.keys(action).length > 0 ? action : null,
  });
}

/** How many seconds after asking an answer counts, by what the server is told: it counts whole ones. */
export function allowed(timeout: number | null | undefined): number | undefined {
  if (timeout === null || timeout === undefined) return undefined;
  if (typeof timeout !== "number" || !Number.isFinite(timeout)) {
    throw new TypeError("`timeout` is a number of seconds, or null for never");
  }
  return Math.ceil(timeout);
}

/** The key to ask under: the given one, or a new one. */
export function keyOf(about: About): string {
  const key = about.idempotencyKey;
  if (key === undefined) return randomUUID().replaceAll("-", "");
  if (typeof key !== "string" || !/^[\x20-\x7e]*$/.test(key)) {
    throw new TypeError(`an idempotencyKey is of visible ASCII characters, unlike ${JSON.stringify(key)}`);
  }
  return key;
}

function idOf(attachment: Attachment): string {
  if (attachment.id === null) {
    throw new TypeError(`${attachment.name} is part of something already: attach it once more`);
  }
  return attachment.id;
}

function choice(option: AnyOption): unknown {
  return typeof option === "string" ? option : withoutNull(option);
}

function operand({ name, sha256, size }: Operand): JsonObject {
  return { name, sha256, size };
}

function withoutNull(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined));
}
