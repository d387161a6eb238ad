import type { Page } from "@playwright/test";

import { expect, expectLegible, live, looks, row, submitByKey, test } from "./handraise.ts";

test("what was typed survives Esc and a reload", async ({ ana, server }) => {
  await server.ask();
  await row(ana, "Which port?").click();
  await ana.getByLabel("Your answer").fill("half a thought\n");
  await ana.keyboard.press("Escape");
  await expect(ana).toHaveURL(`${server.url}/`);
  await row(ana, "Which port?").click();
  await expect(ana.getByLabel("Your answer")).toHaveValue("half a thought\n");
  await ana.reload();
  await expect(ana.getByLabel("Your answer")).toHaveValue("half a thought\n");
});

test("the keyboard is enough", async ({ ana, server }) => {
  for (const prompt of ["one", "two", "three"]) await server.ask({ prompt });
  await expect(ana.locator(".row")).toHaveCount(3);
  for (const key of ["j", "j", "j", "k"]) await ana.keyboard.press(key);
  await expect(row(ana, "two").getByRole("link")).toBeFocused();
  await ana.keyboard.press("Enter");
  await expect(ana.getByLabel("Your answer")).toBeFocused();
  // In a text area letters are letters.
  await ana.keyboard.type("jk?");
  await expect(ana.getByLabel("Your answer")).toHaveValue("jk?");
  await ana.keyboard.press("Escape");
  await ana.keyboard.press("?");
  await expect(ana.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await ana.keyboard.press("Escape");
  await expect(ana.getByRole("dialog", { name: "Keys" })).toBeHidden();
});

test("on to the next question after an answer", async ({ ana, server }) => {
  const first = await server.ask({ prompt: "one" });
  const second = await server.ask({ prompt: "two" });
  await ana.goto(`${server.url}/blockers/${first.id}`);
  await ana.getByLabel("Your answer").fill("1");
  await submitByKey(ana);
  await expect(ana).toHaveURL(`${server.url}/blockers/${second.id}`);
  await expect(ana.getByLabel("Your answer")).toHaveValue("");
  await expect(ana.getByRole("dialog")).toContainText("two");
});

test.describe("without scripts", () => {
  test("reading and answering work as plain pages", async ({ server, signIn }) => {
    const asked = await server.ask({ prompt: "Which **port**?" });
    const ana = await signIn("Ana", { javaScriptEnabled: false });
    await row(ana, "Which port?").getByRole("link").click();
    await ana.getByLabel("Your answer").fill("one\ntwo");
    await ana.getByRole("button", { name: "Send answer" }).click();
    await expect(ana.getByRole("dialog")).toContainText("You answered");
    expect((await server.poll(asked.id)).answer?.text).toBe("one\ntwo");
  });
});

const hostile = [
  "x".repeat(19_000),
  "<script>alert(1)</script><img src=https://evil.example/p.png>",
  "[click](javascript:alert(1)) ![](https://evil.example/p.png)",
  "\u202eright to left\u202c \u200bzero width",
].join("\n\n");

const long = "o".repeat(75);
const kinds = [
  { kind: "choice", options: [long, { value: "b", label: "b", description: long }] },
  { kind: "approval", action: { tool: "shell", arguments: { command: "x".repeat(5_000) } } },
  { kind: "plan_review", plan: `# Plan\n\n${hostile}\n\n| a | b |\n|---|---|\n| ${"c".repeat(300)} | d |` },
  { kind: "form", questions: [{ id: "q", prompt: hostile, options: ["a", "b"], multiple: true }] },
];

for (const [theme, width] of looks) {
  test(`legible and within the screen, ${theme} at ${width} px`, async ({ server, signIn }) => {
    // Axe goes over eleven pages.
    test.slow();
    const ana = await signIn("Ana", { viewport: { width, height: 844 }, colorScheme: theme });
    await server.ask({ prompt: hostile, agent: undefined, session_id: "s".repeat(128) });
    const asked = await server.ask({ prompt: "short", mode: "async", timeout_seconds: 60 });
    await live(ana);
    await expect(ana.locator(".row")).toHaveCount(2);
    const fits = () => expectLegible(ana);
    await fits();
    await row(ana, "xxx").click();
    await expect(ana.getByLabel("Your answer")).toBeVisible();
    await fits();
    const sheet = ana.locator(".dialog");
    const inside = await sheet.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(inside).toBe(0);
    await ana.goto(`${server.url}/blockers/${asked.id}`);
    await ana.getByLabel("Your answer").fill("yes");
    await submitByKey(ana);
    await expect(ana.getByRole("dialog")).toContainText("xxx");
    await ana.goto(`${server.url}/blockers/${asked.id}`);
    await expect(ana.getByRole("dialog")).toContainText("You answered");
    await fits();
    for (const kind of kinds) {
      const { id } = await server.ask({ prompt: hostile, ...kind });
      await ana.goto(`${server.url}/blockers/${id}`);
      await live(ana);
      await fits();
    }
    await server.task("T-1", { title: "t".repeat(200), step: "s".repeat(300) });
    for (const where of ["/history", "/tasks", "/agents", `/interactions/${asked.id}`]) {
      await ana.goto(server.url + where);
      await live(ana);
      await fits();
    }
  });
}

test("the theme is remembered and sent by the server", async ({ ana }) => {
  const root = ana.locator("html");
  await ana.getByRole("button", { name: /Theme/ }).click();
  await ana.getByRole("button", { name: /Theme/ }).click();
  await expect(root).toHaveAttribute("data-theme", "dark");
  const html = await (await ana.request.get(ana.url())).text();
  expect(html).toContain('data-theme="dark"');
  await ana.reload();
  await expect(root).toHaveAttribute("data-theme", "dark");
});

/** What can be pressed and is smaller than a finger. Links within a text may be. */
const tooSmall = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")];
    return all.flatMap((each) => {
      // A box is pressed by its label.
      const target = each.matches("[type=radio], [type=checkbox]") ? (each.closest("label") ?? each) : each;
      const { width, height } = target.getBoundingClientRect();
      const style = getComputedStyle(target);
      const isDrawn = each.checkVisibility({ visibilityProperty: true }) && width > 2 && height > 2 && each.tabIndex >= 0;
      const isText = target.tagName === "A" && style.display === "inline";
      return isDrawn && !isText && height < 43.5 ? [`${target.tagName}.${target.className} ${Math.round(height)}: ${target.textContent?.slice(0, 30)}`] : [];
    });
  });

test("on a phone everything is as large as a finger", async ({ signIn, server }) => {
  test.slow();
  const ana = await signIn("Ana", { role: "admin", viewport: { width: 390, height: 844 } });
  const ids = [];
  const action = (n: string) => ({ tool: "Bash", arguments: { command: `git push origin ${n}` } });
  for (const n of ["1", "2"]) ids.push((await server.ask({ kind: "approval", prompt: "Push?", action: action(n) })).id);
  const plan = await server.ask({ kind: "plan_review", prompt: "Plan?", plan: "1. one\n2. two" });
  const options = Array.from({ length: 12 }, (_, n) => ({ value: `v${n}`, label: `Option ${n}` }));
  const form = await server.ask({ kind: "form", prompt: "Two?", questions: [{ id: "a", prompt: "Which?", options }, { id: "b", prompt: "Why?" }] });
  const gone = await server.ask({ prompt: "Which port?" });
  await server.answer(gone.id, { text: "80" });
  for (let n = 0; n < 4; n += 1) await server.ask({ prompt: `Question ${"abcd"[n]}?` });
  const pages = ["/", `/blockers/${ids[0]}`, `/blockers/${plan.id}`, `/blockers/${form.id}`, `/blockers/${gone.id}`, "/history", `/interactions/${gone.id}`, "/tasks", "/agents", "/deliveries", "/settings", "/settings/people", "/settings/tokens", "/settings/webhooks"];
  const small: Record<string, string[]> = {};
  for (const where of pages) {
    await ana.goto(`${server.url}${where}`);
    await live(ana);
    const here = await tooSmall(ana);
    if (here.length > 0) small[where] = here;
  }
  expect(small).toEqual({});
});
