/** What an agent may conclude from a closed interaction. Fails closed. */

import { Cancelled, Denied, Expired, HandraiseError, NotVerified } from "./errors.js";
import type { Answer, Interaction, JsonObject, PlanComment, Receipt, Responder } from "./models.js";

/** The decisions by which a plan may be carried out: whether to drop the context, and the mode to go on in. */
export const PROCEEDS: ReadonlyMap<string, { clearContext: boolean; targetMode: "edit" | "default" }> = new Map([
  ["proceed", { clearContext: false, targetMode: "edit" }],
  ["proceed_clean", { clearContext: true, targetMode: "edit" }],
  ["proceed_default", { clearContext: true, targetMode: "default" }],
]);

/** What became of an approval. In JavaScript every object is true, so the calls return only one that was approved,
 * and throw the others within `Denied`. */
export class Decision {
  constructor(
    readonly interaction: Interaction,
    /** The proof; `null` for what was not approved. */
    readonly receipt: Receipt | null = null,
    private readonly runs: JsonObject | null = null,
  ) {}

  /** Only if a person approved exactly this action before its deadline, and a verified receipt proves it. */
  get approved(): boolean {
    const proof = this.receipt;
    const isProven = proof !== null && proof.interactionId === this.interaction.id && proof.outcome === "approved";
    return isProven && saysApproved(this.interaction);
  }

  /** What to run, by the receipt: as asked, or as somebody changed it, which happens only with `amendable`. */
  get arguments(): JsonObject {
    if (!this.approved || this.runs === null) throw new Denied(this);
    return this.runs;
  }

  /** The same proof beside what the server says by now, which may be less. */
  with(interaction: Interaction): Decision {
    return new Decision(interaction, this.receipt, this.runs);
  }

  /** `approved`, `denied`, `expired`, `cancelled` or `void`; `null` while it waits. */
  get outcome(): string | null {
    return this.interaction.outcome;
  }

  /** What the responder said with it. */
  get comment(): string | null {
    return this.interaction.answer?.text ?? null;
  }

  /** Who decided, by the receipt where there is one; `null` when nobody did. */
  get responder(): Responder | null {
    return this.receipt?.responder ?? this.interaction.answer?.responder ?? null;
  }
}

/** What somebody decided about a plan. */
export interface PlanReview {
  readonly interaction: Interaction;
  /** `proceed`, `proceed_clean`, `proceed_default` or `adjust`. */
  readonly decision: string;
  /** Whether it may be carried out, which a verified receipt proves. */
  readonly mayProceed: boolean;
  /** What to change, comments on lines included; always there with `adjust`. No receipt covers it. */
  readonly feedback: string | null;
  /** Whether to drop the context before going on. */
  readonly clearContext: boolean;
  /** `edit`, `default` (ask before edits), or `null`: stay in plan mode. */
  readonly targetMode: "edit" | "default" | null;
  /** The proof; `null` for what may not be carried out. */
  readonly receipt: Receipt | null;
  /** The comments on lines once more, in the order of the plan. No receipt covers them. */
  readonly comments: readonly PlanComment[];
}

/** Whether the server says that this was approved, which is no proof. */
export function saysApproved(interaction: Interaction): boolean {
  return (
    interaction.kind === "approval" &&
    interaction.state === "resolved" &&
    interaction.outcome === "approved" &&
    interaction.approved === true &&
    interaction.erased === null
  );
}

/** The decision, if it is a yes. Throws `Expired`, `Cancelled`, `NotVerified` or `Denied`. */
export function expectApproved(decision: Decision): Decision {
  if (decision.approved) return decision;
  if (decision.outcome === "expired") throw new Expired(decision.interaction);
  if (decision.outcome === "cancelled") throw new Cancelled(decision.interaction);
  if (decision.outcome === "void") {
    throw new NotVerified("the server has an approval whose receipt does not hold, so nothing was approved");
  }
  throw new Denied(decision);
}

/** The answer, a fallback included. Throws `Expired` or `Cancelled` when there is none, and `HandraiseError` when it
 * was erased. */
export function answered(interaction: Interaction): Answer {
  if (interaction.answer !== null) return interaction.answer;
  if (interaction.state === "expired") throw new Expired(interaction);
  if (interaction.state === "cancelled") throw new Cancelled(interaction);
  if (interaction.erased !== null) {
    const by = interaction.erased.by ?? "a setting";
    throw new HandraiseError(`all that was written in it was erased by ${by}: there is no answer any more`);
  }
  if (interaction.outcome === "void") {
    throw new NotVerified("the server has a decision whose receipt does not hold, so nothing was decided");
  }
  throw new HandraiseError(`closed without an answer: ${interaction.state}, ${interaction.outcome}`);
}

/** The decision about a plan. What the agent may do follows from the receipt, whatever else the server says. */
export function reviewed(interaction: Interaction, receipt: Receipt | null): PlanReview {
  const { decision, feedback, comments } = answered(interaction);
  if (decision === null) throw new HandraiseError("a plan review without a decision");
  const proven = receipt === null ? undefined : PROCEEDS.get(receipt.outcome);
  return {
    interaction,
    decision,
    mayProceed: proven !== undefined && decision === receipt?.outcome,
    feedback,
    clearContext: proven?.clearContext ?? false,
    targetMode: proven?.targetMode ?? null,
    receipt,
    comments,
  };
}
