// A server of a test's own, agents that talk to it, and people with browsers.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import AxeBuilder from "@axe-core/playwright";
import {
  test as base,
  expect,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "@playwright/test";

const binary = process.env.SERVER_BINARY ?? "";
const run = promisify(execFile);

/** What everybody's password is, unless a test says otherwise. */
export const password = "tin drum walks north";

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
    comments: { line: number; to_line: number; quote: string; text: string }[] | null;
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
  /** What the server prints first: where it listens, and how to get in. */
  hello = "";
  private child?: ChildProcess;
  private token = "";
  private responder?: string;

  private constructor(
    private readonly directory: string,
    private readonly settings: Record<string, string>,
  ) {}

  /** With settings of its own, as variables of the environment. */
  static async start(settings: Record<string, string> = {}): Promise<Server> {
    const directory = await mkdtemp(path.join(tmpdir(), "handraise-"));
    const server = new Server(directory, settings);
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

  /** A one-time link for a new person. */
  async invite(name: string, role = "responder"): Promise<string> {
    const link = await this.cli("user", "invite", "--name", name, "--role", role);
    return this.url + new URL(link).pathname;
  }

  /** The link that the server prints until there is an admin. */
  firstAdminLink(): string {
    const link = this.hello.match(/Become its first admin, within a day: (\S+)/)?.[1];
    return link ? this.url + new URL(link).pathname : "";
  }

  /** Where people are sent: browsers know the name, Node.js need not. */
  printedUrl(): string {
    return `http://handraise.localhost:${new URL(this.url).port}`;
  }

  /** A team of these people, which the agent may name. */
  async team(name: string, ...members: string[]): Promise<void> {
    await this.cli("team", "create", "--name", name);
    for (const person of members) await this.cli("team", "add", "--team", name, "--person", person);
    await this.cli("team", "open", "--team", name, "--agent", "backend");
  }

  async ask(more: object = {}): Promise<Interaction> {
    return this.api("/interactions", {
      method: "POST",
      body: JSON.stringify({ kind: "question", prompt: "Which port?", ...more }),
    });
  }

  /** Sends a file, which a question may name by what is returned. */
  async attach(name: string, type: string, content: Buffer | string): Promise<string> {
    const headers = { "Content-Type": type };
    const init = { method: "POST", headers, body: content };
    return (await this.api(`/attachments?name=${encodeURIComponent(name)}`, init)).id;
  }

  /** Takes the place of files away, as a disk that is gone, and brings it back. */
  async withoutFiles(meanwhile: () => Promise<void>): Promise<void> {
    const place = path.join(this.directory, "handraise.db.attachments");
    await rename(place, `${place}.away`);
    await meanwhile();
    await rename(`${place}.away`, place);
  }

  async poll(id: string, headers: Record<string, string> = {}): Promise<Interaction> {
    return this.api(`/interactions/${id}`, { headers });
  }

  /** A script answers, as another person would. */
  async answer(id: string, answer: object): Promise<Interaction> {
    this.responder ??= (await this.cli("token", "create", "--kind", "responder", "--name", "night desk")).trim();
    const headers = { Authorization: `Bearer ${this.responder}` };
    return this.api(`/interactions/${id}/answer`, { method: "POST", headers, body: JSON.stringify(answer) });
  }

  async collect(id: string): Promise<Interaction> {
    return this.api(`/interactions/${id}/collect`, { method: "POST" });
  }

  /** The agent takes it back. */
  async cancel(id: string): Promise<Interaction> {
    return this.api(`/interactions/${id}/cancel`, { method: "POST", body: "{}" });
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

  /** Runs a command beside the server. */
  async cli(...args: string[]): Promise<string> {
    const { stdout } = await run(binary, [...args, "--database", this.database()]);
    return stdout.trim();
  }

  private database(): string {
    return `sqlite://${path.join(this.directory, "handraise.db")}`;
  }

  private async serve(addr: string): Promise<void> {
    const child = spawn(binary, ["serve", "--addr", addr, "--database", this.database()], {
      stdio: ["ignore", "pipe", "inherit"],
      // Receivers of webhooks are on this machine.
      env: { ...process.env, HANDRAISE_OUTBOUND_ALLOW: "127.0.0.1", ...this.settings },
    });
    this.child = child;
    this.hello = "";
    for await (const line of createInterface({ input: child.stdout })) {
      this.hello += `${line}\n`;
      const listens = this.hello.match(/listens on (\S+)/);
      if (listens && /^(Become|Sign in)/m.test(this.hello)) {
        this.url = listens[1];
        return;
      }
    }
    throw new Error("the server did not start");
  }
}

/** How Chromium says that a server is gone: it depends on how far a request had come. */
export const unreachable =
  /WebSocket connection|ERR_(CONNECTION_REFUSED|CONNECTION_RESET|CONNECTION_CLOSED|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;

/** Watches pages: errors on the console, panics, script dialogs and requests to other places fail the test. */
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
    page.on("dialog", (dialog) => {
      this.note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("pageerror", (error) => this.note(`page: ${error.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      const ours = [this.server.url, this.server.printedUrl()].map((url) => new URL(url).host);
      if (!ours.includes(url.host) && url.protocol !== "data:") {
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

type Who = BrowserContextOptions & { role?: string };
type SignIn = (name: string, who?: Who) => Promise<Page>;
type OpenBrowser = (options?: BrowserContextOptions) => Promise<Page>;

type Options = { undo: boolean };
type Fixtures = { server: Server; watch: Watch; openBrowser: OpenBrowser; signIn: SignIn; ana: Page };

export const test = base.extend<Options & Fixtures>({
  /** Whether answers are held for five seconds before they are sent. */
  undo: [false, { option: true }],

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

  /** A browser of its own, with nobody signed in. */
  openBrowser: async ({ browser, watch, undo }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      contexts.push(context);
      if (!undo) await context.addInitScript(() => localStorage.setItem("handraise.undo", "off"));
      const page = await context.newPage();
      watch.add(page);
      return page;
    });
    for (const context of contexts) await context.close();
  },

  /** A new person's own browser, signed in and on the first page. */
  signIn: async ({ openBrowser, server }, use) => {
    await use(async (name, { role, ...options } = {}) => {
      const page = await openBrowser(options);
      await acceptLink(page, await server.invite(name, role));
      return page;
    });
  },

  ana: async ({ signIn }, use) => {
    const page = await signIn("Ana");
    await live(page);
    await use(page);
  },
});

/** Chooses the password that everybody has, and comes in. */
export async function acceptLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel("Choose a password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page.waitForURL(`${new URL(link).origin}/`);
}

/** Waits until the page follows the feed. */
export async function live(page: Page): Promise<void> {
  await expect(page.locator(".live")).toHaveText("Live", { timeout: 15_000 });
}

/** The row of a blocker in the panel. */
export function row(page: Page, text: string) {
  return page.locator(".row", { hasText: text });
}

/**
 * Ctrl+Enter, once what has just come on the screen may be answered: until the page's program runs, keys do nothing and
 * buttons do not say yet that they rest.
 */
export async function submitByKey(page: Page, runs = live(page)): Promise<void> {
  await runs;
  await expect(page.locator(".answer-form button[type=submit]").first()).toBeEnabled();
  await page.keyboard.press("Control+Enter");
}

/** Themes and widths that every page has to look right in. */
export const looks = [
  ["light", 1440],
  ["dark", 1440],
  ["light", 390],
  ["dark", 390],
] as const;

/** Nothing stands out to the side, and axe finds nothing: contrast, names, labels. */
export async function expectLegible(page: Page): Promise<void> {
  // The document does not know of a part that a dialog cuts off to the side.
  const cut = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("dialog, .dialog-body, .dialog-main, .dialog-end")]
      .filter((part) => part.scrollWidth > part.clientWidth)
      .map((part) => `${part.tagName}.${part.className}`),
  );
  expect(cut).toEqual([]);
  // A row that comes in is faint until it is there.
  await page.evaluate(() =>
    Promise.allSettled(
      document.getAnimations().flatMap((each) => (each instanceof CSSTransition ? [each.finished] : [])),
    ),
  );
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** What a test says that needs a page which may ask to notify: see playwright.config.ts. */
export const notifications = { tag: "@notifications" };

export { expect };
