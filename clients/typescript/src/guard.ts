/** `guarded`: a function that runs only when a person has approved this very call. Fails closed. */

import { expectUnasked, expectUngated, gated } from "./asked.js";
import { Handraise } from "./client.js";
import { expectDone, expectGuardable } from "./guardable.js";
import { GuardedCall, type Paths, type Terms, toldOf } from "./guarded_call.js";
import { log } from "./log.js";
import { approvedInWords, askedNobody } from "./models.js";
import { type Options, putOptions } from "./options.js";
import { MAX_AGE } from "./receipts.js";

/** How a guard asks. */
export interface GuardOptions<Args> extends Omit<Options, "idempotencyKey"> {
  /** What people see as the name of the action; left out, the function's name. */
  readonly tool?: string;
  readonly prompt?: string;
  /** Left out, each call makes its own from the environment. */
  readonly client?: Handraise;
  /** Files that the call reads or runs: paths, or a function that makes them from the arguments. They are approved
   * with their SHA-256, and so are the regular files that any `file:` URL among the arguments names. */
  readonly operands?: Paths | ((args: Args) => Paths);
  /** `false` shows the `file:` URLs among the arguments and hashes none. */
  readonly hashPaths?: boolean;
  /** A decision that was made more than so many seconds ago is none. */
  readonly maxAge?: number;
  /** Makes an idempotency key from the arguments. A program that crashed while it waited gets the same approval under
   * the same key when it calls again, and `AlreadyUsed` if it had used it. Without keys each call asks. */
  readonly key?: (args: Args) => string;
  /** What people are told of an error; left out, its type alone. */
  readonly describe?: (error: unknown) => string;
}

/**
 * Has a person approve every call of a function, with its arguments, before it runs, once.
 *
 * The function takes one object, whose members are the arguments that people see by name; it gets a copy of exactly
 * those, made before asking, with the path in the place of each `file:` URL. Before it runs, the server's receipt is
 * verified and the approval is used up; files are hashed again, and have to lie where they did when people were asked.
 * Afterwards the server is told whether it returned (*done*) or threw (*failed*).
 *
 * A call throws, and does not run the function: `NotJson` before asking, when an argument is anything but JSON or a
 * `file:` URL; a `TypeError` before asking, when an operand is no regular file; `Denied`, `Expired`, `Cancelled`;
 * `NotVerified` and `KeyChanged` when no receipt proves the approval; `ArgumentsChanged` when the arguments were
 * changed since, or the server approved something else, and `OperandChanged`; `AlreadyUsed`; `Refused`,
 * `Unauthorized`, and `Unreachable` with `giveUpAfter`. A result that would work later (a function, a promise or an
 * iterator, also in lists and objects) is a `TypeError`. Where an adapter asks about the same tool, one of both is too
 * many: a `HandraiseError`.
 */
export function guarded<Args extends object | void, Result>(
  work: (args: Args) => Result,
  options: GuardOptions<Args> = {},
): (args: Args) => Promise<Awaited<Result>> {
  const { tool, prompt, client, operands = [], hashPaths = true, maxAge = MAX_AGE, key, describe, ...more } = options;
  expectGuardable(work);
  if ("idempotencyKey" in more) {
    throw new TypeError("an approval is good for one call: pass `key`, which makes an idempotency key for each");
  }
  putOptions("approval", more);
  const name = tool ?? work.name;
  if (name === "") throw new TypeError("a function without a name is guarded with a `tool`");
  const terms: Terms = {
    tool: name,
    prompt: prompt ?? `May this agent run \`${name}\`?`,
    operands,
    hashPaths,
    maxAge,
    key,
    describe,
    options: more,
  };
  expectUngated(name, work);
  return gated((args: Args) => runApproved(terms, args, client, work as (args: unknown) => Result));
}

/** Asks, verifies and consumes, runs the function with what was approved, and reports. */
async function runApproved<Result>(
  terms: Terms,
  given: unknown,
  ownClient: Handraise | undefined,
  work: (args: unknown) => Result,
): Promise<Awaited<Result>> {
  expectUnasked(terms.tool);
  const call = new GuardedCall(terms, given);
  const client = ownClient ?? new Handraise();
  const decision = await client.decide(...(await call.question()));
  await call.releasedBy(decision, new Date());
  const { id } = decision.interaction;
  await client.consume(id);
  if (decision.receipt !== null && askedNobody(decision.receipt)) {
    log.info(`${approvedInWords(decision.receipt)}: ${terms.tool}`);
  }
  let result: Awaited<Result>;
  try {
    // Once more: a server may have been away for long before it could be told.
    const args = await call.releasedBy(decision, new Date());
    result = expectDone(terms.tool, await work(args));
  } catch (error) {
    await client.reportSoon(id, "failed", toldOf(terms, error));
    throw error;
  }
  await client.reportSoon(id, "done");
  return result;
}
