/** As much of AG-UI 1.0 as is needed here; the tests hold it against `@ag-ui/core`. */

import type { JsonObject } from "../models.js";

/** What a run waits for. */
export interface Interrupt {
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly responseSchema?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The answer to one, for `resume` of the next run. */
export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: unknown;
  metadata?: Record<string, unknown>;
}

export interface Message {
  readonly id: string;
  readonly role: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

/** A thread after a run that ended with interrupts: an `HttpAgent`, or what an app has kept of one. */
export interface Run {
  readonly threadId: string;
  readonly messages: readonly object[];
  readonly pendingInterrupts: readonly Interrupt[];
}

/** The event that ends a run with interrupts. */
export interface RunFinished {
  type: "RUN_FINISHED";
  threadId: string;
  runId: string;
  outcome: { type: "interrupt"; interrupts: Interrupt[] };
}

/** What we put into `metadata` of an entry: the key `ag-ui` is the protocol's own. */
export function proofOf(fields: JsonObject): Record<string, unknown> {
  return { handraise: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) };
}
