// Answer after answer, by keyboard: the next question is there, one key decides, and for five seconds nothing is sent.
import type { Locator, Page } from "@playwright/test";

import { acceptLink, expect, live, row, test, unreachable, type Interaction, type Server } from "./handraise.ts";

test.use({ undo: true });

/** Keys that were pressed, and questions that were read. */
class Hands {
  keys = 0;
  read = 0;

  constructor(private readonly page: Page) {}

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.keys += key.split("+").length;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.keys += text.length;
    await this.page.keyboard.type(text);
  }

  /** At 280 ms a key and two seconds of reading a question. */
  minutes(): number {
    return (this.keys * 0.28 + this.read * 2) / 60;
  }
}

/** Opens the first question of the list. */
async function begin(page: Page, hands: Hands): Promise<void> {
  await hands.press("j", "Enter");
  await ready(page);
}

/** Until the open question may be answered. */
async function ready(page: Page): Promise<void> {
  await expect(page.locator(".dialog .answer-form button[type=submit]").first()).toBeEnabled();
}

/** Until another question than this is open. */
async function next(page: Page, before: string): Promise<void> {
  await expect(page).not.toHaveURL(before);
  await ready(page);
}

const options = ["redis", "memcached", "none at all"];

/** As a person would tell them apart: what differs in a number alone stands in one row. */
function word(n: number): string {
  return [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");
}

const kinds: [number, (n: number) => object, (hands: Hands) => Promise<void>, object][] = [
  [
    30,
    (n) => ({ kind: "approval", action: { tool: "shell", arguments: { command: `git push origin release-${word(n)}` } } }),
    (hands) => hands.press("a"),
    { outcome: "approved", approved: true },
  ],
  [25, () => ({ kind: "choice", options }), (hands) => hands.press("2", "Enter"), { outcome: "answered" }],
  [15, () => ({ kind: "acknowledgement" }), (hands) => hands.press("Enter"), { outcome: "answered" }],
  [
    10,
    (n) => ({ kind: "plan_review", plan: `# Plan ${n}\n\n1. Test\n2. Deploy` }),
    (hands) => hands.press("1", "Enter"),
    { outcome: "proceed" },
  ],
  [
    10,
    () => ({}),
    async (hands) => {
      await hands.type("8080");
      await hands.press("Control+Enter");
    },
    { outcome: "answered", answer: { text: "8080" } },
  ],
  [10, (n) => ({ kind: "approval", action: { tool: "sql", arguments: { query: `DROP TABLE users_${word(n)}` } } }),
    (hands) => hands.press("d"), { outcome: "denied", approved: false }],
];

test("a hundred mixed questions take three hundred keys and five minutes", async ({ ana, server }) => {
  test.setTimeout(400_000);
  const asked: { prompt: string; expected: object; decide: (hands: Hands) => Promise<void>; id: string }[] = [];
  const left = kinds.map(([count]) => count);
  for (let n = 0; asked.length < 100; n += 1) {
    const which = n % kinds.length;
    if ((left[which] ?? 0) === 0) continue;
    left[which] = (left[which] ?? 0) - 1;
    const [, body, decide, expected] = kinds[which] ?? kinds[0]!;
    const prompt = `Question ${word(asked.length + 1)}: may I go on?`;
    const { id } = await server.ask({ prompt, ...body(n) });
    asked.push({ prompt, expected, decide, id });
  }
  await expect(ana.locator(".count").first()).toHaveText("100");
  const hands = new Hands(ana);
  await begin(ana, hands);
  for (const [n, one] of asked.entries()) {
    await expect(ana.locator(".dialog")).toContainText(one.prompt);
    const here = ana.url();
    hands.read += 1;
    await one.decide(hands);
    if (n + 1 < asked.length) await next(ana, here);
  }
  await expect(ana.locator(".dialog")).toHaveCount(0);
  await expect(ana.locator(".count").first()).toHaveText("0");
  for (const one of asked) {
    await expect.poll(async () => server.poll(one.id), { timeout: 10_000 }).toMatchObject({ state: "resolved", ...one.expected });
  }
  console.log(`100 questions: ${hands.keys} keys, ${hands.minutes().toFixed(1)} min`);
  expect(hands.keys).toBeLessThanOrEqual(300);
  expect(hands.minutes()).toBeLessThanOrEqual(5);
});

const action = { tool: "shell", arguments: { command: "make deploy" } };

async function two(ana: Page, server: Server): Promise<[Interaction, Interaction]> {
  const first = await server.ask({ kind: "approval", action, prompt: "The first?" });
  const second = await server.ask({ prompt: "The second?" });
  await row(ana, "The first?").locator("a").click();
  await ready(ana);
  return [first, second];
}

test("for five seconds nothing is sent, and it can be undone", async ({ ana, server }) => {
  const [first] = await two(ana, server);
  await ana.keyboard.press("a");
  const dialog = ana.locator(".dialog");
  await expect(dialog).toContainText("The second?");
  await expect(dialog.getByLabel("Your answer")).toBeFocused();
  const line = dialog.locator(".held-line");
  await expect(line).toContainText("Approved: shell make deploy");
  await expect(row(ana, "The first?")).toHaveCount(0);
  expect((await server.poll(first.id)).state).toBe("pending");
  await line.getByRole("button", { name: "Undo" }).click();
  await expect(dialog).toContainText("The first?");
  await expect(line).toHaveCount(0);
  await expect(row(ana, "The first?")).toHaveCount(1);
  await ready(ana);
  await ana.keyboard.press("d");
  await expect(dialog).toContainText("The second?");
  await expect.poll(async () => (await server.poll(first.id)).outcome, { timeout: 10_000 }).toBe("denied");
  await expect(line).toHaveCount(0);
});

test("what was undone is there again: a choice and its ticks, a text", async ({ ana, server }) => {
  const several = await server.ask({ kind: "choice", options, multiple: true, prompt: "Which?" });
  const text = await server.ask({ prompt: "How many?" });
  await row(ana, "Which?").locator("a").click();
  await ready(ana);
  await ana.keyboard.press("1");
  await ana.keyboard.press("3");
  await ana.keyboard.press("Enter");
  await expect(ana.locator(".dialog")).toContainText("How many?");
  await ready(ana);
  await ana.getByLabel("Your answer").fill("about seven");
  await ana.keyboard.press("Control+Enter");
  await expect(ana.locator(".dialog")).toHaveCount(0);
  await ana.keyboard.press("z");
  await expect(ana.getByLabel("Your answer")).toHaveValue("about seven");
  await ana.keyboard.press("Escape");
  await ana.keyboard.press("z");
  await expect(ana.getByRole("checkbox", { name: "redis" })).toBeChecked();
  await expect(ana.getByRole("checkbox", { name: "memcached" })).not.toBeChecked();
  await expect(ana.getByRole("checkbox", { name: "none at all" })).toBeChecked();
  for (const { id } of [several, text]) expect((await server.poll(id)).state).toBe("pending");
});

test("a page that is closed sends what it holds", async ({ ana, server }) => {
  const [first] = await two(ana, server);
  await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toBeVisible();
  await ana.goto("about:blank");
  await expect.poll(async () => (await server.poll(first.id)).outcome, { timeout: 4_000 }).toBe("approved");
});

test("a person who signs out sends what the page holds", async ({ ana, server }) => {
  const [first] = await two(ana, server);
  await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toBeVisible();
  await ana.keyboard.press("Escape");
  await ana.getByRole("button", { name: "Sign out" }).click();
  await expect(ana).toHaveURL(/sign-in/);
  expect((await server.poll(first.id)).outcome).toBe("approved");
});

test("a person who signs out in one tab sends what another holds", async ({ ana, server, watch }) => {
  // The other tab finds its session ended.
  watch.allow(/status of 401/);
  const [first] = await two(ana, server);
  const other = await ana.context().newPage();
  await other.goto(server.url);
  await live(other);
  await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toBeVisible();
  await other.getByRole("button", { name: "Sign out" }).click();
  await expect(other).toHaveURL(/sign-in/);
  expect((await server.poll(first.id)).outcome).toBe("approved");
});

test("an answer that came too late is told on the next question", async ({ ana, server }) => {
  const [first] = await two(ana, server);
  await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toBeVisible();
  await server.answer(first.id, { approved: false });
  await expect(ana.locator(".held-line")).toContainText("Not sent: it was over before.", { timeout: 10_000 });
  await ana.getByRole("link", { name: "Open" }).click();
  await expect(ana.locator(".dialog")).toContainText("night desk denied it");
  await ana.getByRole("button", { name: "Dismiss" }).click();
  await expect(ana.locator(".held-line")).toHaveCount(0);
});

test("an answer that did not get through can be sent again", async ({ ana, server, watch }) => {
  watch.allow(unreachable);
  const [first] = await two(ana, server);
  await ana.keyboard.press("a");
  await server.stop("SIGKILL");
  await expect(ana.locator(".held-line")).toContainText("Not sent.", { timeout: 10_000 });
  await server.restart();
  await live(ana);
  await ana.getByRole("button", { name: "Send again" }).click();
  await expect.poll(async () => (await server.poll(first.id)).outcome).toBe("approved");
  await expect(ana.locator(".held-line")).toHaveCount(0);
});

test("what is about to expire is sent at once", async ({ ana, server }) => {
  const soon = await server.ask({ kind: "approval", action, prompt: "The first?", timeout_seconds: 20 });
  await server.ask({ prompt: "The second?" });
  await row(ana, "The first?").locator("a").click();
  await ready(ana);
  await ana.keyboard.press("a");
  await expect(ana.locator(".dialog")).toContainText("The second?");
  await expect(ana.locator(".held-line")).toHaveCount(0);
  await expect.poll(async () => (await server.poll(soon.id)).outcome, { timeout: 2_000 }).toBe("approved");
});

test("holding is off by a setting", async ({ ana, server }) => {
  await ana.goto(`${server.url}/settings`);
  await live(ana);
  await ana.getByLabel("Hold answers for five seconds").uncheck();
  await ana.goto(server.url);
  await live(ana);
  const [first] = await two(ana, server);
  await ana.keyboard.press("a");
  await expect(ana.locator(".dialog")).toContainText("The second?");
  await expect(ana.locator(".held-line")).toHaveCount(0);
  expect((await server.poll(first.id)).outcome).toBe("approved");
});

test("j, k and Skip go from question to question, and a closed dialog leaves the focus on its row", async ({ ana, server }) => {
  for (const n of ["one", "two", "three"]) {
    await server.ask({ kind: "acknowledgement", prompt: `Notice ${n}` });
  }
  await row(ana, "Notice one").locator("a").click();
  const dialog = ana.locator(".dialog");
  await expect(dialog).toContainText("Notice one");
  await ana.keyboard.press("j");
  await expect(dialog).toContainText("Notice two");
  await dialog.getByRole("link", { name: "Skip" }).click();
  await expect(dialog).toContainText("Notice three");
  await ana.keyboard.press("j");
  await expect(dialog).toContainText("Notice one");
  await ana.keyboard.press("k");
  await expect(dialog).toContainText("Notice three");
  await ana.keyboard.press("Alt+ArrowUp");
  await expect(dialog).toContainText("Notice two");
  await ana.keyboard.press("Escape");
  await expect(row(ana, "Notice two").locator("a")).toBeFocused();
  await ana.keyboard.press("j");
  await expect(row(ana, "Notice three").locator("a")).toBeFocused();
});

test("a long action is read to its end before a key approves it", async ({ ana, server }) => {
  const command = Array.from({ length: 80 }, (_, n) => `echo ${n}`).join("\n");
  const { id } = await server.ask({ kind: "approval", prompt: "Long?", action: { tool: "shell", arguments: { command } } });
  await row(ana, "Long?").locator("a").click();
  await ready(ana);
  await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toHaveCount(0);
  await expect(ana.locator(".dialog")).toContainText("Long?");
  const presses = await readOn(ana, "a");
  await expect(ana.locator(".dialog")).toHaveCount(0);
  expect(presses).toBeGreaterThan(0);
  await expect.poll(async () => (await server.poll(id)).outcome, { timeout: 10_000 }).toBe("approved");
});

test("a long plan is read to its end before it is followed", async ({ ana, server }) => {
  const plan = Array.from({ length: 300 }, (_, n) => `${n + 1}. step`).join("\n");
  const { id } = await server.ask({ kind: "plan_review", prompt: "Long?", plan });
  await row(ana, "Long?").locator("a").click();
  await ready(ana);
  await ana.keyboard.press("1");
  for (const key of ["Enter", "Control+Enter"]) {
    await ana.keyboard.press(key);
    await expect(ana.getByRole("alert").first()).toContainText("There is more to read.");
  }
  await ana.getByRole("button", { name: "Send decision" }).click();
  await expect(ana.locator(".held-line")).toHaveCount(0);
  // A jump to the end is no reading.
  await ana.locator(".read-to-end").scrollIntoViewIfNeeded();
  await ana.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
  await expect(ana.locator(".read-to-end")).toHaveAttribute("data-seen", "part");
  await readOn(ana, ana.getByRole("button", { name: "Send decision" }));
  await expect(ana.locator(".dialog")).toHaveCount(0);
  await expect.poll(async () => (await server.poll(id)).outcome, { timeout: 10_000 }).toBe("proceed");
});

/**
 * Presses a key or a button until all has been read, some frames after each time, and then once more. Returns how often
 * that led on. What leads on is pressed in the turn that finds something unread: a moment later it would answer.
 */
async function readOn(page: Page, press: string | Locator, look = async () => {}): Promise<number> {
  // A form's question has an end of its own, behind that of the form.
  const end = page.locator(".read-to-end").last();
  const button = typeof press === "string" ? null : await press.elementHandle();
  const [key, ctrl] = typeof press === "string" ? press.split("+").reverse() : [];
  const leadOn = () =>
    end.evaluate(
      (end, { button, key, ctrlKey }) => {
        if ((end as HTMLElement).dataset.seen === "all") return false;
        const down = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true });
        if (button) (button as HTMLElement).click();
        else (document.activeElement ?? document.body).dispatchEvent(down);
        return true;
      },
      { button, key, ctrlKey: ctrl !== undefined },
    );
  let count = 0;
  await look();
  for (; await leadOn(); count += 1) {
    await page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
    await look();
  }
  await (typeof press === "string" ? page.keyboard.press(press) : press.click());
  return count;
}

const long = Array.from({ length: 90 }, (_, n) => `Line ${n}.`).join("\n\n");
const many = Array.from({ length: 25 }, (_, n) => ({ value: `v${n}`, label: `Option ${n} ${"of many ".repeat(7)}` }));

/** What is asked at length, the keys that answer it, and the button. */
const atLength = [
  ["a question", { kind: "question", prompt: long }, ["x", "Control+Enter"], "Send answer"],
  ["a choice", { kind: "choice", prompt: long, options: [{ value: "a", label: "A" }, { value: "b", label: "B" }] }, ["1", "Enter"], "Send answer"],
  ["a choice of many", { kind: "choice", prompt: "Which?", options: many }, ["ArrowDown", "Space", "Enter"], "Send answer"],
  ["an acknowledgement", { kind: "acknowledgement", prompt: long }, ["Enter"], "Acknowledge"],
  ["a form", { kind: "form", prompt: "Two things", questions: [{ id: "one", prompt: long }, { id: "two", prompt: long }] }, ["x", "Control+Enter"], "Send"],
] as const;

for (const [name, body, keys, button] of atLength) {
  test(`${name} is read to its end before it is answered`, async ({ ana, server }) => {
    const { id } = await server.ask({ ...body, mode: "sync" });
    await ana.setViewportSize({ width: 1024, height: 620 });
    await ana.locator(".row a").first().click();
    await ready(ana);
    const mark = () => ana.locator(".dialog-end").evaluate((end) => getComputedStyle(end, "::before").content);
    const answer = async () => {
      await expect(ana.locator(".read-to-end[data-seen=part]").first()).toBeAttached();
      await expect.poll(mark).toContain("There is more to read");
      for (const key of keys) {
        if (key === "x") await ana.getByLabel("Your answer").fill("x");
        else await ana.keyboard.press(key);
      }
      await expect(ana.locator("#answer-problem")).toContainText("There is more to read.");
      await readOn(ana, ana.getByRole("button", { name: button }));
    };
    await answer();
    if (body.kind === "form") {
      await expect(ana.locator(".step-count")).toHaveText("2 of 2");
      expect((await server.poll(id)).state).toBe("pending");
      await ready(ana);
      await answer();
    }
    await expect(ana.locator(".dialog")).toHaveCount(0);
    await expect.poll(async () => (await server.poll(id)).state, { timeout: 10_000 }).toBe("resolved");
  });
}

test("an option that was not found has not been read", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "choice", prompt: "Which?", options: many, mode: "sync" });
  await ana.setViewportSize({ width: 1024, height: 620 });
  await ana.locator(".row a").first().click();
  await ready(ana);
  const find = ana.getByLabel("Find an option");
  await find.pressSequentially("Option 17");
  await expect(ana.locator(".option:visible")).toHaveCount(1);
  await ana.keyboard.press("Enter");
  await expect(ana.getByRole("radio", { checked: true })).toHaveCount(1);
  await ana.getByRole("button", { name: "Send answer" }).click();
  await expect(ana.locator("#answer-problem")).toContainText("There is more to read.");
  // It stands there now, to be read.
  await expect(ana.locator(".option:visible")).not.toHaveCount(1);
  expect((await server.poll(id)).state).toBe("pending");
  await readOn(ana, ana.getByRole("button", { name: "Send answer" }));
  await expect.poll(async () => (await server.poll(id)).answer?.selected, { timeout: 10_000 }).toEqual(["v17"]);
});

test("leafing through is no reading", async ({ ana, server }) => {
  const plan = Array.from({ length: 900 }, (_, n) => `${n + 1}. step`).join("\n");
  const { id } = await server.ask({ kind: "plan_review", prompt: "Long?", plan });
  await row(ana, "Long?").locator("a").click();
  await ready(ana);
  // Most of a window at each second frame, to the end.
  await ana.locator(".dialog-main").evaluate(async (main) => {
    const frame = () => new Promise((then) => requestAnimationFrame(then));
    while (main.scrollTop + main.clientHeight < main.scrollHeight - 1) {
      main.scrollTop += main.clientHeight * 0.85;
      await frame();
      await frame();
    }
  });
  await ana.keyboard.press("1");
  await ana.keyboard.press("Enter");
  await expect(ana.getByRole("alert").first()).toContainText("There is more to read.");
  expect((await server.poll(id)).state).toBe("pending");
});

test("leafing through options is no reading", async ({ ana, server }) => {
  const options = many.map(({ value, label }) => ({ value, label, description: "and more ".repeat(8) }));
  await server.ask({ kind: "choice", prompt: "Which?", options, mode: "sync" });
  await ana.setViewportSize({ width: 390, height: 600 });
  await ana.locator(".row a").first().click();
  await ready(ana);
  // All of them come on the screen, three at each second frame.
  await ana.locator(".option-list").evaluate(async (list) => {
    const frame = () => new Promise((then) => requestAnimationFrame(then));
    for (const option of list.querySelectorAll(".option:nth-child(3n + 2)")) {
      option.scrollIntoView({ block: "center", behavior: "instant" });
      await frame();
      await frame();
    }
  });
  await expect(ana.locator(".read-to-end")).toHaveAttribute("data-seen", "part");
  await ana.getByRole("radio").first().check();
  await ana.keyboard.press("Control+Enter");
  await expect(ana.locator("#answer-problem")).toContainText("There is more to read.");
  // The key leads through all of them.
  await readOn(ana, "Control+Enter");
  await expect(ana.locator(".dialog")).toHaveCount(0);
});

test("what the key help covers is not read", async ({ ana, server }) => {
  await ana.setViewportSize({ width: 390, height: 420 });
  for (const [prompt, covered] of [["Short?", true], ["Short, too?", false]] as const) {
    const { id } = await server.ask({ kind: "acknowledgement", prompt });
    await ana.goto(`${server.url}/blockers/${id}`);
    await live(ana);
    const seen = ana.locator(".read-to-end");
    await expect(seen).toHaveAttribute("data-seen", "all");
    // Another one, with the help over it from its first frame on.
    const next = await server.ask({ kind: "acknowledgement", prompt: `${prompt} And then?` });
    await expect(row(ana, `${prompt} And then?`)).toBeAttached();
    await ana.evaluate((covered) => {
      const help = document.querySelector<HTMLDialogElement>("#key-help");
      const dialog = document.querySelector(".dialog") as Element;
      new MutationObserver(() => covered && !help?.open && help?.showModal()).observe(dialog, { childList: true, subtree: true });
    }, covered);
    await ready(ana);
    await ana.keyboard.press("j");
    await expect(ana.locator(".dialog")).toContainText("And then?");
    if (covered) {
      await expect(seen).toHaveAttribute("data-seen", "part");
      // As long as it takes twice over, in frames.
      await ana.evaluate(async () => {
        const until = performance.now() + 1_500;
        while (performance.now() < until) await new Promise((then) => requestAnimationFrame(then));
      });
      await expect(seen).toHaveAttribute("data-seen", "part");
      expect((await server.poll(next.id)).state).toBe("pending");
    } else {
      await expect(seen).toHaveAttribute("data-seen", "all");
    }
  }
});

test("what has no room to the side, or no style, is not read", async ({ ana, server, watch }) => {
  watch.allow(/ERR_FAILED|status of/);
  const options = [{ value: "a", label: "keep_the_database_NOT" }, { value: "b", label: "b" }];
  const { id } = await server.ask({ kind: "choice", prompt: "Which?", options });
  const answer = async () => {
    await ana.getByRole("radio").first().check();
    await ana.keyboard.press("Enter");
    await expect(ana.locator("#answer-problem")).toContainText("There is more to read.");
  };
  await ana.setViewportSize({ width: 144, height: 700 });
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  await ready(ana);
  await answer();
  await ana.setViewportSize({ width: 1100, height: 1000 });
  await expect(ana.locator(".read-to-end")).toHaveAttribute("data-seen", "all");

  await ana.route(/main-.*\.css$/, (route) => route.abort());
  await ana.goto(`${server.url}/blockers/${id}`);
  await expect(ana.locator("html[data-runs]")).toBeAttached();
  await ready(ana);
  await answer();
  expect((await server.poll(id)).state).toBe("pending");
});

test("before the page's program runs nothing is accepted", async ({ ana, server, watch }) => {
  watch.allow(/wasm|WebAssembly|status of 404|module/i);
  // Another version of the server: nothing of this page is there.
  await ana.context().route("**/pkg/**", (route) => (route.request().url().endsWith(".css") ? route.continue() : route.fulfill({ status: 404 })));
  const asked: [object, () => Promise<void>][] = [
    [{ kind: "approval", prompt: "Run?", action }, () => ana.getByRole("button", { name: "Approve" }).click()],
    [{ kind: "plan_review", prompt: "Plan?", plan: "1. one" }, async () => {
      await ana.getByRole("radio").first().check();
      await ana.getByRole("button", { name: "Send decision" }).click();
    }],
    [{ kind: "question", prompt: "Which?" }, async () => {
      await ana.getByLabel("Your answer").fill("x");
      await ana.getByRole("button", { name: "Send answer" }).click();
    }],
    [{ kind: "choice", prompt: "Which?", options }, async () => {
      await ana.getByRole("radio").first().check();
      await ana.keyboard.press("Enter");
    }],
    [{ kind: "acknowledgement", prompt: "Read?" }, () => ana.getByRole("button", { name: "Acknowledge" }).click()],
  ];
  for (const [body, accept] of asked) {
    const choice = "options" in body ? { options: (body.options as string[]).map((value) => ({ value, label: value })) } : {};
    const { id } = await server.ask({ ...body, ...choice });
    await ana.goto(`${server.url}/blockers/${id}`);
    await accept();
    await expect(ana.locator(".answer-form[data-waits]")).toBeAttached();
    const says = await ana.locator(".answer-form .form-problem").first().evaluate((it) => getComputedStyle(it, "::before").content);
    expect(says).toContain("nothing was sent");
    expect((await server.poll(id)).state).toBe("pending");
  }
  // What declines needs no program.
  const { id } = await server.ask({ kind: "approval", prompt: "Run?", action });
  await ana.goto(`${server.url}/blockers/${id}`);
  await ana.getByRole("button", { name: "Deny" }).click();
  await expect.poll(async () => (await server.poll(id)).outcome).toBe("denied");
});

test("in no window a jump to the end is reading", async ({ ana, server }) => {
  const steps = Array.from({ length: 60 }, (_, n) => `Step ${n}`).join("\n\n");
  const plan = await server.ask({ kind: "plan_review", prompt: "Plan?", plan: steps });
  const command = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join("\n");
  const run = await server.ask({ kind: "approval", prompt: "Run?", action: { tool: "shell", arguments: { command } } });
  for (const [width, height] of [[590, 800], [850, 450], [390, 844], [960, 470], [1366, 700]] as const) {
    await ana.setViewportSize({ width, height });
    for (const [id, ...keys] of [
      [plan.id, "2", "Enter"],
      [run.id, "Tab", "Tab", "Tab", "Tab", "a"],
      [run.id, "t", "Shift+Tab", "Shift+Tab", "a"],
    ] as const) {
      await ana.goto(`${server.url}/blockers/${id}`);
      await live(ana);
      await ready(ana);
      for (const key of keys) {
        await ana.keyboard.press(key);
        await ana.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
      }
      await expect(ana.locator("#answer-problem"), `${width} by ${height}: ${keys.join(" ")}`).toContainText("There is more to read.");
      expect((await server.poll(id)).state).toBe("pending");
    }
  }
});

test("an agent's words of what came too late leave what is asked its room", async ({ ana, server }) => {
  await ana.setViewportSize({ width: 390, height: 844 });
  const branch = "a-very-long-name-of-a-branch-".repeat(6);
  const push = (n: number) => server.ask({ kind: "approval", prompt: "Push?", action: { tool: "Bash", arguments: { command: `git push origin ${branch}${n}` } } });
  const asked = [];
  for (let n = 0; n < 12; n += 1) asked.push(await push(n));
  await ana.locator(".row a").first().click();
  await ready(ana);
  while ((await ana.locator(".dialog").count()) > 0) await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toContainText("Approved 12:");
  for (const { id } of asked) await server.cancel(id);
  await expect(ana.locator(".held-line")).toContainText("Not sent: it was over before.", { timeout: 15_000 });
  const command = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join("\n");
  const long = await server.ask({ kind: "approval", prompt: "Run?", action: { tool: "shell", arguments: { command } } });
  await ana.goto(`${server.url}/blockers/${long.id}`);
  await live(ana);
  await ready(ana);
  await ana.keyboard.press("a");
  await expect(ana.locator("#answer-problem")).toContainText("There is more to read.");
});

test("what has no room left shows nothing", async ({ ana, server }) => {
  await ana.setViewportSize({ width: 390, height: 844 });
  const command = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join("\n");
  const { id } = await server.ask({ kind: "approval", prompt: "Run?", action: { tool: "shell", arguments: { command } } });
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  await ready(ana);
  // As if something beside it had taken all of the room.
  await ana.evaluate(() => {
    const sheet = document.querySelector(".dialog-sheet") as HTMLElement;
    sheet.style.flex = "none";
    sheet.style.height = "0";
  });
  for (let n = 0; n < 6; n += 1) {
    await ana.keyboard.press("a");
    await ana.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
  }
  expect(await ana.locator(".read-to-end[data-seen=all]").count()).toBe(0);
  expect(await ana.locator(".held-line").count()).toBe(0);
  expect((await server.poll(id)).state).toBe("pending");
});

test("who decides anew takes back what is held", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "approval", prompt: "Run?", action: { tool: "shell", arguments: { command: "make" } } });
  await ana.locator(".row a").first().click();
  await ready(ana);
  await ana.keyboard.press("a");
  await expect(ana.locator(".held-line")).toContainText("Approved:");
  await ana.keyboard.press("g");
  await ana.keyboard.press("a");
  await ana.locator(`a[href="/blockers/${id}"]`).first().click();
  await ready(ana);
  await ana.keyboard.press("d");
  await expect(ana.locator(".held-line")).toContainText("Denied:");
  await expect.poll(async () => (await server.poll(id)).outcome, { timeout: 15_000 }).toBe("denied");
});

test.describe("with smooth scrolling", () => {
  test("what runs by faster than it can be seen is not read", async ({ playwright, server, watch }) => {
    const browser = await playwright.chromium.launch({
      executablePath: process.env.CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--enable-smooth-scrolling", "--disable-background-networking"],
    });
    const page = await browser.newPage({ viewport: { width: 1440, height: 700 } });
    watch.add(page);
    await acceptLink(page, await server.invite("Ben"));
    await live(page);
    for (const lines of [60, 100, 200]) {
      const command = Array.from({ length: lines }, (_, n) => `echo ${n}`).join("\n");
      const asked = await server.ask({ kind: "approval", prompt: "Run?", action: { tool: "shell", arguments: { command } } });
      await page.goto(`${server.url}/blockers/${asked.id}`);
      await live(page);
      await ready(page);
      await page.locator(".dialog-main").focus();
      await page.keyboard.press("End");
      await expect
        .poll(async () => page.locator(".dialog-main").evaluate((main) => main.scrollHeight - main.clientHeight - main.scrollTop))
        .toBeLessThan(2);
      await page.keyboard.press("a");
      await expect(page.getByRole("alert").first(), `${lines} lines`).toContainText("There is more to read.");
      expect((await server.poll(asked.id)).state).toBe("pending");
    }
    await browser.close();
  });
});

test("what is read on with a key has all been on the screen", async ({ ana, server }) => {
  const command = Array.from({ length: 70 }, (_, n) => `echo ${n}`).join("\n");
  const title = "W".repeat(200);
  for (const [width, height] of [
    [390, 844],
    [640, 400],
    [320, 400],
    [960, 470],
    [932, 430],
    [960, 300],
    [1440, 900],
  ] as const) {
    const asked = await server.ask({ kind: "approval", title, prompt: "Long?", action: { tool: "shell", arguments: { command } } });
    await ana.setViewportSize({ width, height });
    await ana.goto(`${server.url}/blockers/${asked.id}`);
    await live(ana);
    await ready(ana);
    const seen = new Set<number>();
    const note = async () => {
      for (const n of await ana.locator(".action-code .line").evaluateAll((lines) =>
        lines.flatMap((line, n) => {
          const { left, top, bottom } = line.getBoundingClientRect();
          const hit = [top + 1, bottom - 1].every((y) => line.contains(document.elementFromPoint(left + 30, y)));
          return hit ? [n] : [];
        }),
      )) seen.add(n);
    };
    await readOn(ana, "a", note);
    await expect(ana.locator(".dialog")).toHaveCount(0);
    expect(seen.size, `${width} by ${height}`).toBe(70);
  }
});

test("what is typed for a question that is gone decides nothing", async ({ ana, server }) => {
  const gone = await server.ask({ prompt: "How is the build?", mode: "sync" });
  const victim = await server.ask({ kind: "approval", action, prompt: "The victim?", mode: "async" });
  await row(ana, "How is the build?").locator("a").click();
  await ready(ana);
  await ana.keyboard.type("I saw that one");
  await server.answer(gone.id, { text: "fine" });
  await expect(ana.locator(".dialog")).toContainText("night desk answered");
  await ana.keyboard.type("major issues, all gone now", { delay: 110 });
  await expect(ana.locator(".dialog")).toContainText("night desk answered");
  await expect(ana.locator(".held-line")).toHaveCount(0);
  expect((await server.poll(victim.id)).state).toBe("pending");
  // A person who looks up goes on.
  await ana.keyboard.press("Tab");
  await ana.keyboard.press("j");
  await expect(ana.locator(".dialog")).toContainText("The victim?");
});

test("an empty answer is sent when its person says so once more", async ({ ana, server }) => {
  const text = await server.ask({ prompt: "A text?" });
  await row(ana, "A text?").locator("a").click();
  await ready(ana);
  await ana.keyboard.press("Control+Enter");
  await expect(ana.getByRole("alert").first()).toContainText("This answer is empty. Send it so?");
  await ana.keyboard.press("Control+Enter");
  await expect.poll(async () => (await server.poll(text.id)).answer?.text, { timeout: 10_000 }).toBe("");

  const several = await server.ask({ kind: "choice", options, multiple: true, prompt: "Which?" });
  await row(ana, "Which?").locator("a").click();
  await ready(ana);
  await ana.keyboard.press("Enter");
  await expect(ana.getByRole("alert").first()).toContainText("This answer is empty. Send it so?");
  await ana.getByRole("button", { name: "Send it empty" }).click();
  await expect.poll(async () => (await server.poll(several.id)).answer?.selected, { timeout: 10_000 }).toEqual([]);
});

test("without scripts, too", async ({ openBrowser, ana, server }) => {
  const { id } = await server.ask({ prompt: "A text?" });
  const page = await openBrowser({ javaScriptEnabled: false, storageState: await ana.context().storageState() });
  await page.goto(`${server.url}/blockers/${id}`);
  await page.getByRole("button", { name: "Send answer" }).click();
  await expect(page.getByRole("alert").first()).toContainText("This answer is empty. Send it so?");
  expect((await server.poll(id)).state).toBe("pending");
  await page.getByRole("button", { name: "Send it empty" }).click();
  await expect(page.locator(".dialog")).toContainText("You answered");
  expect((await server.poll(id)).answer?.text).toBe("");
});

test("who else has a question open is seen until they leave", async ({ ana, server, signIn }) => {
  const ben = await signIn("Ben");
  await server.ask({ prompt: "Which port?" });
  const present = (page: Page) => row(page, "Which port?").locator(".row-present");
  await row(ben, "Which port?").locator("a").click();
  await expect(present(ana)).toHaveText("Ben has it open");
  await row(ana, "Which port?").locator("a").click();
  for (const [page, other] of [[ana, "Ben"], [ben, "Ana"]] as const) {
    await expect(page.locator("dialog .also-open")).toHaveText(`${other} has it open`);
  }
  await ben.keyboard.press("Escape");
  await expect(ana.locator("dialog .also-open")).toBeEmpty();
  await expect(present(ben)).toHaveText("Ana has it open");
  await ana.close();
  await expect(present(ben)).toBeEmpty();
});
