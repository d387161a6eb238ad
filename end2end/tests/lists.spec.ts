// The pages beside the desk: history, timeline, tasks, agents.
import { expect, live, row, submitByKey, test } from "./handraise.ts";

test("the history is searched and filtered, and its address says how", async ({ ana, server }) => {
  await server.ask({ prompt: "Which port for the gateway?", session_id: "p11" });
  await server.ask({ kind: "acknowledgement", prompt: "Keys rotate at two." });
  await server.ask({ kind: "notification", prompt: "Build 41 failed", level: "error" });
  await ana.keyboard.press("g");
  await ana.keyboard.press("h");
  await expect(ana).toHaveURL(`${server.url}/history`);
  const lines = ana.locator("main .list-row");
  await expect(lines).toHaveText([/Build 41 failed/, /Keys rotate at two/, /Which port for the gateway/]);

  // A new one shows up by itself.
  await server.ask({ prompt: "And which host?" });
  await expect(lines).toHaveCount(4);

  await ana.keyboard.press("/");
  await ana.keyboard.type("gate port");
  await ana.keyboard.press("Enter");
  await expect(ana).toHaveURL(/[?&]q=gate/);
  await expect(lines).toHaveText([/Which port for the gateway/]);
  await ana.reload();
  await expect(lines).toHaveText([/Which port for the gateway/]);
  await ana.goBack();
  await expect(lines).toHaveCount(4);

  await ana.getByRole("link", { name: "Notification", exact: true }).click();
  await expect(ana).toHaveURL(/kind=notification/);
  await expect(lines).toHaveText([/Build 41 failed/]);
  await ana.goto(`${server.url}/history?q=zebra`);
  await expect(ana.locator("main")).toContainText("Nothing matches.");
  await ana.getByRole("link", { name: "Clear the filters" }).click();
  await expect(lines).toHaveCount(4);
});

test("older pages follow each other", async ({ ana, server }) => {
  for (let n = 0; n < 51; n += 1) await server.ask({ kind: "notification", prompt: `number ${n}` });
  await ana.goto(`${server.url}/history`);
  const lines = ana.locator("main .list-row");
  await expect(lines).toHaveCount(50);
  await ana.getByRole("link", { name: "Older" }).click();
  await expect(lines).toHaveText([/number 0/]);
  await ana.getByRole("link", { name: "Newest" }).click();
  await expect(lines.first()).toContainText("number 50");
});

test("closing a dialog leads back to where it was opened", async ({ ana, server }) => {
  const asked = await server.ask({ prompt: "Which port?" });
  await ana.goto(`${server.url}/history?kind=question`);
  await live(ana);
  await ana.locator("main .list-row").getByRole("link").click();
  await ana.locator("main").getByRole("link", { name: /Answer/ }).click();
  await expect(ana.getByRole("dialog")).toContainText("Which port?");
  await ana.getByRole("link", { name: "Close" }).click();
  await expect(ana).toHaveURL(`${server.url}/interactions/${asked.id}`);
  await ana.goto(`${server.url}/agents`);
  await live(ana);
  await ana.locator("main").getByRole("link", { name: /Which port/ }).click();
  await ana.getByLabel("Your answer").fill("80");
  await submitByKey(ana);
  await expect(ana.getByRole("dialog")).toContainText("You answered");
  await ana.keyboard.press("Escape");
  await expect(ana).toHaveURL(`${server.url}/agents`);
  // A person who comes from elsewhere gets the overview.
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await live(ana);
  await ana.keyboard.press("Escape");
  await expect(ana).toHaveURL(`${server.url}/`);
});

test("the timeline of one question grows while it is looked at", async ({ ana, server }) => {
  const asked = await server.ask({ prompt: "Which **port**?", task: { id: "T-1" } });
  await ana.goto(`${server.url}/interactions/${asked.id}`);
  await live(ana);
  const steps = ana.locator(".timeline li");
  await expect(steps).toHaveText([/backend asked/, /The task waits/]);
  await ana.locator("main").getByRole("link", { name: /Answer/ }).click();
  await ana.getByLabel("Your answer").fill("80");
  await submitByKey(ana);
  await expect(ana.getByRole("dialog")).toContainText("You answered");
  await ana.getByRole("link", { name: "Timeline" }).click();
  await expect(steps).toHaveText([
    /backend asked/,
    /The task waits/,
    /Ana opened it/,
    /Ana answered/,
    /The task goes on/,
  ]);
  await server.collect(asked.id);
  await expect(steps.last()).toContainText("backend picked it up");
});

test("tasks and agents say what they wait for", async ({ ana, server }) => {
  await server.task("T-1", { title: "Add caching" });
  await server.ask({ prompt: "Which port?", task: { id: "T-1", step: "binding" } });
  await server.task("T-2", { status: "failed", reason: "no quota" });
  await ana.goto(`${server.url}/tasks`);
  await live(ana);
  const main = ana.locator("main");
  await expect(main).toContainText("Add caching");
  await expect(main).toContainText("binding");
  await expect(main).toContainText("no quota");
  await ana.getByRole("link", { name: "Failed" }).click();
  await expect(ana).toHaveURL(/status=failed/);
  await expect(main).not.toContainText("Add caching");
  await server.task("T-3", { status: "failed", reason: "no disk" });
  await expect(main).toContainText("no disk");

  await ana.getByRole("navigation").getByRole("link", { name: "Agents" }).click();
  await expect(main).toContainText("backend");
  await expect(main).toContainText(/last seen \d+ s ago/);
  await main.getByRole("link", { name: /Which port/ }).click();
  await ana.getByLabel("Your answer").fill("80");
  await submitByKey(ana);
  await expect(ana.getByRole("dialog")).toContainText("You answered");
  expect((await server.task("T-1")).status).toBe("running");
});

test("the overview counts and groups what waits", async ({ ana, server }) => {
  await server.ask({ prompt: "Which port?" });
  const main = ana.locator("main");
  await expect(main).toContainText("1 asked");
  await expect(main.getByRole("region", { name: "Agents that stand still" })).toContainText("Which port?");
  await server.ask({ prompt: "Now or never?", timeout_seconds: 600 });
  await expect(main.getByRole("region", { name: "About to expire" })).toContainText("Now or never?");
  await row(ana, "Which port?").click();
  await ana.getByLabel("Your answer").fill("80");
  await submitByKey(ana);
  await expect(ana.getByRole("dialog")).toContainText("Now or never?");
  await ana.keyboard.press("Escape");
  await expect(main).toContainText("1 answered");
});

test("the list of those who wait is narrowed, and going on stays in it", async ({ ana, server }) => {
  for (let n = 0; n < 4; n += 1) await server.ask({ prompt: `Question ${"abcd"[n]}?` });
  const action = (n: number) => ({ kind: "approval", prompt: "Push?", action: { tool: "Bash", arguments: { command: `git push origin ${"xyz"[n]}` } } });
  for (let n = 0; n < 3; n += 1) await server.ask({ ...action(n), priority: n === 0 ? "urgent" : "normal", timeout_seconds: n === 1 ? 600 : 86_400 });
  await expect(ana.locator(".row")).toHaveCount(7);
  await ana.getByText("Narrow", { exact: true }).click();
  const chip = (name: string) => ana.locator(".narrow").getByRole("link", { name, exact: true });
  await chip("Approval").click();
  await expect(ana).toHaveURL(`${server.url}/?kind=approval`);
  await expect(ana.locator(".row")).toHaveCount(3);
  await expect(ana.locator(".panel-title .count")).toHaveText("3 of 7");
  // From one to the next, and back to where it began.
  await ana.keyboard.press("j");
  await ana.keyboard.press("Enter");
  for (const _ of [1, 2, 3]) {
    await expect(ana.locator(".dialog .action-block")).toBeVisible();
    await ana.keyboard.press("j");
  }
  await ana.keyboard.press("Escape");
  await expect(ana).toHaveURL(`${server.url}/?kind=approval`);
  await chip("Within an hour").click();
  await expect(ana.locator(".row")).toHaveCount(1);
  await expect(ana.locator(".row")).toContainText("git push origin y");
  await chip("Within an hour").click();
  await chip("Urgent").click();
  await expect(ana.locator(".row")).toHaveCount(1);
  await chip("Approval").click();
  // Nothing of this kind waits.
  await expect(chip("Choice")).toHaveCount(0);
  await ana.goto(`${server.url}/?agent=another`);
  await expect(ana.locator(".panel")).toContainText("Nothing that waits is so.");
  await ana.getByRole("link", { name: "Show all" }).click();
  await expect(ana.locator(".row")).toHaveCount(7);
});

test("a row says that an answer was begun", async ({ ana, server }) => {
  const { id } = await server.ask({ prompt: "Which port?" });
  await row(ana, "Which port?").locator("a").click();
  await ana.getByLabel("Your answer").fill("80");
  await ana.keyboard.press("Escape");
  await expect(row(ana, "Which port?")).toContainText("Your answer is begun");
  await ana.reload();
  await expect(row(ana, "Which port?")).toContainText("Your answer is begun");
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  await ana.getByLabel("Your answer").fill("");
  await ana.keyboard.press("Escape");
  await expect(row(ana, "Which port?")).not.toContainText("Your answer is begun");
});

test.describe("without scripts", () => {
  test("the list of those who wait is narrowed by its address", async ({ signIn, server }) => {
    for (let n = 0; n < 60; n += 1) await server.ask({ prompt: `Question ${"abcdefgh"[n % 8]}${"abcdefgh"[Math.floor(n / 8)]}?` });
    await server.ask({ kind: "choice", prompt: "Which one?", options: [{ value: "a", label: "A" }, { value: "b", label: "B" }] });
    const ana = await signIn("Ana", { javaScriptEnabled: false });
    await ana.goto(`${server.url}/?kind=choice`);
    await expect(ana.locator(".row")).toHaveCount(1);
    await expect(ana.locator(".row")).toContainText("Which one?");
  });
});
