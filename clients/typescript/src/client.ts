/** The calls: to ask in one way or another, and wait. */

import { actionDigest, attachmentsDigest, planDigest, snapshotObject } from "./canonical.js";
import { Unreachable } from "./errors.js";
import { CLOCK, type Clock } from "./exchange.js";
import { Keys } from "./keys.js";
import { log } from "./log.js";
import { type Attachment, type FormAnswer, type Interaction, type JsonObject, type Operand, type Question, type Receipt, isPending } from "./models.js";
import { type About, type AnyOption, type Fields, type Options, allowed, keyOf } from "./options.js";
import { Proofs } from "./proofs.js";
import { type Claim, MAX_AGE } from "./receipts.js";
import { type Fetch, serverAt } from "./sending.js";
import { expectDigest, there } from "./steps.js";
import { Decision, PROCEEDS, type PlanReview, answered, expectApproved, reviewed, saysApproved } from "./verdicts.js";

/** Seconds that an answer which is there already waits for the server to hear of it. */
const COLLECT_FOR = 10;

/** How a client is made. */
export interface Settings {
  /** By default HANDRAISE_URL, else `http://127.0.0.1:3000`. */
  readonly url?: string;
  /** By default HANDRAISE_TOKEN. */
  readonly token?: string;
  /** Whose receipts are believed: one key or several, separated by commas; by default HANDRAISE_PUBLIC_KEY, else the
   * key that this server had at the first contact, which is noted in the file of known servers. */
  readonly publicKey?: string;
  /** Seconds without a reply after which every call throws `Unreachable`; left out, it tries for ever. */
  readonly giveUpAfter?: number;
  /** For TLS and proxies of your own. */
  readonly fetch?: Fetch;
  /** Tests have another. */
  readonly clock?: Clock;
}

/** What an approval may ask for. */
export interface ApproveOptions extends Options {
  /** The files that the arguments name, from `hashFile`. */
  readonly operands?: readonly Operand[];
  /** Whether people may change the arguments first: `true`, or an object with `paths` or a flat JSON `schema`. */
  readonly amendable?: boolean | JsonObject;
  /** How many different people have to approve, or an object of `needed`, `of` and `four_eyes`. */
  readonly approvals?: number | JsonObject;
  /** A decision that was made more than so many seconds ago is none. */
  readonly maxAge?: number;
}

/**
 * Asks people, and waits until they answer.
 *
 * While the server cannot be reached, every call tries again: for ever, or until there was no reply for `giveUpAfter`
 * seconds. It says so once, by `setLog`. What the server says was approved is believed by its receipt alone.
 */
export class Handraise extends Proofs {
  constructor(settings: Settings = {}) {
    const server = serverAt(settings.url, settings.token, settings.fetch);
    super(server, Keys.of(server.address, settings.publicKey), settings.giveUpAfter ?? null, settings.clock ?? CLOCK);
  }

  /**
   * Asks a question and waits for the answer: text, whole, byte for byte; `""` is an answer.
   *
   * After the deadline the answer is `fallback`. `prompt` is markdown, up to 20,000 characters. Throws `Expired` when
   * nobody answered and there is no fallback, `Cancelled`, `Refused`, `Unauthorized`, and `Unreachable` with
   * `giveUpAfter`.
   */
  async ask(prompt: string, options: Options & { fallback?: string } = {}): Promise<string> {
    const { fallback, ...about } = options;
    return there(answered(await this.asked("question", prompt, about, { fallback })).text);
  }

  /**
   * Lets a person choose one of 2 to 25 options, or any of them with `multiple`.
   *
   * Returns the value of the chosen option; with `multiple` a list of values in the order of the options, which may be
   * empty. Otherwise as `ask`.
   */
  choose(
    prompt: string,
    options: readonly AnyOption[],
    more: Options & { multiple: true; fallback?: readonly string[] },
  ): Promise<string[]>;
  choose(
    prompt: string,
    options: readonly AnyOption[],
    more?: Options & { multiple?: false; fallback?: string },
  ): Promise<string>;
  async choose(
    prompt: string,
    options: readonly AnyOption[],
    more: Options & { multiple?: boolean; fallback?: string | readonly string[] } = {},
  ): Promise<string | string[]> {
    const { multiple = false, fallback, ...about } = more;
    const closed = await this.asked("choice", prompt, about, { options, multiple, fallback });
    const selected = there(answered(closed).selected);
    return multiple ? [...selected] : there(selected[0] ?? null);
  }

  /**
   * Asks whether one exact action may be run, and returns a `Decision` only if it may: every object is true in
   * JavaScript, so a refusal that was returned could be taken for a yes.
   *
   * `args` is an object of JSON alone: it is shown as it is and copied before asking. Run `decision.arguments`, which
   * is what was approved: with `amendable` people may have changed it. An approval is for one run: `consume` it right
   * before. What was decided later than `timeout` after asking is refused, whatever deadline the server was told.
   *
   * Throws `Denied`, `Expired`, `Cancelled`; `NotJson` before asking; `ArgumentsChanged` when the server's digest is
   * not that of this action; `NotVerified` when the server says that it was approved and has no receipt that proves
   * it; and otherwise as `ask`.
   */
  async approve(
    prompt: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ApproveOptions = {},
  ): Promise<Decision> {
    return expectApproved(await this.decide(prompt, tool, args, options));
  }

  /**
   * What became of an approval that was opened before, if it is a yes to exactly this action.
   *
   * For an agent that has waited with `open` and `wait`, which say what the server says. `timeout` is that of `open`:
   * what was decided later is refused. `idempotencyKey` is that of `open`, too: without it a program in the server's
   * place could show an unused approval of the same action as this one. Throws as `approve` does; `Denied` while it is
   * pending.
   */
  async verify(
    id: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: Pick<ApproveOptions, "operands" | "amendable" | "approvals" | "maxAge" | "timeout" | "idempotencyKey"> & {
      attachments?: readonly Attachment[];
    } = {},
  ): Promise<Decision> {
    await this.known();
    const claim = { ...options, key: options.idempotencyKey };
    return expectApproved(await this.decided(await this.get(id), tool, snapshotObject(args, "arguments"), claim));
  }

  /** Waits until a person says that they have seen this: `answer.responder` of what is returned. Throws as `ask`. */
  async acknowledge(prompt: string, options: Options = {}): Promise<Interaction> {
    const closed = await this.asked("acknowledgement", prompt, options, {});
    answered(closed);
    return closed;
  }

  /**
   * Lets a person decide about a plan in markdown, up to 20,000 characters: look at `mayProceed` of what is returned.
   *
   * `revises` is the id of the plan that this one is the next version of (`review.interaction.id`): people see what is
   * different, and what became of their comments. Throws as `ask` does: a plan that nobody has decided about may not be
   * carried out. Throws `NotVerified` when the server says that it may and has no receipt that proves it, not older
   * than `maxAge` (seconds), and not later than `timeout` after asking.
   */
  async reviewPlan(
    prompt: string,
    plan: string,
    options: Options & { revises?: string | undefined; maxAge?: number } = {},
  ): Promise<PlanReview> {
    const { revises, maxAge = MAX_AGE, ...about } = options;
    const keyed = { ...about, idempotencyKey: keyOf(about) };
    const askedSince = this.since(about);
    await this.known(about);
    const { asked, closed } = await this.closed("plan_review", prompt, keyed, { plan, revises });
    const decision = closed.answer?.decision ?? "";
    let receipt: Receipt | null = null;
    if (PROCEEDS.has(decision)) {
      const claim: Claim = {
        interactionId: asked.id,
        agentId: asked.agent.id,
        kind: "plan_review",
        outcome: decision,
        digest: planDigest(plan),
        askedSince,
        maxAge,
        timeout: allowed(about.timeout),
        key: keyed.idempotencyKey,
        attachments: attachmentsDigest(about.attachments ?? []),
      };
      receipt = await this.proven(claim, this.patience(about));
    }
    return reviewed(await this.taken(asked.id, closed, about), receipt);
  }

  /**
   * Asks 1 to 10 questions one after the other, and returns the answers by the questions' ids.
   *
   * `fallback` has an answer to every question. Throws as `ask` does.
   */
  async form(
    prompt: string,
    questions: readonly Question[],
    options: Options & { fallback?: Readonly<Record<string, FormAnswer>> } = {},
  ): Promise<Record<string, FormAnswer>> {
    const { fallback, ...about } = options;
    return { ...there(answered(await this.asked("form", prompt, about, { questions, fallback })).answers) };
  }

  /** Tells people something and waits for nobody, but for the server to have it. */
  async notify(
    prompt: string,
    about: About & { level?: "info" | "success" | "warning" | "error" } = {},
  ): Promise<Interaction> {
    const { level = "info", ...options } = about;
    return this.opened("notification", prompt, options, { level });
  }

  /**
   * Asks, and returns at once. `wait` and `collect` are the rest of what the other calls do.
   *
   * What belongs to another kind is refused. Throws as `approve` does.
   */
  async open(kind: string, prompt: string, options: Options & Fields = {}): Promise<Interaction> {
    const {
      fallback, options: choices, multiple, tool, arguments: args, operands, amendable, approvals, plan, revises,
      questions, level, ...about
    } = options;
    return this.opened(kind, prompt, about, {
      fallback, options: choices, multiple, tool, arguments: args, operands, amendable, approvals, plan, revises,
      questions, level,
    });
  }

  /** `approve` that returns a refusal as well, for the guard and the adapters. */
  async decide(
    prompt: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ApproveOptions = {},
  ): Promise<Decision> {
    const { operands, amendable, approvals, maxAge: _, ...about } = options;
    const exact = snapshotObject(args, "arguments");
    const digest = actionDigest(tool, exact, operands, about.attachments);
    const askedSince = this.since(about);
    const keyed = { ...about, idempotencyKey: keyOf(about) };
    await this.known(about);
    const fields = { tool, arguments: exact, operands, amendable, approvals };
    const { asked, closed } = await this.closed("approval", prompt, keyed, fields);
    expectDigest(digest, closed);
    const decision = await this.decided({ ...closed, id: asked.id, agent: asked.agent }, tool, exact, {
      ...options,
      key: keyed.idempotencyKey,
      askedSince,
    });
    return decision.with(await this.taken(asked.id, closed, about));
  }

  /** What is proven of a closed approval. */
  private async decided(
    closed: Interaction,
    tool: string,
    exact: JsonObject,
    asked: ApproveOptions & { key?: string | undefined; askedSince?: Date | undefined },
  ): Promise<Decision> {
    const digest = actionDigest(tool, exact, asked.operands, asked.attachments);
    expectDigest(digest, closed);
    if (!saysApproved(closed)) return new Decision(closed);
    let [runs, amended] = [exact, undefined as string | undefined];
    if (closed.amended !== null && asked.amendable) {
      runs = snapshotObject(closed.amended.arguments, "arguments");
      amended = actionDigest(tool, runs, asked.operands, asked.attachments);
    }
    const claim: Claim = {
      interactionId: closed.id,
      agentId: closed.agent.id,
      kind: "approval",
      outcome: "approved",
      digest,
      askedSince: asked.askedSince,
      maxAge: asked.maxAge ?? MAX_AGE,
      timeout: allowed(asked.timeout),
      key: asked.key,
      amended,
      approvers: peopleIn(asked.approvals),
    };
    return new Decision(closed, await this.proven(claim, this.patience(asked)), runs);
  }

  /** Opens, waits, collects. */
  private async asked(kind: string, prompt: string, about: Options, fields: Fields): Promise<Interaction> {
    const { asked, closed } = await this.closed(kind, prompt, about, fields);
    return this.taken(asked.id, closed, about);
  }

  /** Opens and waits; as it was when it was asked, and as it is closed. */
  private async closed(
    kind: string,
    prompt: string,
    about: Options,
    fields: Fields,
  ): Promise<{ asked: Interaction; closed: Interaction }> {
    const asked = await this.opened(kind, prompt, about, fields);
    const { giveUpAfter, signal } = about;
    return { asked, closed: isPending(asked) ? await this.wait(asked.id, { giveUpAfter, signal }) : asked };
  }

  /** Collects what is here already. */
  private async taken(id: string, closed: Interaction, { giveUpAfter }: Options): Promise<Interaction> {
    // The answer is here: that the server does not hear of it is no reason to keep it back for long.
    const patience = this.patience({ giveUpAfter, until: this.clock.seconds() + COLLECT_FOR });
    try {
      return await this.collected(id, patience);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      log.warn(`could not tell the server that ${id} was collected`);
      return closed;
    }
  }

  /** Not before when it can have been asked; nothing under a key of the caller's, which an earlier run may have used. */
  private since(about: About): Date | undefined {
    return about.idempotencyKey === undefined ? this.clock.now() : undefined;
  }
}

function peopleIn(approvals: number | JsonObject | undefined): number {
  if (typeof approvals === "number") return approvals;
  if (approvals === undefined) return 0;
  return typeof approvals["needed"] === "number" ? approvals["needed"] : 1;
}
