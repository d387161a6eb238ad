/** One call of a guarded function: what people are shown of it, and whether that is still what would run. */

import { actionDigest, snapshotObject } from "./canonical.js";
import type { ApproveOptions } from "./client.js";
import { ArgumentsChanged, NotJson } from "./errors.js";
import type { JsonObject, Operand } from "./models.js";
import {
  type AnyPath, type Place, expectSamePlaces, expectUnchanged, hashFiles, mayBeRead, pathOf, placesOf,
} from "./operands.js";
import type { Options } from "./options.js";
import { expectRecent } from "./receipts.js";
import { type Decision, expectApproved } from "./verdicts.js";

/** Characters of what people are told of an error. */
const LINE = 300;

export type Paths = AnyPath | readonly AnyPath[];

/** What a guard was written with, besides the function. */
export interface Terms {
  readonly tool: string;
  readonly prompt: string;
  readonly operands: Paths | ((args: never) => Paths);
  readonly hashPaths: boolean;
  readonly maxAge: number;
  readonly key: ((args: never) => string) | undefined;
  readonly describe: ((error: unknown) => string) | undefined;
  readonly options: Omit<Options, "idempotencyKey">;
}

/** What people are told of an error: its type alone, unless the guard says more. A message may hold what is nobody's
 * business. */
export function toldOf(terms: Terms, error: unknown): string {
  const kind = error instanceof Error ? error.constructor.name : typeof error;
  let said = kind;
  try {
    said = terms.describe === undefined ? kind : terms.describe(error);
  } catch {
    // Then its type has to do.
  }
  return String(said).split(/\s+/).filter(Boolean).join(" ").slice(0, LINE);
}

/** Holds a copy of the arguments that nobody else has. */
export class GuardedCall {
  private readonly shown: JsonObject;
  private readonly paths: readonly string[];
  private operands: readonly Operand[] = [];
  private places: ReadonlyMap<string, Place> = new Map();

  constructor(
    private readonly terms: Terms,
    private readonly given: unknown,
  ) {
    ({ shown: this.shown, paths: this.paths } = copied(given));
  }

  /** What to ask people, with the files as they are now. Throws for what cannot be an operand. */
  async question(): Promise<[prompt: string, tool: string, args: JsonObject, options: ApproveOptions]> {
    const { terms } = this;
    const named = this.named();
    this.places = await placesOf([...this.paths, ...named]);
    this.operands = await hashFiles(await this.files(named));
    const key = terms.key === undefined ? {} : { idempotencyKey: terms.key(this.forWork() as never) };
    const options = { ...terms.options, operands: this.operands, maxAge: terms.maxAge, ...key };
    return [terms.prompt, terms.tool, this.shown, options];
  }

  /** What to run the function with, if this decision allows it, and nothing has changed up to now. */
  async releasedBy(decision: Decision, now: Date): Promise<unknown> {
    const { receipt } = expectApproved(decision);
    if (receipt === null) throw new ArgumentsChanged("an approval without a receipt is none");
    expectRecent(receipt, this.terms.maxAge, now);
    let asCalled: JsonObject;
    try {
      asCalled = copied(this.given).shown;
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      throw new ArgumentsChanged(`the arguments were changed since they were approved: ${error.message}`, { cause: error });
    }
    if (this.digest(this.shown) !== receipt.actionDigest || this.digest(asCalled) !== receipt.actionDigest) {
      throw new ArgumentsChanged("the arguments are not those that were approved");
    }
    await expectSamePlaces(this.places);
    await expectUnchanged(this.operands, await this.files(this.named()));
    // Once more: it may have taken long to hash them.
    await expectSamePlaces(this.places);
    return this.forWork();
  }

  private digest(args: JsonObject): string {
    return actionDigest(this.terms.tool, args, this.operands, this.terms.options.attachments);
  }

  /** What is hashed: the files among the arguments, and those that the guard names. */
  private async files(named: readonly AnyPath[]): Promise<AnyPath[]> {
    const found: AnyPath[] = [];
    for (const path of this.terms.hashPaths ? this.paths : []) if (await mayBeRead(path)) found.push(path);
    return [...found, ...named];
  }

  private named(): string[] {
    const { operands } = this.terms;
    const named = typeof operands === "function" ? operands(this.forWork() as never) : operands;
    return (Array.isArray(named) ? named : [named as AnyPath]).map(pathOf);
  }

  /** Another copy each time, so that one that is given away changes nothing. */
  private forWork(): unknown {
    return snapshotObject(this.shown, "arguments");
  }
}

/** What people are shown of the arguments, and the paths among them: a `file:` URL is the path that it names. */
function copied(given: unknown): { shown: JsonObject; paths: string[] } {
  const paths: string[] = [];
  const replace = (value: object): unknown => {
    if (!(value instanceof URL) || value.protocol !== "file:") return value;
    paths.push(pathOf(value));
    return pathOf(value);
  };
  return { shown: snapshotObject(given ?? {}, "arguments", replace), paths };
}

