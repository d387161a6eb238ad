/** The real server, and a program that answers. */

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Seconds after which a test that waits has failed. */
export const PATIENCE = 30;

export type Body = Record<string, any>;

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "handraise-"));
}

/** `handraise serve` with a database of its own, on a port that stays the same. */
export class Server {
  port: number;
  readonly folder = newFolder();
  private readonly binary: string;
  private readonly environment: NodeJS.ProcessEnv;
  private process: ChildProcess | null = null;

  constructor(settings: Record<string, string> = {}, port = 0) {
    const binary = process.env["HANDRAISE_BIN"];
    assert.ok(binary, "set HANDRAISE_BIN to the program `handraise`");
    this.binary = resolve(binary);
    this.port = port;
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("HANDRAISE_"));
    this.environment = { ...Object.fromEntries(own), HANDRAISE_RATE_LIMIT_PER_MINUTE: "0", ...settings };
  }

  static async started(settings: Record<string, string> = {}, port = 0): Promise<Server> {
    const server = new Server(settings, port);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Returns when it listens. */
  async start(): Promise<void> {
    const log = createWriteStream(join(this.folder, "log"), { flags: "a" });
    await once(log, "open");
    const command = ["serve", "--addr", `127.0.0.1:${this.port}`, "--database", this.database];
    this.process = spawn(this.binary, command, {
      cwd: this.folder,
      env: this.environment,
      stdio: ["ignore", "pipe", log],
    });
    const lines = createInterface({ input: this.process.stdout as NodeJS.ReadableStream });
    const line = await new Promise<string>((done) => lines.once("line", done).once("close", () => done("")));
    assert.match(line, /listens on/, readFileSync(join(this.folder, "log"), "utf8"));
    this.port = Number(line.split(":").at(-1));
  }

  /** Returns when it is gone. */
  async kill(how: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const { process } = this;
    if (process === null) return;
    this.process = null;
    const gone = once(process, "exit");
    process.kill(how);
    await gone;
  }

  async token(kind: string, name: string): Promise<string> {
    return this.run(["token", "create", "--kind", kind, "--name", name, "--database", this.database]);
  }

  /** Returns the new public key, which counts when it starts again. */
  async rotateKey(): Promise<string> {
    return this.run(["key", "rotate", "--database", this.database]);
  }

  /** Has an agent's command line note this key in this file. */
  async trust(url: string, key: string, file: string): Promise<void> {
    await this.run(["trust", "add", url, key], { HANDRAISE_KNOWN_SERVERS: file });
  }

  async key(): Promise<string> {
    const response = await fetch(`${this.url}/api/v1/keys`);
    return ((await response.json()) as { public_key: string }).public_key;
  }

  private async run(command: string[], settings: Record<string, string> = {}): Promise<string> {
    const env = { ...this.environment, ...settings };
    const { stdout } = await promisify(execFile)(this.binary, command, { cwd: this.folder, env });
    return stdout.trim();
  }

  private get database(): string {
    return `sqlite://${join(this.folder, "handraise.db")}`;
  }
}

/** A program that answers, with a responder token. */
export class Desk {
  private seen = 0;

  private constructor(
    private readonly server: Server,
    private readonly token: string,
  ) {}

  /** It passes over what is there already. */
  static async of(server: Server): Promise<Desk> {
    const desk = new Desk(server, await server.token("responder", "desk"));
    while ((await desk.events("limit=1000")).length > 0);
    return desk;
  }

  /** The next interaction that an agent opens, as soon as it is there. */
  async next(): Promise<Body> {
    for (;;) {
      const [news] = await this.events("limit=1", PATIENCE);
      assert.ok(news, `nothing was asked for ${PATIENCE} s`);
      if (["interaction.requested", "notification.sent"].includes(news["type"])) return this.get(news["interaction_id"]);
    }
  }

  /** Answers what is opened next. */
  async answerNext(answer: Body): Promise<Body> {
    return this.answer((await this.next())["id"], answer);
  }

  async answer(id: string, answer: Body): Promise<Body> {
    return this.send("POST", `/interactions/${id}/answer`, answer);
  }

  async cancel(id: string): Promise<Body> {
    return this.send("POST", `/interactions/${id}/cancel`, {});
  }

  async get(id: string): Promise<Body> {
    return this.send("GET", `/interactions/${id}`);
  }

  async all(): Promise<Body[]> {
    return (await this.send("GET", "/interactions?limit=200"))["items"];
  }

  private async events(query: string, wait = 0): Promise<Body[]> {
    const headers: Record<string, string> = wait > 0 ? { Prefer: `wait=${wait}` } : {};
    const page = await this.send("GET", `/events?after=${this.seen}&${query}`, undefined, headers);
    this.seen = page["last_seq"];
    return page["items"];
  }

  private async send(method: string, path: string, body?: Body, headers: Record<string, string> = {}): Promise<Body> {
    const response = await fetch(`${this.server.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const said = (await response.json()) as Body;
    assert.ok(response.ok, JSON.stringify(said));
    return said;
  }
}

/** Rejects when a promise takes longer than a test waits. */
export async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done in ${PATIENCE} s`)), PATIENCE * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
