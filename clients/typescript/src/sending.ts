/** Where requests go, and as whom: one request, one reply, by `fetch`. */

import { addressOf, serverUrl } from "./address.js";
import { HandraiseError } from "./errors.js";
import { LONGEST_REPLY, Lost, REPLYING, type Reply, type Request, type Send } from "./exchange.js";
import { VERSION } from "./version.js";

/** Where `handraise serve` listens unless it is told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:3000";

/** What `fetch` is to this package; for TLS and proxies of your own, and for tests. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Server {
  readonly address: string;
  readonly send: Send;
}

/** A server by its URL and token, else by HANDRAISE_URL and HANDRAISE_TOKEN. Throws `HandraiseError`. */
export function serverAt(url?: string, token?: string, fetchWith: Fetch = fetch): Server {
  const base = serverUrl((url || process.env["HANDRAISE_URL"] || DEFAULT_URL).trim());
  const secret = (token || process.env["HANDRAISE_TOKEN"] || "").trim();
  if (secret === "") {
    throw new HandraiseError(
      "no token: pass `token` or set HANDRAISE_TOKEN; `handraise token create --kind agent --name NAME` makes one",
    );
  }
  if (!/^[\x20-\x7e]*$/.test(secret)) throw new HandraiseError("the token has characters that no token has");
  const headers = {
    Authorization: `Bearer ${secret}`,
    "Content-Type": "application/json",
    // Of a short text a long one could come.
    "Accept-Encoding": "identity",
    "User-Agent": `handraise-typescript/${VERSION}`,
  };
  const address = addressOf(base);
  return { address, send: (request, signal) => send(fetchWith, `${address}/api/v1`, headers, request, signal) };
}

async function send(
  fetchWith: Fetch,
  base: string,
  headers: Readonly<Record<string, string>>,
  request: Request,
  signal?: AbortSignal,
): Promise<Reply> {
  const ended = AbortSignal.timeout(((request.within ?? REPLYING) + (request.hold ?? 0)) * 1000);
  try {
    const response = await fetchWith(`${base}${request.path}`, {
      method: request.method,
      headers: { ...headers, ...request.headers },
      body: request.body ?? null,
      redirect: "manual",
      signal: signal === undefined ? ended : AbortSignal.any([ended, signal]),
    });
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  } catch (error) {
    signal?.throwIfAborted();
    if (ended.aborted) throw new Lost("the reply did not end in time", { cause: error });
    throw new Lost(causeOf(error), { cause: error });
  }
}

/** Never more than a server of ours may say. */
async function bodyOf(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (response.body !== null) {
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      parts.push(part);
      length += part.length;
      if (length > LONGEST_REPLY) break;
    }
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** `fetch` says only that it failed; its cause says why. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message || String((cause as { code?: unknown }).code)}` : String(cause);
}
