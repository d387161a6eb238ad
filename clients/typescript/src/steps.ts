/** What all calls are made of: to open, look, wait, collect, take back. */

import { expectKept, readAttachment, sendingOf } from "./attachments.js";
import { actionDigest, snapshotObject } from "./canonical.js";
import { ArgumentsChanged, HandraiseError, Refused, Unreachable } from "./errors.js";
import {
  Backoff, CLOCK, type Clock, type Limits, Patience, type Request, encoded, exchange, read,
} from "./exchange.js";
import type { Keys } from "./keys.js";
import { log } from "./log.js";
import { type Attachment, type Interaction, type Page, isPending } from "./models.js";
import type { AnyPath } from "./operands.js";
import { type Fields, type Options, keyOf, putFields, putOptions } from "./options.js";
import * as reading from "./reading.js";
import type { Server } from "./sending.js";
import { traceHeaders } from "./trace.js";

/** Seconds that the server is asked to hold a poll. */
export const HOLD = 30;

/** Seconds that a program which is done waits for the server to hear of it. */
const REPORT_FOR = 10;

/** What `list` looks for. */
export interface Filter {
  readonly state?: string;
  readonly kind?: string;
  readonly mode?: string;
  readonly agent?: string;
  readonly sessionId?: string;
  readonly taskId?: string;
  /** Finds words by their beginnings. */
  readonly q?: string;
  /** From 1 to 200; 50 if left out. */
  readonly limit?: number;
  readonly cursor?: string;
}

export class Steps {
  constructor(
    protected readonly server: Server,
    protected readonly keys: Keys,
    private readonly giveUpAfter: number | null = null,
    protected readonly clock: Clock = CLOCK,
  ) {}

  /**
   * An interaction as it is now.
   *
   * Throws `Refused` (404) when there is none, or when it is another agent's; `Unauthorized`, `Unreachable`.
   */
  async get(id: string): Promise<Interaction> {
    return this.interaction({ method: "GET", path: pathOf(id) }, this.patience());
  }

  /**
   * Waits until an interaction is closed, and returns it; as it is by then after `timeout` seconds.
   *
   * Does not collect it, and throws nothing because of how it ended. Throws `Unreachable` when there was no reply at
   * all before `timeout`, and as `get` does.
   */
  async wait(
    id: string,
    { timeout, giveUpAfter, signal }: { timeout?: number | undefined } & Pick<Options, "giveUpAfter" | "signal"> = {},
  ): Promise<Interaction> {
    const until = timeout === undefined ? Infinity : this.clock.seconds() + timeout;
    const patience = this.patience({ giveUpAfter, signal, until });
    const unheld = new Backoff(() => this.clock.chance());
    let seen: Interaction | null = null;
    for (;;) {
      const askedAt = this.clock.seconds();
      const hold = Math.max(0, Math.ceil(Math.min(until - askedAt, HOLD)));
      const headers: Record<string, string> = hold > 0 ? { Prefer: `wait=${hold}` } : {};
      try {
        seen = await this.interaction({ method: "GET", path: pathOf(id), headers, hold }, patience);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        error.interactionId = id;
        if (seen === null || this.clock.seconds() < until) throw error;
        return seen;
      }
      const now = this.clock.seconds();
      if (!isPending(seen) || now >= until) return seen;
      if (now - askedAt >= hold / 2) {
        unheld.reset();
      } else {
        // The server is about to stop, or something on the way does not let it hold us.
        await this.clock.sleep(Math.min(unheld.next(), until - now), signal);
      }
    }
  }

  /**
   * Sends a file that a question is to carry, and returns what `attachments` of that question takes, within an hour
   * and once. With `content`, `file` is only its name.
   *
   * A picture (PNG, JPEG, WebP) is encoded anew by the server; a text, and a diff (`.diff`, `.patch`), stays as it is.
   */
  async attach(file: AnyPath, content?: Uint8Array, mediaType?: string): Promise<Attachment> {
    const sent =
      content === undefined
        ? await readAttachment(file)
        : { name: String(file), content: Uint8Array.from(content) };
    const body = await exchange(this.server.send, sendingOf(sent.name, sent.content, mediaType), this.patience());
    return expectKept(read(reading.attachment, body), sent.name, sent.content);
  }

  /**
   * Says that this agent took note of how it ended; again changes nothing.
   *
   * Throws `Refused` with the code `still_pending` (409), and as `get` does.
   */
  async collect(id: string): Promise<Interaction> {
    return this.collected(id, this.patience());
  }

  /**
   * Takes a question back. `reason` has up to 300 characters.
   *
   * Throws `Refused` with the code `already_closed` (409) when it was closed before, and as `get` does.
   */
  async cancel(id: string, reason?: string): Promise<Interaction> {
    const patience = this.patience();
    const body = encoded(reason === undefined ? {} : { reason });
    try {
      return await this.interaction({ method: "POST", path: pathOf(id, "cancel"), body }, patience);
    } catch (error) {
      // Our own first try may have got there, and its reply not back.
      const isDone = error instanceof Refused && patience.troubled && error.problem["outcome"] === "cancelled";
      if (!isDone) throw error;
      return this.interaction({ method: "GET", path: pathOf(id) }, patience);
    }
  }

  /**
   * Takes back what this agent asked in a session with `withdrawOnDisconnect`, and nothing else; again changes
   * nothing. Returns what was taken back.
   */
  async endSession(sessionId: string): Promise<Interaction[]> {
    const body = encoded({ session_id: sessionId });
    const ended = await exchange(this.server.send, { method: "POST", path: "/sessions/end", body }, this.patience());
    return read(reading.interactions, ended);
  }

  /**
   * Says what came of it, once, for people to see; the same again changes nothing. `text` has up to 2,000 characters.
   *
   * Throws `Refused` with the code `already_reported` (409), and as `get` does.
   */
  async report(id: string, outcome: "done" | "failed", text?: string): Promise<Interaction> {
    return this.interaction(reporting(id, outcome, text), this.patience());
  }

  /** `report` for who has something else to do: throws nothing, and gives up after some seconds. */
  async reportSoon(id: string, outcome: "done" | "failed", text?: string): Promise<void> {
    try {
      const request = { ...reporting(id, outcome, text), within: REPORT_FOR };
      await this.interaction(request, this.patience({ until: this.clock.seconds() + REPORT_FOR }));
    } catch (error) {
      log.warn(`could not tell the server that ${id} is ${outcome}: ${String(error)}`);
    }
  }

  /** One page of what this agent has asked (a responder token sees all), newest first. Throws as `get` does. */
  async list(filter: Filter = {}): Promise<Page> {
    const { sessionId, taskId, ...same } = filter;
    const given = Object.entries({ ...same, session_id: sessionId, task_id: taskId });
    const query = new URLSearchParams();
    for (const [name, value] of given) if (value !== undefined) query.set(name, String(value));
    const body = await exchange(this.server.send, { method: "GET", path: `/interactions?${query}` }, this.patience());
    return read(reading.page, body);
  }

  /** Opens under a key, so that trying again asks nothing new. */
  protected async opened(kind: string, prompt: string, about: Options, fields: Fields): Promise<Interaction> {
    let [exact, digest] = [fields, null as string | null];
    if (fields.arguments !== undefined) {
      const args = snapshotObject(fields.arguments, "arguments");
      if (typeof fields.tool !== "string") throw new TypeError("an action has a `tool`");
      digest = actionDigest(fields.tool, args, fields.operands, about.attachments);
      exact = { ...fields, arguments: args };
    }
    const body = encoded({ kind, prompt, ...putOptions(kind, about), ...putFields(exact) });
    const key = keyOf(about);
    const headers = { "Idempotency-Key": key, ...traceHeaders() };
    const request: Request = { method: "POST", path: "/interactions", body, headers };
    let opened: Interaction;
    try {
      opened = await this.interaction(request, this.patience(about));
    } catch (error) {
      if (error instanceof Unreachable) error.idempotencyKey = key;
      throw error;
    }
    if (digest !== null) expectDigest(digest, opened);
    return opened;
  }

  protected async collected(id: string, patience: Patience): Promise<Interaction> {
    return this.interaction({ method: "POST", path: pathOf(id, "collect") }, patience);
  }

  protected async interaction(request: Request, patience: Patience): Promise<Interaction> {
    return read(reading.interaction, await exchange(this.server.send, request, patience));
  }

  protected patience({ giveUpAfter, until, signal }: Limits = {}): Patience {
    return new Patience(this.clock, { giveUpAfter: giveUpAfter ?? this.giveUpAfter, until, signal });
  }
}

/** Throws `ArgumentsChanged` when the action that the server has is another. */
export function expectDigest(digest: string, interaction: Interaction): void {
  if (interaction.actionDigest !== digest) {
    throw new ArgumentsChanged(
      `the server has an action with the digest ${interaction.actionDigest}, this one has ${digest}`,
    );
  }
}

/** The path of an interaction, or of something that is done to it. */
export function pathOf(id: string, verb = ""): string {
  // A URL would take these for steps in its path.
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is no id`);
  const path = `/interactions/${encodeURIComponent(id)}`;
  return verb === "" ? path : `${path}/${verb}`;
}

/** What a reply of this kind always has. */
export function there<T>(value: T | null): T {
  if (value === null) throw new HandraiseError("this reply lacks what belongs to its kind");
  return value;
}

function reporting(id: string, outcome: string, text?: string): Request {
  return { method: "POST", path: pathOf(id, "report"), body: encoded({ outcome, text }) };
}
