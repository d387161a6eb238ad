/** Everything this package throws by itself. Arguments of the wrong type are a `TypeError`, as everywhere. */

import type { Interaction } from "./models.js";
import type { Decision } from "./verdicts.js";

/** What all the others are. By itself: what answers at this address is not a Handraise server. */
export class HandraiseError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Something to be sent has no JSON form that every program reads alike. Nothing was asked. */
export class NotJson extends HandraiseError {}

/** The deadline passed without an answer, and there was no fallback. */
export class Expired extends HandraiseError {
  constructor(readonly interaction: Interaction) {
    super(`nobody answered in time: ${interaction.dashboardUrl}`);
  }
}

/** The question was taken back: by this agent, a person, or the end of its task. */
export class Cancelled extends HandraiseError {
  constructor(readonly interaction: Interaction) {
    super(`taken back before it was answered: ${interaction.dashboardUrl}`);
  }
}

/** An action was not approved, and so may not run. */
export class Denied extends HandraiseError {
  constructor(readonly decision: Decision) {
    const { interaction, comment } = decision;
    const how =
      interaction.erased === null
        ? (interaction.outcome ?? interaction.state)
        : `erased by ${interaction.erased.by ?? "a setting"}`;
    super(`not approved (${how})${comment ? `: ${comment}` : ""}`);
  }
}

/** What would run is not what was approved, and so was not run. */
export class ArgumentsChanged extends HandraiseError {}

/** A file of the action is not what it was when somebody approved it, or its path leads elsewhere than it did when
 * they were asked, and so nothing was run. */
export class OperandChanged extends ArgumentsChanged {
  constructor(
    readonly file: string,
    how: string,
  ) {
    super(`${file} has changed since it was approved: ${how}`);
  }
}

/** The server says yes, and does not prove it: there is no receipt, or no signed note of the run that uses it, or it
 * does not hold for this. Nothing may run on it. */
export class NotVerified extends HandraiseError {}

/** Receipts are signed with another key than those that are trusted for this server, and none of these has announced
 * it. */
export class KeyChanged extends NotVerified {
  constructor(
    readonly address: string,
    readonly trusted: readonly string[],
    readonly found: string,
    isNamed: boolean,
  ) {
    const remedy = isNamed
      ? "name it there"
      : `run\n  handraise trust remove ${address}\n  handraise trust add ${address} ${found}`;
    super(
      `the key of ${address} has CHANGED: its receipts are signed with\n  ${found}\n` +
        `and trusted here${isNamed ? " (HANDRAISE_PUBLIC_KEY)" : ""} is\n  ${trusted.join(", ")}\n` +
        "If this was decided before the server's key was rotated, ask again: a former key is trusted no longer. " +
        "Else another program answers in its place, or the server has a new key. Ask its operator what " +
        `\`handraise journal verify\` prints there; if that is the first of these keys, ${remedy}`,
    );
  }
}

/** An approval is good for one run, and another run has it: perhaps one that crashed. Whether that run did what it
 * was approved for is not known here. Ask again, under another key, to run it again. */
export class AlreadyUsed extends HandraiseError {
  constructor(
    readonly interactionId: string,
    readonly at: Date | null,
    readonly by: string | null,
  ) {
    super(`the approval ${interactionId} was used by the run ${by} at ${at?.toISOString()}`);
  }
}

/** What is wrong with one field of a request. */
export interface Fault {
  /** The field, as in `task.title` or `options[2].label`; `$` is the whole body. */
  readonly path: string;
  readonly message: string;
}

/** The server understood, and does not do it (4xx). Trying the same again will not help. */
export class Refused extends HandraiseError {
  /** Keeps its meaning from version to version; `null` when it was not Handraise that refused. */
  readonly code: string | null;
  readonly detail: string | null;
  readonly errors: readonly Fault[];

  constructor(
    readonly status: number,
    /** The whole body, with the fields that belong to some codes only, such as `closed_by`. */
    readonly problem: Readonly<Record<string, unknown>>,
  ) {
    const code = typeof problem["code"] === "string" ? problem["code"] : null;
    const detail = typeof problem["detail"] === "string" ? problem["detail"] : null;
    const errors = faults(problem["errors"]);
    const more = errors.length > 1 ? ` ${errors.map((one) => `${one.path}: ${one.message}`).join("; ")}` : "";
    const told = `${detail ?? ""}${more}`;
    super(`${status} ${code ?? "without a code"}${told ? `: ${told}` : ""}`);
    this.code = code;
    this.detail = detail;
    this.errors = errors;
  }
}

/** The token is missing, wrong or revoked (401). */
export class Unauthorized extends Refused {}

/**
 * No usable reply for as long as the caller said (`giveUpAfter`, or the `timeout` of `wait`).
 *
 * What was asked may well be waiting for its answer: ask again with the same `idempotencyKey`, or `wait` for
 * `interactionId`.
 */
export class Unreachable extends HandraiseError {
  idempotencyKey: string | null = null;
  interactionId: string | null = null;

  constructor(seconds: number, last: string) {
    super(`no usable reply for ${Math.round(seconds)} s; the last trouble was: ${last}`);
  }
}

function faults(errors: unknown): Fault[] {
  const listed: unknown[] = Array.isArray(errors) ? errors : [];
  return listed
    .filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null)
    .map((one) => ({ path: String(one["path"] ?? "$"), message: String(one["message"] ?? "") }));
}
