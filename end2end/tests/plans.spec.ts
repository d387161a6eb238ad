// Plans with versions: comments on lines go back with their places, and stand beside the next version.
import type { Page } from "@playwright/test";

import { expect, expectLegible, live, looks, submitByKey, test, type Server } from "./handraise.ts";

const first = "# Release 2.4\n\n1. Run the tests\n2. Deploy on Friday\n3. Tell everybody\n";
const second = "# Release 2.4\n\n0. Back up\n1. Run the tests\n2. Deploy on Monday\n";

async function open(page: Page, server: Server, id: string) {
  await page.goto(`${server.url}/blockers/${id}`);
  await live(page);
  return page.locator("dialog.dialog");
}

async function sentBack(server: Server): Promise<string> {
  const { id } = await server.ask({ kind: "plan_review", prompt: "May I?", plan: first });
  await server.answer(id, {
    decision: "adjust",
    feedback: "Nearly.",
    comments: [
      { line: 3, text: "On both databases?" },
      { line: 4, text: "Not on a Friday" },
      { line: 5, text: "Who is that?" },
    ],
  });
  return id;
}

test("a line that is pressed is commented on, and the agent gets it with its place", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "plan_review", prompt: "May I?", plan: first });
  const dialog = await open(ana, server, id);
  await dialog.getByText("Comment on lines").click();
  await dialog.locator(".plan-lines .line", { hasText: "Deploy on Friday" }).click();
  await expect(dialog.getByLabel("Lines", { exact: true })).toHaveValue("4");
  await expect(dialog.getByLabel("Comment", { exact: true })).toBeFocused();
  await ana.keyboard.type("Not on a Friday");
  // What was typed survives a reload.
  await ana.reload();
  await live(ana);
  await expect(dialog.getByLabel("Comment", { exact: true })).toHaveValue("Not on a Friday");
  await expect(dialog.getByLabel("Lines", { exact: true })).toHaveValue("4");
  // A second one, on a line that is not there.
  await dialog.getByRole("button", { name: "Another comment" }).click();
  await dialog.getByLabel("Lines", { exact: true }).last().fill("9");
  await dialog.getByLabel("Comment", { exact: true }).last().fill("And then?");
  await dialog.getByRole("radio", { name: /Adjust/ }).check();
  await submitByKey(ana);
  await expect(dialog.getByRole("alert").first()).toContainText("Line 9 is not there: this plan has 5.");
  expect((await server.poll(id)).state).toBe("pending");
  await dialog.getByLabel("Lines", { exact: true }).last().fill("3-5");
  await submitByKey(ana);
  await expect(dialog).toContainText("You decided");
  const { answer } = await server.poll(id);
  expect(answer?.comments).toEqual([
    { line: 3, to_line: 5, quote: "1. Run the tests", text: "And then?" },
    { line: 4, to_line: 4, quote: "2. Deploy on Friday", text: "Not on a Friday" },
  ]);
  expect(answer?.feedback).toBe(
    "Lines 3 to 5, “1. Run the tests”: And then?\n\nLine 4, “2. Deploy on Friday”: Not on a Friday",
  );
});

test("Enter in the place of a comment decides nothing", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "plan_review", prompt: "May I?", plan: first });
  const dialog = await open(ana, server, id);
  await dialog.getByText("Comment on lines").click();
  await dialog.locator('input[name="decision"][value="proceed"]').check();
  await dialog.getByLabel("Lines", { exact: true }).fill("3");
  await ana.keyboard.press("Enter");
  await expect(dialog.getByLabel("Comment", { exact: true })).toBeFocused();
  expect((await server.poll(id)).state).toBe("pending");
});

test("a plan is let go on with a note", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "plan_review", prompt: "May I?", plan: "Go" });
  const dialog = await open(ana, server, id);
  await ana.keyboard.press("1");
  await dialog.getByLabel("What to change, or notes on the way").fill("Mind the cache");
  await submitByKey(ana);
  await expect(dialog).toContainText("You decided");
  expect((await server.poll(id)).answer).toMatchObject({ decision: "proceed", feedback: "Mind the cache" });
});

for (const [theme, width] of looks) {
  test(`the next version says what is different and what became of each comment, ${theme} and ${width} wide`, async ({
    ana,
    server,
  }) => {
    const revises = await sentBack(server);
    const { id } = await server.ask({ kind: "plan_review", prompt: "And now?", plan: second, revises });
    await ana.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
    await ana.emulateMedia({ colorScheme: theme });
    const dialog = await open(ana, server, id);
    const said = dialog.locator(".plan-said > li");
    await expect(said).toHaveCount(3);
    await expect(said.nth(0)).toContainText("Unchanged: line 4");
    await expect(said.nth(1)).toContainText("Not on a Friday");
    await expect(said.nth(2)).toContainText("Who is that?");
    await expect(dialog.locator(".plan-difference .changed", { hasText: "Monday" })).toBeVisible();
    await expect(dialog).toContainText("night desk sent it back to be adjusted.");
    await expectLegible(ana);
    await ana.screenshot({ path: test.info().outputPath(`versions-${theme}-${width}.png`) });
    await dialog.getByText("Comment on lines").click();
    await expectLegible(ana);
    await ana.screenshot({ path: test.info().outputPath(`comments-${theme}-${width}.png`) });
    await ana.goto(`${server.url}/q/${id}`);
    await expect(ana.locator("main")).toContainText("Unchanged: line 4");
    await expectLegible(ana);
    await ana.screenshot({ path: test.info().outputPath(`quick-${theme}-${width}.png`) });
  });
}
