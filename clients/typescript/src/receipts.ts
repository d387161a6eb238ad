/**
 * Receipts: whether what the server says was decided, by a person, now, and about exactly this. Fails closed.
 *
 * The checks and their order are those of `docs/receipts.md`. Whose key it is, `keys` says.
 */

import { createHash } from "node:crypto";

import { NotVerified } from "./errors.js";
import type { Receipt } from "./models.js";
import * as reading from "./reading.js";
import { isObject } from "./reading.js";
import { isSigned, publicKey } from "./signatures.js";

const VERSION = 1;
/** Of a receipt that rests on a person's standing approval: it has one field more, `grant`. */
const VERSION_BY_GRANT = 2;
/** Of a receipt that rests on an admin's rule: it has one field more, `policy`, and the rule is its responder. */
const VERSION_BY_POLICY = 3;

/** How many seconds ago a decision may have been made that is acted on now, unless it is said. */
export const MAX_AGE = 24 * 60 * 60;

/** How many milliseconds the clocks of two machines may be apart. */
export const CLOCKS_DIFFER = 5 * 60 * 1000;

const FIELDS = [
  "version", "interaction_id", "kind", "outcome", "agent", "responder", "asked_at", "answered_at", "public_key", "signature",
];
const SOMETIMES = ["asked_digest", "approvers", "attachments_digest"];

/** What the receipt has to say, by what is known here. */
export interface Claim {
  readonly interactionId: string;
  /** Who asked, by the server's reply to asking. */
  readonly agentId: string;
  readonly kind: "approval" | "plan_review";
  readonly outcome: string;
  /** Of the action or the plan that was asked about, made here. */
  readonly digest: string;
  /** Not before this; left out when an earlier run may have asked it. */
  readonly askedSince?: Date | undefined;
  /** In seconds. */
  readonly maxAge: number;
  /** How many seconds people had, by what this agent asked; left out when that was any time, or left to the server. */
  readonly timeout?: number | undefined;
  /** What it was asked under: which interaction it is, only the server says. Left out where that is not known. */
  readonly key?: string | undefined;
  /** Of the action that is to run instead, made here of the arguments that the server says were approved. Left out
   * where it says that nothing was changed, or where this agent takes no changes. */
  readonly amended?: string | undefined;
  /** How many different people were asked for; 0 when that was left to the server. */
  readonly approvers?: number;
  /** `attachmentsDigest` of the files beside a plan; those of an approval are part of its action. */
  readonly attachments?: string | null;
}

/** The key that a receipt says it was signed with. Throws `NotVerified` for what is no receipt. */
export function keyOf(document: unknown): string {
  if (!isObject(document)) throw new NotVerified("the receipt is void: it is no JSON object");
  expectFields(document);
  expectVersion(document);
  const key = publicKey(document["public_key"]);
  if (key === null) throw new NotVerified("the receipt is void: its public key is none");
  return key;
}

/** The receipt, if it holds, signed with a key that is trusted already. Throws `NotVerified`. */
export async function verified(document: unknown, claim: Claim, now: Date): Promise<Receipt> {
  const key = keyOf(document);
  if (!(await isSigned(document as Record<string, unknown>, key))) {
    throw new NotVerified("the receipt is void: its signature is not over what it says");
  }
  let receipt: Receipt;
  try {
    receipt = reading.receipt(document);
  } catch (error) {
    if (!(error instanceof reading.Unreadable)) throw error;
    throw new NotVerified(`the receipt is void: it cannot be read: ${error.message}`, { cause: error });
  }
  expectSubject(receipt, claim);
  expectTime(receipt, claim, now);
  return receipt;
}

/** Throws `NotVerified` when the decision was made too long ago; `maxAge` is in seconds. */
export function expectRecent(receipt: Receipt, maxAge: number, now: Date): void {
  if (!(receipt.answeredAt.getTime() >= now.getTime() - maxAge * 1000)) {
    throw new NotVerified(
      `the receipt is void now: it was answered at ${receipt.answeredAt.toISOString()}, more than ${maxAge} s ago`,
    );
  }
}

/**
 * Whether this is the id of what this agent has asked under this idempotency key: its bits say so, but for those of
 * the time.
 */
export function wasAskedUnder(id: string, agentId: string, key: string): boolean {
  const hashed = createHash("sha256").update(`handraise interaction\n${agentId}\n${key}`).digest().subarray(0, 10);
  // The version and the variant of a UUIDv7.
  hashed[0] = ((hashed[0] ?? 0) & 0x0f) | 0x70;
  hashed[2] = ((hashed[2] ?? 0) & 0x3f) | 0x80;
  const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
  return isId && id.replaceAll("-", "").slice(12) === hashed.toString("hex");
}

function expectVersion(document: Readonly<Record<string, unknown>>): void {
  const { version, outcome } = document;
  const [byGrant, byPolicy] = ["grant" in document, "policy" in document];
  if (version !== (byGrant ? VERSION_BY_GRANT : byPolicy ? VERSION_BY_POLICY : VERSION)) {
    throw new NotVerified(`the receipt is void: its version ${JSON.stringify(version)} is not known here`);
  }
  const isExtended = SOMETIMES.some((name) => name in document);
  if (byPolicy && ((outcome !== "approved" && outcome !== "denied") || isExtended)) {
    throw new NotVerified("the receipt is void: a policy approves or denies, and never for several people");
  }
  const [responder, policy] = [document["responder"], document["policy"]] as Record<string, unknown>[];
  const isRule = responder?.["id"] === policy?.["id"] && responder?.["name"] === policy?.["rule"];
  if ((responder?.["via"] === "policy") !== byPolicy || (byPolicy && !isRule)) {
    throw new NotVerified("the receipt is void: a policy decided it that it does not name");
  }
  if (byGrant && (outcome !== "approved" || isExtended)) {
    throw new NotVerified("the receipt is void: a grant only approves, as it is asked, and never for several people");
  }
}

function expectFields(document: Readonly<Record<string, unknown>>): void {
  const more: string[] = [];
  // Only whole: a standing approval is named by its id and its time, a rule by its set.
  for (const [name, fields] of [
    ["grant", ["id", "made_at"]],
    ["policy", ["id", "digest", "rule"]],
  ] as const) {
    if (!(name in document)) continue;
    more.push(name);
    if (more.length > 1 || !hasExactly(document[name], fields)) {
      throw new NotVerified("the receipt is void: it holds more than was signed");
    }
  }
  const digest = document["kind"] === "plan_review" ? "plan_digest" : "action_digest";
  const approvers = document["approvers"] ?? ("approvers" in document ? [null] : []);
  const parts: [unknown, readonly string[], readonly string[]][] = [
    [document, [...FIELDS, digest, ...more], SOMETIMES],
    [document["agent"], ["id", "name"], []],
    [document["responder"], ["id", "name", "via"], []],
    ...(Array.isArray(approvers) ? approvers : [null]).map(
      (one): [unknown, readonly string[], readonly string[]] => [one, ["id", "name", "via", "at"], []],
    ),
  ];
  for (const [part, names, sometimes] of parts) {
    if (!isObject(part) || !names.every((name) => Object.hasOwn(part, name))) {
      throw new NotVerified("the receipt is void: it lacks what a receipt has");
    }
    if (!Object.keys(part).every((name) => names.includes(name) || sometimes.includes(name))) {
      throw new NotVerified("the receipt is void: it holds more than was signed");
    }
  }
}

function hasExactly(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && Object.keys(value).sort().join() === [...names].sort().join();
}

function expectSubject(receipt: Receipt, claim: Claim): void {
  if (receipt.interactionId !== claim.interactionId) {
    throw new NotVerified(`the receipt is void here: it is of the interaction ${receipt.interactionId}`);
  }
  if (receipt.kind !== claim.kind || receipt.outcome !== claim.outcome) {
    throw new NotVerified(`the receipt is void here: its ${receipt.kind} was ${receipt.outcome}`);
  }
  const digest = claim.kind === "plan_review" ? receipt.planDigest : receipt.actionDigest;
  const [runs, asked] = claim.amended === undefined ? [claim.digest, null] : [claim.amended, claim.digest];
  if (digest !== runs || receipt.askedDigest !== asked) {
    throw new NotVerified(`the receipt is void for this action: ${digest} was decided on, and this is ${runs}`);
  }
  if (receipt.attachmentsDigest !== (claim.attachments ?? null)) {
    throw new NotVerified("the receipt is void here: other files were attached to what was decided on");
  }
  const people = new Set(receipt.approvers.map((one) => one.id)).size;
  if (people < (claim.approvers ?? 0)) {
    throw new NotVerified(`the receipt is void here: ${people} of ${claim.approvers} people approved it`);
  }
  if (receipt.agent.id !== claim.agentId) {
    throw new NotVerified(`the receipt is void here: it was given to the agent ${receipt.agent.name}`);
  }
  if (claim.key !== undefined && !wasAskedUnder(receipt.interactionId, receipt.agent.id, claim.key)) {
    throw new NotVerified(
      "the receipt is void here: it answers another question than this agent has asked, " +
        "or the server is older than this program",
    );
  }
}

function expectTime(receipt: Receipt, claim: Claim, now: Date): void {
  const [asked, answered] = [receipt.askedAt, receipt.answeredAt];
  const told = `it was asked at ${asked.toISOString()} and answered at ${answered.toISOString()}`;
  if (answered < asked) throw new NotVerified(`the receipt is void now: ${told}, before it was asked`);
  if (answered.getTime() > now.getTime() + CLOCKS_DIFFER) {
    throw new NotVerified(`the receipt is void now: ${told}, and here it is ${now.toISOString()}`);
  }
  expectRecent(receipt, claim.maxAge, now);
  // Both by the server's clock. It may have been told of another deadline, or none, by somebody on the way.
  if (claim.timeout !== undefined && answered.getTime() - asked.getTime() > claim.timeout * 1000) {
    throw new NotVerified(`the receipt is void now: ${told}, which is later than this agent allowed`);
  }
  // A program at the address could show the receipt of an earlier question as that of this one.
  if (claim.askedSince !== undefined && asked.getTime() < claim.askedSince.getTime() - CLOCKS_DIFFER) {
    throw new NotVerified(`the receipt is void now: ${told}, before this was at ${claim.askedSince.toISOString()}`);
  }
}
