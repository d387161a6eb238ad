// An agent falls silent: whoever looks hears of it by themselves, and dismisses its question in one step.
import { Server, test as base, expect, expectLegible, live, looks, row } from "./handraise.ts";

const test = base.extend({
  server: async ({}, use) => {
    const server = await Server.start({ HANDRAISE_AGENT_SILENCE_SECONDS: "3" });
    await use(server);
    await server.remove();
  },
});

/** Silent for long enough, and a page looks every five seconds. */
const soon = { timeout: 20_000 };
const said = "The asking agent is offline: nothing was heard of it for";

test("a question whose agent is gone says so and is dismissed by a key", async ({ ana, signIn, server }) => {
  const asked = await server.ask({ kind: "approval", prompt: "Clear it?", action: { tool: "sql", arguments: { q: "x" } } });
  await expect(row(ana, "sql")).toBeVisible();
  await expect(row(ana, "sql")).toContainText("agent offline", soon);
  const eve = await signIn("Eve", { role: "viewer" });
  await live(eve);
  await row(eve, "sql").click();
  await expect(eve.locator(".around")).toContainText(said);
  await expect(eve.getByRole("button", { name: "Dismiss" })).toHaveCount(0);

  await row(ana, "sql").click();
  await expect(ana.locator(".around")).toContainText(said);
  for (const [colorScheme, width] of looks) {
    await ana.emulateMedia({ colorScheme });
    await ana.setViewportSize({ width, height: 900 });
    await expectLegible(ana);
    await ana.screenshot({ path: `test-results/offline-${colorScheme}-${width}.png` });
  }
  await ana.setViewportSize({ width: 1440, height: 900 });
  await ana.keyboard.press("Delete");
  await expect(eve.locator(".dialog")).toContainText("The asking agent was offline.");
  await expect(row(eve, "sql")).toHaveCount(0);
  const closed = await server.poll(asked.id);
  expect(closed).toMatchObject({ outcome: "cancelled", approved: false, cancel_code: "agent_offline", closed_by: "Ana" });
});

test("an agent that is back is not dismissed, and the page hears of that too", async ({ ana, server }) => {
  const asked = await server.ask({ prompt: "Which port?" });
  await expect(row(ana, "Which port?")).toContainText("agent offline", soon);
  await row(ana, "Which port?").click();
  await expect(ana.getByRole("button", { name: "Dismiss" })).toBeVisible();
  const polling = setInterval(() => void server.poll(asked.id).catch(() => {}), 1_000);
  await expect(row(ana, "Which port?")).not.toContainText("agent offline", soon);
  await expect(ana.locator(".around")).toHaveCount(0);
  await ana.keyboard.press("Delete");
  await expect(ana.getByRole("button", { name: "Dismiss" })).toHaveCount(0);
  clearInterval(polling);
  expect((await server.poll(asked.id)).state).toBe("pending");
});

test("on a telephone it is dismissed at /q", async ({ signIn, server }) => {
  const asked = await server.ask({ prompt: "Which port?" });
  const ana = await signIn("Ana", { viewport: { width: 390, height: 800 } });
  await expect(async () => {
    await ana.goto(`${server.url}/q/${asked.id}`);
    await expect(ana.getByText(said)).toBeVisible({ timeout: 500 });
  }).toPass(soon);
  await expectLegible(ana);
  await ana.screenshot({ path: "test-results/offline-q.png" });
  await ana.getByRole("button", { name: "Dismiss" }).click();
  await expect(ana.getByText("The asking agent was offline.")).toBeVisible();
  expect((await server.poll(asked.id)).outcome).toBe("cancelled");
});
