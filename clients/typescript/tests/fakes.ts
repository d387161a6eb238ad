/** A server in this process, with a key of its own, that says what a test wants it to say. */

import { createHash, generateKeyPairSync, type KeyObject, sign as signBytes } from "node:crypto";
import { join } from "node:path";

import { actionDigest, canonicalJson, planDigest } from "../src/canonical.js";
import { Handraise, type Settings } from "../src/index.js";
import { type Body, newFolder } from "./serving.js";

export const ADDRESS = "https://desk.example";
export const AGENT = { id: "7", name: "backend" };
export const ANA = { id: "8", name: "Ana", via: "dashboard" };

/** An Ed25519 key, and what it signs. */
export class Key {
  readonly public: string;
  private readonly secret: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.secret = privateKey;
    this.public = Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url").toString("base64");
  }

  /** This, with the signature over the rest of it. */
  sign(document: Body): Body {
    const { signature: _, ...rest } = document;
    const signature = signBytes(null, Buffer.from(canonicalJson(rest)), this.secret).toString("base64");
    return { ...rest, signature };
  }

  /** The statement that another key follows. */
  names(successor: Key): Body {
    const statement = { version: 1, statement: "handraise key rotation", at: "2027-01-15T08:00:00Z" };
    return this.sign({ ...statement, old: this.public, new: successor.public });
  }
}

/** The id of what is asked under a key, as the server makes it. */
export function idOf(key: string): string {
  const told = createHash("sha256").update(`handraise interaction\n${AGENT.id}\n${key}`).digest("hex");
  const variant = "89ab"[Number.parseInt(told[4] as string, 16) & 3];
  const made = `${Date.now().toString(16).padStart(12, "0")}7${told.slice(1, 4)}${variant}${told.slice(5, 20)}`;
  return [made.slice(0, 8), made.slice(8, 12), made.slice(12, 16), made.slice(16, 20), made.slice(20)].join("-");
}

/** Answers everything at once with `decision`. `lies` change what it says, by the end of the path. */
export class FakeServer {
  key = new Key();
  rotations: Body[] = [];
  trusted: string[] = [];
  decision: string | null = "approved";
  lies: Record<string, (said: Body) => unknown> = {};
  /** The ends of paths whose next reply is lost, when it is done. */
  lost: string[] = [];
  /** What happens before a request is answered, by the end of the path. */
  before: Record<string, () => unknown> = {};
  /** Replies instead, by the end of the path. */
  refusals: Record<string, [status: number, body: Body]> = {};
  readonly requests: string[] = [];
  readonly asked: Body[] = [];
  readonly interactions = new Map<string, Body>();
  private readonly receipts = new Map<string, Body>();
  private readonly byKey = new Map<string, string>();

  /** A client of it that notes its servers in a folder of its own. */
  client(settings: Settings = {}, folder = newFolder()): Handraise {
    const before = process.env["HANDRAISE_KNOWN_SERVERS"];
    process.env["HANDRAISE_KNOWN_SERVERS"] = join(folder, "known_servers");
    try {
      return new Handraise({ url: ADDRESS, token: "t", fetch: (url, init) => this.fetch(url, init), ...settings });
    } finally {
      if (before === undefined) delete process.env["HANDRAISE_KNOWN_SERVERS"];
      else process.env["HANDRAISE_KNOWN_SERVERS"] = before;
    }
  }

  receiptOf(id: string): Body | undefined {
    return this.receipts.get(id);
  }

  /** What was said of each approval that was used. */
  get reports(): unknown[] {
    const used = [...this.interactions.values()].filter((it) => "consumed" in it);
    return used.map((it) => it["report"] && [it["report"].outcome, it["report"].text]);
  }

  /** A person decides. */
  close(id: string, outcome: string): void {
    const it = this.interactions.get(id) as Body;
    const now = new Date().toISOString();
    Object.assign(it, { state: "resolved", outcome, closed_at: now, answer: { answered_at: now, responder: ANA } });
    const receipt: Body = {
      version: 1, interaction_id: id, kind: it["kind"], outcome, agent: AGENT, responder: ANA,
      asked_at: it["created_at"], answered_at: now, public_key: this.key.public,
    };
    if (it["kind"] === "plan_review") {
      receipt["plan_digest"] = planDigest(it["plan"]);
      it["answer"].decision = outcome;
    } else {
      receipt["action_digest"] = it["action_digest"];
      it["approved"] = outcome === "approved";
    }
    this.receipts.set(id, this.key.sign(receipt));
  }

  /** That an approval is used by a run, signed. */
  note(id: string, run: string, changes: Body = {}, key = this.key): Body {
    const statement = { version: 1, statement: "handraise consumption", interaction_id: id, run };
    const signed = key.sign({ ...statement, at: new Date().toISOString(), public_key: key.public, ...changes });
    const { at, run: by, public_key, signature } = signed;
    return { at, run: by, public_key, signature };
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    const path = url.split("/api/v1")[1] as string;
    const last = path.split("/").at(-1) as string;
    const end = this.interactions.has(last) ? "poll" : last;
    this.requests.push(`${init.method} ${end}`);
    await this.before[end]?.();
    const refusal = this.refusals[end];
    if (refusal !== undefined) return Response.json(refusal[1], { status: refusal[0] });
    const body = init.body ? (JSON.parse(init.body as string) as Body) : {};
    const done = this.done(path, end, body, (init.headers as Record<string, string>)["Idempotency-Key"] ?? "");
    if (this.lost.includes(end)) {
      this.lost.splice(this.lost.indexOf(end), 1);
      throw new TypeError("fetch failed", { cause: new Error("reset") });
    }
    if (done instanceof Response) return done;
    // What is said in between is changed; what is stored stays.
    const said = structuredClone(done);
    return Response.json(this.lies[end]?.(said) ?? said);
  }

  private done(path: string, end: string, body: Body, key: string): Body | Response {
    if (end === "keys") return { public_key: this.key.public, rotations: this.rotations, trusted: this.trusted };
    if (end === "interactions") return this.open(body, key);
    const id = path.split("/")[2] as string;
    const it = this.interactions.get(id) as Body;
    if (end === "receipt") return this.receipts.get(id) ?? Response.json({ code: "no_receipt" }, { status: 404 });
    if (end === "consume") {
      const used = it["consumed"];
      if (used !== undefined && used.run !== body["run"]) {
        const told = { code: "already_consumed", consumed_at: used.at, consumed_by: used.run };
        return Response.json(told, { status: 409 });
      }
      it["consumed"] ??= this.note(id, body["run"]);
    }
    if (end === "report") it["report"] = { text: null, at: new Date().toISOString(), ...body };
    return it;
  }

  private open(body: Body, key: string): Body {
    const known = this.byKey.get(key);
    if (known !== undefined) return this.interactions.get(known) as Body;
    const id = idOf(key);
    this.byKey.set(key, id);
    this.asked.push(body);
    const it: Body = {
      id, version: 1, mode: "sync", state: "pending", agent: AGENT, priority: "normal",
      created_at: new Date().toISOString(), dashboard_url: `${ADDRESS}/blockers/${id}`, ...body,
    };
    const { action } = body;
    if (action) it["action_digest"] = actionDigest(action.tool, action.arguments, action.operands);
    this.interactions.set(id, it);
    if (this.decision !== null) this.close(id, this.decision);
    return it;
  }
}
