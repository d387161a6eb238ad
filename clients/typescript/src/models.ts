/**
 * What the server returns. Times are `Date`s. States, kinds and outcomes are strings, since a newer server may know
 * more of them; what is not there is `null`.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** Free text or the value of the one option; or the values of several. */
export type FormAnswer = string | readonly string[];

/** Who asked. */
export interface AgentRef {
  readonly id: string;
  readonly name: string;
}

/** Who answered, and by which way. */
export interface Responder {
  readonly id: string;
  readonly name: string;
  readonly via: string;
}

/** One of several people who approved. */
export interface Approver extends Responder {
  readonly at: Date;
}

/** The piece of work a question belongs to. What is left out stays as the server knows it. */
export interface Task {
  /** The agent's own id for it, up to 128 characters. */
  readonly id: string;
  readonly title?: string | null;
  readonly description?: string | null;
  /** Where in it the agent is. */
  readonly step?: string | null;
}

/** One option of a choice. */
export interface Option {
  /** What the agent gets when it is chosen. */
  readonly value: string;
  /** What people see; left out, the value. */
  readonly label?: string | null;
  readonly description?: string | null;
}

/** One question of a form: free text, or with options a choice. */
export interface Question {
  /** Names the answer. */
  readonly id: string;
  readonly prompt: string;
  readonly options?: readonly (string | Option)[] | null;
  readonly multiple?: boolean;
}

/** A file that an action refers to without containing it, as it was when it was asked about: see `hashFile`. */
export interface Operand {
  /** Its path, as the action has it. */
  readonly name: string;
  /** Of its bytes, in hex. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** A file that goes with a question or an answer, as the server keeps it: see `Handraise.attach`. */
export interface Attachment {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  /** By which a question names it, once; `null` of one that is part of something. */
  readonly id: string | null;
}

/** What will run if it is approved. */
export interface Action {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly operands: readonly Operand[];
  readonly attachments: readonly Attachment[];
}

/** What somebody said of some lines of a plan, which are counted from 1. */
export interface PlanComment {
  readonly line: number;
  readonly toLine: number;
  /** The beginning of these lines. */
  readonly quote: string;
  readonly text: string;
}

/** That a person was not asked: they had answered the same question before, and let the answer stand. */
export interface Remembered {
  readonly id: string;
  readonly answeredAt: Date;
  readonly madeAt: Date;
}

/** The answer to go on with. What does not belong to the kind is `null`; `""` is an answer. */
export interface Answer {
  readonly answeredAt: Date;
  /** `null` when it is the fallback. */
  readonly responder: Responder | null;
  /** Of a question, byte for byte; of an approval the comment. */
  readonly text: string | null;
  readonly selected: readonly string[] | null;
  readonly answers: Readonly<Record<string, FormAnswer>> | null;
  readonly decision: string | null;
  /** Of a plan review: all that was said, comments on lines included. */
  readonly feedback: string | null;
  readonly clearContext: boolean | null;
  readonly targetMode: string | null;
  readonly comments: readonly PlanComment[];
  readonly attachments: readonly Attachment[];
  readonly approvers: readonly Approver[];
  readonly remembered: Remembered | null;
}

/** What somebody said after it was closed. It never changes the answer. */
export interface FollowUp {
  readonly text: string;
  readonly responder: Responder;
  readonly at: Date;
}

/** That an approval was used, which it can be once. */
export interface Consumed {
  readonly at: Date;
  /** The name of the run that it was given for. */
  readonly run: string;
}

/** What the agent says came of it. */
export interface Report {
  readonly outcome: string;
  readonly text: string | null;
  readonly at: Date;
}

/** That all that was written in an interaction was erased; `by` is `null` when a setting did it. */
export interface Erased {
  readonly at: Date;
  readonly by: string | null;
}

/** A person is on it. It is no answer. */
export interface Claim {
  readonly by: Responder;
  readonly until: Date;
}

/** Whom an interaction is for. Others who may answer it still may. */
export interface Addressee {
  readonly type: string;
  readonly since: Date;
  readonly id: string | null;
  readonly name: string | null;
  readonly by: string | null;
  readonly why: string | null;
}

/** Changed arguments of an action: that one was approved, not the one that was asked about. */
export interface Amended {
  /** All of them, not only those that differ. */
  readonly arguments: JsonObject;
  readonly digest: string;
}

/** A decision, signed. One that this package hands out is verified. */
export interface Receipt {
  readonly interactionId: string;
  readonly kind: string;
  readonly outcome: string;
  readonly actionDigest: string | null;
  readonly planDigest: string | null;
  readonly agent: AgentRef;
  readonly responder: Responder;
  readonly askedAt: Date;
  readonly answeredAt: Date;
  /** Whose signature it is, in base64. */
  readonly publicKey: string;
  /** All of it as it was signed, and the signature: to be kept as evidence. */
  readonly document: JsonObject;
  /** Of an amended approval: the digest of what was asked; `actionDigest` is that of what was approved. */
  readonly askedDigest: string | null;
  /** Where it takes several people: all who approved, the last one `responder`. */
  readonly approvers: readonly Approver[];
  /** The standing approval that it rests on, where no person was asked about this one. */
  readonly grant: { readonly id: string; readonly madeAt: Date } | null;
  /** The name of an admin's rule that it rests on, where no person was asked. */
  readonly policyRule: string | null;
  readonly attachmentsDigest: string | null;
}

/** What an agent asked, and what became of it. */
export interface Interaction {
  readonly id: string;
  readonly version: number;
  /** `question`, `choice`, `acknowledgement`, `approval`, `plan_review`, `form` or `notification`. */
  readonly kind: string;
  readonly mode: string;
  /** `pending`, `resolved`, `expired` or `cancelled`. */
  readonly state: string;
  readonly prompt: string;
  readonly agent: AgentRef;
  readonly priority: string;
  readonly createdAt: Date;
  /** Where a person answers it. */
  readonly dashboardUrl: string;
  /** How it ended; `null` while pending. `void`: the server's own receipt does not prove what it has stored. */
  readonly outcome: string | null;
  /** What the server says. A `Decision` is what is proven. */
  readonly approved: boolean | null;
  readonly title: string | null;
  readonly sessionId: string | null;
  readonly team: string | null;
  readonly task: Task | null;
  readonly options: readonly Option[] | null;
  readonly multiple: boolean | null;
  readonly questions: readonly Question[] | null;
  readonly action: Action | null;
  readonly actionDigest: string | null;
  readonly amendable: Json;
  /** How many people have to approve: `needed`, `of` and `four_eyes`. */
  readonly approvals: JsonObject | null;
  /** What the server says was approved instead. A `Decision` has what is proven. */
  readonly amended: Amended | null;
  readonly plan: string | null;
  readonly level: string | null;
  /** `null` = never. */
  readonly expiresAt: Date | null;
  readonly closedAt: Date | null;
  readonly closedBy: string | null;
  readonly cancelReason: string | null;
  readonly cancelCode: string | null;
  readonly withdrawOnDisconnect: boolean;
  readonly collectedAt: Date | null;
  readonly consumed: Consumed | null;
  readonly report: Report | null;
  readonly fallback: FormAnswer | Readonly<Record<string, FormAnswer>> | null;
  readonly fallbackUsed: boolean;
  /** Of what is still pending: what is answered of a form, or `needed` and `approved` (people) of an approval that
   * takes several. */
  readonly progress: JsonObject | null;
  readonly answer: Answer | null;
  readonly followUps: readonly FollowUp[];
  /** Question and answer as a text for the agent's context. */
  readonly resumePrompt: string | null;
  readonly slackPermalink: string | null;
  readonly metadata: JsonObject | null;
  /** The place in the agent's trace at which it asked (W3C Trace Context). */
  readonly traceparent: string | null;
  readonly claim: Claim | null;
  readonly to: Addressee | null;
  readonly revises: string | null;
  /** What the policies of this server made of it, where they did. */
  readonly ruled: JsonObject | null;
  /** How the address in `callbackUrl` is called, as far as it got. */
  readonly callback: JsonObject | null;
  readonly agentSeenAt: Date | null;
  readonly agentOffline: boolean | null;
  readonly attachments: readonly Attachment[];
  /** When all that was written in it was erased: then nothing of it is approved. */
  readonly erased: Erased | null;
}

/** Some interactions of a list, newest first. */
export interface Page {
  readonly items: readonly Interaction[];
  /** What to pass as `cursor` for the next page; `null` on the last. */
  readonly nextCursor: string | null;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

/** Whether it waits for a person. */
export function isPending(interaction: Interaction): boolean {
  return interaction.state === "pending";
}

/** Whether no person was asked about this one: a standing approval or a rule covers it. */
export function askedNobody(receipt: Receipt): boolean {
  return receipt.grant !== null || receipt.policyRule !== null;
}

/** Who approved it and by what, of what is signed alone: `Approved by Ana's grant of Tuesday, 24 November`. */
export function approvedInWords(receipt: Receipt): string {
  if (receipt.grant !== null) {
    const made = receipt.grant.madeAt;
    const day = `${DAYS[made.getUTCDay()]}, ${made.getUTCDate()} ${MONTHS[made.getUTCMonth()]}`;
    return `Approved by ${receipt.responder.name}'s grant of ${day}`;
  }
  if (receipt.policyRule !== null) return `Approved by the policy \`${receipt.policyRule}\``;
  const names = receipt.approvers.length > 0 ? receipt.approvers.map((one) => one.name) : [receipt.responder.name];
  return `${names.join(" and ")} approved it`;
}
