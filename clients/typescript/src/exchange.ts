/** Talking to the server: what to make of a reply, when to try again, and when to give up. */

import { HandraiseError, NotJson, Refused, Unauthorized, Unreachable } from "./errors.js";
import { log } from "./log.js";
import { Unreadable, isObject } from "./reading.js";

/** Seconds after which a reply that is not there whole counts as lost, unless the request says otherwise. */
export const REPLYING = 30;

/** Bytes. More than a server of ours ever says at once; a program in its place could go on for ever. */
export const LONGEST_REPLY = 8 * 1024 * 1024;

const FIRST = 0.25;
const LONGEST = 10;

/** What to send. The path begins after `/api/v1`. */
export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For how many seconds the server was asked to hold its reply back. */
  readonly hold?: number;
  /** Seconds after which a reply that is not there whole counts as lost, besides the time it is held. */
  readonly within?: number;
}

/** What came back, whole. Of a body that is too long, the beginning, which is longer than `LONGEST_REPLY`. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** Sends a request once. Throws `Lost` when no reply comes: whether the server has done it is unknown then. */
export type Send = (request: Request, signal?: AbortSignal) => Promise<Reply>;

/** No reply. */
export class Lost extends Error {}

/** Time, and what is random from 0 to 1; tests have others. */
export interface Clock {
  /** Seconds from any moment. */
  seconds(): number;
  now(): Date;
  chance(): number;
  sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}

export const CLOCK: Clock = {
  seconds: () => performance.now() / 1000,
  now: () => new Date(),
  chance: Math.random,
  sleep: async (seconds, signal) => {
    signal?.throwIfAborted();
    await new Promise<void>((done, fail) => {
      const abort = (): void => {
        clearTimeout(timer);
        fail(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        done();
      }, seconds * 1000);
      signal?.addEventListener("abort", abort, { once: true });
    });
  },
};

/**
 * Growing pauses with jitter, so that agents do not all come back at once: 0.25 s, doubled up to 10 s, and of that a
 * random part of at least half.
 */
export class Backoff {
  private count = 0;

  constructor(private readonly chance: () => number) {}

  /** Seconds to wait; a little more than `atLeast`. */
  next(atLeast = 0): number {
    const longest = Math.min(LONGEST, FIRST * 2 ** this.count);
    this.count += 1;
    const pause = longest * (0.5 + this.chance() / 2);
    return atLeast > 0 ? Math.max(pause, atLeast + this.chance()) : pause;
  }

  /** Begins anew. */
  reset(): void {
    this.count = 0;
  }
}

/** How long one call puts up with a server that does not answer. */
export interface Limits {
  /** Seconds in a row; left out, for ever. */
  readonly giveUpAfter?: number | null | undefined;
  /** A moment of the clock. */
  readonly until?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Patience {
  /** Whether anything went wrong in this call, and so whether something may have been done unheard. */
  troubled = false;
  private silentSince: number | null = null;
  private readonly backoff: Backoff;

  constructor(
    readonly clock: Clock,
    private readonly limits: Limits = {},
  ) {
    this.backoff = new Backoff(() => clock.chance());
  }

  get signal(): AbortSignal | undefined {
    return this.limits.signal;
  }

  /** The server has answered. */
  heard(): void {
    if (this.silentSince !== null) {
      log.info(`the server answers again, after ${(this.clock.seconds() - this.silentSince).toFixed(1)} s`);
    }
    this.silentSince = null;
    this.backoff.reset();
  }

  /** Waits after something went wrong. Throws `Unreachable` when that was long enough. */
  async pause(trouble: string, retryAfter: number): Promise<void> {
    const now = this.clock.seconds();
    this.troubled = true;
    if (this.silentSince === null) {
      this.silentSince = now;
      log.warn(`trying again, since ${trouble}`);
    }
    const { until, giveUpAfter } = this.limits;
    const ends = [until, giveUpAfter == null ? undefined : this.silentSince + giveUpAfter];
    const end = Math.min(...ends.map((one) => one ?? Infinity));
    if (now >= end) throw new Unreachable(now - this.silentSince, trouble);
    await this.clock.sleep(Math.min(this.backoff.next(retryAfter), end - now), this.signal);
  }
}

/**
 * Sends a request until it is answered, and returns the JSON of the answer.
 *
 * What is lost, 408, 429 and 5xx are tried again, by `Retry-After` where the server says so: every request of this
 * package may be sent twice. Throws `Refused`, `Unauthorized`, `Unreachable`.
 */
export async function exchange(send: Send, request: Request, patience: Patience): Promise<unknown> {
  for (;;) {
    patience.signal?.throwIfAborted();
    let trouble: string;
    let retryAfter = 0;
    try {
      const reply = await send(request, patience.signal);
      if (!mayPass(reply.status)) {
        patience.heard();
        return contentOf(reply);
      }
      trouble = `the server said ${reply.status} ${String(objectIn(reply.body)["code"] ?? "")}`.trimEnd();
      retryAfter = secondsIn(reply.headers.get("retry-after"), patience.clock.now());
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      trouble = error.message;
    }
    await patience.pause(trouble, retryAfter);
  }
}

/** A body to send. Throws `NotJson`. */
export function encoded(body: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new NotJson(`this cannot be sent as JSON: ${String(error)}`, { cause: error });
  }
}

/** Reads a reply. Throws `HandraiseError` when it is none of Handraise. */
export function read<T>(parse: (body: unknown) => T, body: unknown): T {
  try {
    return parse(body);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new HandraiseError(`this reply is not one of Handraise: ${error.message}`, { cause: error });
  }
}

function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Seconds; 0 when the server does not say. A proxy may send a date. */
function secondsIn(value: string | null, now: Date): number {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const moment = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? 0 : Math.max(0, (moment - now.getTime()) / 1000);
}

function contentOf(reply: Reply): unknown {
  if (reply.body.length > LONGEST_REPLY) {
    throw new HandraiseError(`the server's answer is longer than ${LONGEST_REPLY} bytes, so it is not read`);
  }
  if (reply.status >= 200 && reply.status < 300) {
    const body = parsed(reply.body);
    if (body === undefined) {
      throw new HandraiseError("this reply is not JSON: is the URL that of a Handraise server?");
    }
    return body;
  }
  if (reply.status === 401) throw new Unauthorized(401, objectIn(reply.body));
  if (reply.status >= 400) throw new Refused(reply.status, objectIn(reply.body));
  // A redirect is not followed: it would carry the token to where it leads.
  const place = reply.headers.get("location") ?? "nowhere";
  throw new HandraiseError(`the server sent ${reply.status} to ${place}: is the URL right?`);
}

function objectIn(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parsed(body);
  return isObject(value) ? value : {};
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
