/**
 * From the server's JSON to the types of `models`.
 *
 * It takes the members it knows, under the API's own types. What has to be there and is not throws `Unreadable`, from
 * which `exchange` makes one error of this package.
 */

import { AlreadyUsed } from "./errors.js";
import type * as models from "./models.js";
import type { Wire } from "./wire.js";

/** What was read is none of Handraise. */
export class Unreadable extends Error {}

/** What any program may have sent: perhaps this type, perhaps none of its members. */
type Perhaps<T> = { readonly [Name in keyof T]?: unknown };

export function interaction(body: unknown): models.Interaction {
  const it = object<Wire["Interaction"]>(body, "interaction");
  return {
    id: string(it.id, "id"),
    version: number(it.version, "version"),
    kind: string(it.kind, "kind"),
    mode: string(it.mode, "mode"),
    state: string(it.state, "state"),
    prompt: string(it.prompt, "prompt"),
    agent: agent(it.agent),
    priority: string(it.priority, "priority"),
    createdAt: time(it.created_at),
    dashboardUrl: string(it.dashboard_url, "dashboard_url"),
    outcome: maybe(it.outcome, string),
    // Nothing else that might look like a yes is one.
    approved: typeof it.approved === "boolean" ? it.approved : null,
    title: maybe(it.title, string),
    sessionId: maybe(it.session_id, string),
    team: maybe(it.team, string),
    task: maybe(it.task, task),
    options: maybe(it.options, (values) => several(values, option)),
    multiple: typeof it.multiple === "boolean" ? it.multiple : null,
    questions: maybe(it.questions, (values) => several(values, question)),
    action: maybe(it.action, action),
    actionDigest: maybe(it.action_digest, string),
    amendable: (it.amendable ?? null) as models.Json,
    approvals: maybe(it.approvals, json),
    amended: maybe(it.amended, amended),
    plan: maybe(it.plan, string),
    level: maybe(it.level, string),
    expiresAt: maybe(it.expires_at, time),
    closedAt: maybe(it.closed_at, time),
    closedBy: maybe(it.closed_by, string),
    cancelReason: maybe(it.cancel_reason, string),
    cancelCode: maybe(it.cancel_code, string),
    withdrawOnDisconnect: it.withdraw_on_disconnect === true,
    collectedAt: maybe(it.collected_at, time),
    consumed: maybe(it.consumed, consumed),
    report: maybe(it.report, report),
    fallback: (it.fallback ?? null) as models.Interaction["fallback"],
    fallbackUsed: it.fallback_used === true,
    progress: maybe(it.progress, json),
    answer: maybe(it.answer, answer),
    followUps: several(it.follow_ups ?? [], followUp),
    resumePrompt: maybe(it.resume_prompt, string),
    slackPermalink: maybe(it.slack_permalink, string),
    metadata: maybe(it.metadata, json),
    traceparent: maybe(it.traceparent, string),
    claim: maybe(it.claim, claim),
    to: maybe(it.to, addressee),
    revises: maybe(it.revises, string),
    ruled: maybe(it.ruled, json),
    callback: maybe(it.callback, json),
    agentSeenAt: maybe(it.agent_seen_at, time),
    agentOffline: typeof it.agent_offline === "boolean" ? it.agent_offline : null,
    attachments: several(it.attachments ?? [], attachment),
    erased: maybe(it.erased, erased),
  };
}

/** All of a list. */
export function interactions(body: unknown): models.Interaction[] {
  return several(object<Wire["InteractionPage"]>(body, "list").items, interaction);
}

/** One page of a list. */
export function page(body: unknown): models.Page {
  return {
    items: interactions(body),
    nextCursor: maybe(object<Wire["InteractionPage"]>(body, "list").next_cursor, string),
  };
}

/** A receipt, as far as it can be read; whether it holds is for `receipts` to say. */
export function receipt(body: unknown): models.Receipt {
  const it = object<Wire["Receipt"]>(body, "receipt");
  const grant = it.grant === undefined ? null : object<Wire["Granted"]>(it.grant, "grant");
  return {
    interactionId: string(it.interaction_id, "interaction_id"),
    kind: string(it.kind, "kind"),
    outcome: string(it.outcome, "outcome"),
    actionDigest: maybe(it.action_digest, string),
    planDigest: maybe(it.plan_digest, string),
    agent: agent(it.agent),
    responder: responder(it.responder),
    askedAt: time(it.asked_at),
    answeredAt: time(it.answered_at),
    publicKey: string(it.public_key, "public_key"),
    document: json(body),
    askedDigest: maybe(it.asked_digest, string),
    approvers: several(it.approvers ?? [], approver),
    grant: grant && { id: string(grant.id, "grant"), madeAt: time(grant.made_at) },
    policyRule: maybe(it.policy, (policy) => string(object<Wire["ByPolicy"]>(policy, "policy").rule, "policy")),
    attachmentsDigest: maybe(it.attachments_digest, string),
  };
}

/** A file as the server keeps it; with an id where it was just sent. */
export function attachment(body: unknown): models.Attachment {
  const it = object<Wire["SentAttachment"]>(body, "attachment");
  return {
    name: string(it.name, "name"),
    type: string(it.type, "type"),
    size: number(it.size, "size"),
    sha256: string(it.sha256, "sha256"),
    id: maybe(it.id, string),
  };
}

/** Which run has an approval; whether the server has signed that is for `consumption` to say. */
export function consumed(body: unknown): models.Consumed {
  const it = object<Wire["Consumed"]>(body, "consumed");
  return { at: time(it.at), run: string(it.run, "run") };
}

/** What the server says of an approval that another run has. */
export function alreadyUsed(id: string, problem: unknown): AlreadyUsed {
  const it = object<Wire["Problem"]>(problem, "problem");
  return new AlreadyUsed(id, maybe(it.consumed_at, time), maybe(it.consumed_by, string));
}

/** A time with its zone. */
export function time(value: unknown): Date {
  const text = string(value, "time");
  const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(moment)) throw new Unreadable(`not a time: ${JSON.stringify(text)}`);
  return new Date(moment);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function object<T>(value: unknown, name: string): Perhaps<T> {
  if (!isObject(value)) throw new Unreadable(`${name} is no object`);
  return value as Perhaps<T>;
}

function json(value: unknown): models.JsonObject {
  if (!isObject(value)) throw new Unreadable("an object is none");
  return value as models.JsonObject;
}

function string(value: unknown, name = "a text"): string {
  if (typeof value !== "string") throw new Unreadable(`${name} is no string`);
  return value;
}

function number(value: unknown, name: string): number {
  if (typeof value !== "number") throw new Unreadable(`${name} is no number`);
  return value;
}

function maybe<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : read(value);
}

function several<T>(values: unknown, read: (value: unknown) => T): T[] {
  if (!Array.isArray(values)) throw new Unreadable("a list is none");
  return values.map((value) => read(value));
}

function agent(body: unknown): models.AgentRef {
  const it = object<Wire["Agent"]>(body, "agent");
  return { id: string(it.id, "agent.id"), name: string(it.name, "agent.name") };
}

function responder(body: unknown): models.Responder {
  const it = object<Wire["Responder"]>(body, "responder");
  return { id: string(it.id, "responder.id"), name: string(it.name, "responder.name"), via: string(it.via, "via") };
}

function approver(body: unknown): models.Approver {
  return { ...responder(body), at: time(object<Wire["Approver"]>(body, "approver").at) };
}

function task(body: unknown): models.Task {
  const it = object<Wire["NamedTask"]>(body, "task");
  const { title, description, step } = it;
  return {
    id: string(it.id, "task.id"),
    title: maybe(title, string),
    description: maybe(description, string),
    step: maybe(step, string),
  };
}

function option(body: unknown): models.Option {
  const it = object<Wire["ChoiceOption"]>(body, "option");
  return {
    value: string((body as Record<string, unknown>)["value"], "option.value"),
    label: maybe(it.label, string),
    description: maybe(it.description, string),
  };
}

function question(body: unknown): models.Question {
  const it = object<Wire["FormQuestion"]>(body, "question");
  return {
    id: string(it.id, "question.id"),
    prompt: string(it.prompt, "question.prompt"),
    options: maybe(it.options, (values) => several(values, option)),
    multiple: it.multiple === true,
  };
}

function action(body: unknown): models.Action {
  const it = object<Wire["Action"]>(body, "action");
  return {
    tool: string(it.tool, "action.tool"),
    arguments: json(it.arguments),
    operands: several(it.operands ?? [], operand),
    attachments: several(it.attachments ?? [], attachment),
  };
}

function operand(body: unknown): models.Operand {
  const it = object<Wire["Operand"]>(body, "operand");
  return {
    name: string(it.name, "operand.name"),
    sha256: string(it.sha256, "operand.sha256"),
    size: number(it.size, "operand.size"),
  };
}

function amended(body: unknown): models.Amended {
  const it = object<Wire["Amended"]>(body, "amended");
  return { arguments: json(it.arguments), digest: string(it.digest, "amended.digest") };
}

function report(body: unknown): models.Report {
  const it = object<Wire["Report"]>(body, "report");
  return { outcome: string(it.outcome, "report.outcome"), text: maybe(it.text, string), at: time(it.at) };
}

function erased(body: unknown): models.Erased {
  const it = object<Wire["Erased"]>(body, "erased");
  return { at: time(it.at), by: maybe(it.by, string) };
}

function claim(body: unknown): models.Claim {
  const it = object<Wire["Claim"]>(body, "claim");
  return { by: responder(it.by), until: time(it.until) };
}

function addressee(body: unknown): models.Addressee {
  const it = object<Wire["Addressee"]>(body, "to");
  return {
    type: string(it.type, "to.type"),
    since: time(it.since),
    id: maybe(it.id, string),
    name: maybe(it.name, string),
    by: maybe(it.by, string),
    why: maybe(it.why, string),
  };
}

function followUp(body: unknown): models.FollowUp {
  const it = object<Wire["FollowUp"]>(body, "follow_up");
  return { text: string(it.text, "follow_up.text"), responder: responder(it.responder), at: time(it.at) };
}

function comment(body: unknown): models.PlanComment {
  const it = object<Wire["PlanComment"]>(body, "comment");
  return {
    line: number(it.line, "comment.line"),
    toLine: number(it.to_line, "comment.to_line"),
    quote: string(it.quote, "comment.quote"),
    text: string(it.text, "comment.text"),
  };
}

function remembered(body: unknown): models.Remembered {
  const it = object<Wire["Remembered"]>(body, "remembered");
  return { id: string(it.id, "remembered.id"), answeredAt: time(it.answered_at), madeAt: time(it.made_at) };
}

function answer(body: unknown): models.Answer {
  const it = object<Wire["Answer"]>(body, "answer");
  return {
    answeredAt: time(it.answered_at),
    responder: maybe(it.responder, responder),
    text: maybe(it.text, string),
    selected: maybe(it.selected, (values) => several(values, (one) => string(one, "selected"))),
    answers: maybe(it.answers, json) as models.Answer["answers"],
    decision: maybe(it.decision, string),
    feedback: maybe(it.feedback, string),
    clearContext: typeof it.clear_context === "boolean" ? it.clear_context : null,
    targetMode: maybe(it.target_mode, string),
    comments: several(it.comments ?? [], comment),
    attachments: several(it.attachments ?? [], attachment),
    approvers: several(it.approvers ?? [], approver),
    remembered: maybe(it.remembered, remembered),
  };
}
