/**
 * Whether the server has noted that an approval is used by this run. Fails closed.
 *
 * A receipt says what was decided, not to whom it is shown, so a program in the server's place could show a genuine
 * one again. A run has a name that no run had before: what the server signs about it was made for it.
 */

import { NotVerified } from "./errors.js";
import * as reading from "./reading.js";
import { isObject } from "./reading.js";
import { CLOCKS_DIFFER } from "./receipts.js";
import { isSigned, publicKey } from "./signatures.js";

const STATEMENT = { version: 1, statement: "handraise consumption" };
const FIELDS = ["at", "run", "public_key", "signature"] as const;

/** What the server has noted of a use. */
export type Note = Readonly<Record<(typeof FIELDS)[number], string>>;

/** The note that the server says it has signed for this run, and its key. Throws `NotVerified` if there is none. */
export function noteOf(body: unknown, run: string): { note: Note; key: string } {
  const note: unknown = isObject(body) ? body["consumed"] : null;
  if (!isObject(note) || !FIELDS.every((name) => typeof note[name] === "string")) {
    throw new NotVerified("nothing may run: the server lacks a signed note of the run that this approval is used by");
  }
  if (note["run"] !== run) {
    throw new NotVerified(`nothing may run: the server says that the run ${note["run"]} has this approval`);
  }
  const key = publicKey(note["public_key"]);
  if (key === null) throw new NotVerified("nothing may run: the public key of the server's note is none");
  return { note: note as Note, key };
}

/** Throws `NotVerified` unless this key, which is trusted already, has signed that this was used at most `maxAge`
 * milliseconds ago. */
export async function expectNoted(note: Note, id: string, key: string, now: Date, maxAge = CLOCKS_DIFFER): Promise<void> {
  const { at, run, public_key, signature } = note;
  if (!(await isSigned({ ...STATEMENT, interaction_id: id, at, run, public_key, signature }, key))) {
    throw new NotVerified("nothing may run: the signature of the server's note is not over this run");
  }
  let used: Date;
  try {
    used = reading.time(at);
  } catch (error) {
    throw new NotVerified(`nothing may run: the server's note cannot be read: ${at}`, { cause: error });
  }
  const age = now.getTime() - used.getTime();
  if (!(age <= Math.max(maxAge, CLOCKS_DIFFER) && age >= -CLOCKS_DIFFER)) {
    throw new NotVerified(`nothing may run: this approval was used at ${at}, and here it is ${now.toISOString()}`);
  }
}
