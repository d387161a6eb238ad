import { expect, live, submitByKey, test } from "./handraise.ts";

const answer = "Your answer";

test("who is slower sees it at once and keeps the text", async ({ ana, server, signIn }) => {
  const ben = await signIn("Ben");
  const asked = await server.ask();
  for (const page of [ana, ben]) await page.goto(`${server.url}/blockers/${asked.id}`);
  await live(ben);
  await ben.getByLabel(answer).fill("Ben's half of an answer");
  await ana.getByLabel(answer).fill("80");
  await submitByKey(ana);

  const dialog = ben.getByRole("dialog");
  await expect(dialog).toContainText(/Ana answered \d+ s ago/);
  await expect(dialog.locator(".closed > .answer-text")).toHaveText("80");
  await expect(dialog.locator(".unsent")).toContainText("Your text was not sent");
  await expect(dialog.locator(".unsent .answer-text")).toHaveText("Ben's half of an answer");
});

test("who sends too late is told who was faster and keeps the text", async ({ ana, server, signIn }) => {
  const ben = await signIn("Ben");
  // Ben's page hears of nothing: no socket, no polling.
  let opened = () => {};
  const runs = new Promise<void>((resolve) => (opened = resolve));
  await ben.routeWebSocket(/\/ws$/, () => opened());
  await ben.route("**/ui/load-desk", () => {});
  const asked = await server.ask();
  await ben.goto(`${server.url}/blockers/${asked.id}`);
  await ben.getByLabel(answer).fill("8080\n– Ben");
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await ana.getByLabel(answer).fill("80");
  await ana.getByRole("button", { name: "Send answer" }).click();
  await expect(ana.getByRole("dialog")).toContainText("You answered");

  await expect(ben.getByLabel(answer)).toBeVisible();
  await submitByKey(ben, runs);
  const dialog = ben.getByRole("dialog");
  await expect(dialog).toContainText(/Ana answered \d+ s ago/);
  await expect(dialog.locator(".unsent .answer-text")).toHaveText("8080\n– Ben", { useInnerText: true });
  expect((await server.poll(asked.id)).answer?.text).toBe("80");
  // The server has kept it as well: the page shows it on any machine.
  await ben.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
  await ben.reload();
  await expect(dialog.locator(".unsent .answer-text")).toHaveText("8080\n– Ben", { useInnerText: true });
});

test("what a person answers in one tab takes no text from another", async ({ ana, server }) => {
  const asked = await server.ask();
  const other = await ana.context().newPage();
  for (const page of [ana, other]) {
    await page.goto(`${server.url}/blockers/${asked.id}`);
    await live(page);
  }
  await ana.getByLabel(answer).fill("A long text");
  await other.getByLabel(answer).fill("x");
  await ana.reload();
  await expect(ana.getByLabel(answer)).toHaveValue("A long text");
  await submitByKey(other);
  const dialog = ana.getByRole("dialog");
  await expect(dialog).toContainText("You answered");
  await expect(dialog.locator(".unsent .answer-text")).toHaveText("A long text");
  await expect(other.getByRole("dialog").locator(".unsent")).toHaveCount(0);
  await other.goto(`${server.url}/blockers/${asked.id}`);
  await expect(other.getByRole("dialog")).toContainText("You answered");
  await expect(other.getByRole("dialog").locator(".unsent")).toHaveCount(0);
});
