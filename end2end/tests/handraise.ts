// A server of a test's own, agents that talk to it, and people with browsers.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import {
  test as base,
  expect,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "@playwright/test";

const binary = process.env.HANDRAISE_BIN ?? "";
const run = promisify(execFile);

export type Interaction = {
  id: string;
  state: string;
  outcome: string | null;
  approved: boolean | null;
  answer: {
    text: string | null;
    selected: string[] | null;
    answers: Record<string, string | string[]> | null;
    decision: string | null;
    feedback: string | null;
    clear_context: boolean | null;
    target_mode: string | null;
    responder: { name: string };
  } | null;
  progress: Record<string, string | string[]> | null;
  follow_ups: { text: string }[];
  resume_prompt: string | null;
};

export type Task = { status: string; reason: string | null; waiting_on: { id: string }[] };

export class Server {
  url = "";
  private child?: ChildProcess;
  private token = "";

  private constructor(private readonly directory: string) {}

  static async start(): Promise<Server> {
    const directory = await mkdtemp(path.join(tmpdir(), "handraise-"));
    const server = new Server(directory);
    await server.serve("127.0.0.1:0");
    server.token = await server.cli("token", "create", "--kind", "agent", "--name", "backend");
    return server;
  }

  /** Starts again where it was: same address, same database. */
  async restart(): Promise<void> {
    await this.serve(new URL(this.url).host);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async remove(): Promise<void> {
    await this.stop("SIGKILL");
    await rm(this.directory, { recursive: true, force: true });
  }

  /** A link that signs a new person in. */
  async invite(name: string): Promise<string> {
    const link = await this.cli("user", "invite", "--name", name, "--role", "responder");
    return this.url + new URL(link).pathname;
  }

  async ask(more: object = {}): Promise<Interaction> {
    return this.api("/interactions", {
      method: "POST",
      body: JSON.stringify({ kind: "question", prompt: "Which port?", ...more }),
    });
  }

  async poll(id: string, headers: Record<string, string> = {}): Promise<Interaction> {
    return this.api(`/interactions/${id}`, { headers });
  }

  async collect(id: string): Promise<Interaction> {
    return this.api(`/interactions/${id}/collect`, { method: "POST" });
  }

  async task(id: string, more?: object): Promise<Task> {
    const init = more && { method: "PUT", body: JSON.stringify(more) };
    return this.api(`/tasks/${id}`, init ?? {});
  }

  private async api<T = Interaction>(where: string, init: RequestInit): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${where}`, {
      ...init,
      headers: {
        Authorization: `Bearer ${this.token}`,
        "Content-Type": "application/json",
        ...init.headers,
      },
    });
    expect(response.ok, `${where}: ${response.status}`).toBe(true);
    return (await response.json()) as T;
  }

  private async cli(...args: string[]): Promise<string> {
    const { stdout } = await run(binary, [...args, "--database", this.database()]);
    return stdout.trim();
  }

  private database(): string {
    return `sqlite://${path.join(this.directory, "handraise.db")}`;
  }

  private async serve(addr: string): Promise<void> {
    const child = spawn(binary, ["serve", "--addr", addr, "--database", this.database()], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const listens = line.match(/listens on (\S+)/);
      if (listens) {
        this.url = listens[1];
        return;
      }
    }
    throw new Error("the server did not start");
  }
}

/** Watches pages: errors on the console, panics and requests to other places fail the test. */
export class Watch {
  private readonly seen: string[] = [];
  private readonly allowed: RegExp[] = [];

  constructor(private readonly server: Server) {}

  /** What this test provokes on purpose. */
  allow(message: RegExp): void {
    this.allowed.push(message);
  }

  add(page: Page): void {
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" || (message.type() === "warning" && /hydrat|leptos|panick/i.test(text))) {
        this.note(`console: ${text}`);
      }
    });
    page.on("pageerror", (error) => this.note(`page: ${error.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.host !== new URL(this.server.url).host && url.protocol !== "data:") {
        this.note(`request to ${request.url()}`);
      }
    });
  }

  complaints(): string[] {
    return this.seen;
  }

  private note(what: string): void {
    if (!this.allowed.some((allowed) => allowed.test(what))) this.seen.push(what);
  }
}

type People = (name: string, options?: BrowserContextOptions) => Promise<Page>;

export const test = base.extend<{ server: Server; watch: Watch; signIn: People; ana: Page }>({
  server: async ({}, use) => {
    const server = await Server.start();
    await use(server);
    await server.remove();
  },

  watch: async ({ server }, use) => {
    const watch = new Watch(server);
    await use(watch);
    expect(watch.complaints()).toEqual([]);
  },

  /** A person's own browser, signed in and on the first page. */
  signIn: async ({ browser, server, watch }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (name, options) => {
      const context = await openContext(browser, options);
      contexts.push(context);
      const page = await context.newPage();
      watch.add(page);
      await page.goto(await server.invite(name));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${server.url}/`);
      return page;
    });
    for (const context of contexts) await context.close();
  },

  ana: async ({ signIn }, use) => {
    const page = await signIn("Ana");
    await live(page);
    await use(page);
  },
});

async function openContext(browser: Browser, options?: BrowserContextOptions) {
  return browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
}

/** Waits until the page follows the feed. */
export async function live(page: Page): Promise<void> {
  await expect(page.locator(".live")).toHaveText("Live", { timeout: 15_000 });
}

/** The row of a blocker in the panel. */
export function row(page: Page, text: string) {
  return page.locator(".row", { hasText: text });
}

export { expect };
