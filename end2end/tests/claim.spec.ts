// Short of an answer, by keyboard: a person is on it, puts it off, or hands it over, and the others see that as it happens.
import { expect, expectLegible, live, looks, row, test } from "./handraise.ts";

test("whoever is on it says so by a key, and the others see it at once", async ({ ana, signIn, server, watch }) => {
  const ben = await signIn("Ben");
  await live(ben);
  await server.ask({ kind: "acknowledgement", prompt: "Which port?" });
  await expect(row(ana, "Which port?")).toBeVisible();
  await ana.keyboard.press("j");
  await ana.keyboard.press("Enter");
  await expect(ana.locator(".claim-form button")).toHaveText(/I am on it/);
  await ana.keyboard.press("c");
  await expect(ana.locator(".around")).toContainText("You are on it for another");
  await expect(row(ana, "Which port?")).toContainText("You are on it");
  await expect(ana.getByRole("dialog").getByRole("status").first()).toHaveText("You are on it.");
  await expect(row(ben, "Which port?")).toContainText("Ana is on it");
  const claimed = ben.getByRole("region", { name: "Claimed" });
  await expect(claimed.getByRole("link")).toContainText("Ana");

  await row(ben, "Which port?").click();
  await expect(ben.locator(".around")).toContainText("Ana is on it for another");
  watch.allow(/status of 422/);
  await ben.keyboard.press("c");
  await expect(ben.locator("#claim-problem")).toContainText("Ana is on it for another");

  await ana.keyboard.press("c");
  await expect(ana.locator(".around")).toHaveCount(0);
  await expect(row(ben, "Which port?")).not.toContainText("is on it");
  await expect(ben.getByRole("dialog").getByRole("status").first()).toHaveText("The claim has ended.");
  await expect(ben.locator(".around")).toHaveCount(0);
  // It was never needed in order to answer.
  await ben.keyboard.press("c");
  await expect(row(ana, "Which port?")).toContainText("Ben is on it");
  await expect(ana.locator(".answer-form button[type=submit]")).toBeEnabled();
  await ana.keyboard.press("Enter");
  await expect(row(ben, "Which port?")).toHaveCount(0);
});

test("what a person snoozes is out of their list in all their browsers, and of nobody else's", async ({ ana, signIn, server }) => {
  const ben = await signIn("Ben");
  await live(ben);
  const first = await server.ask({ kind: "acknowledgement", prompt: "Which port?" });
  await server.ask({ kind: "acknowledgement", prompt: "Which cache?" });
  await server.ask({ kind: "acknowledgement", prompt: "Now or never?", timeout_seconds: 600 });
  await expect(row(ana, "Which cache?")).toBeVisible();
  await ana.keyboard.press("j");
  await ana.keyboard.press("Enter");
  await expect(ana).toHaveURL(new RegExp(first.id));
  await expect(ana.locator(".snooze-form")).toBeVisible();
  await ana.keyboard.press("z");
  await expect(ana.getByRole("button", { name: "15 min" })).toBeFocused();
  await expect(ana.getByRole("button", { name: /^(Today|Tomorrow) 9:00$/ })).toBeVisible();
  await ana.keyboard.press("Enter");
  // On to the next one.
  await expect(ana.locator(".dialog")).toContainText("Which cache?");
  await expect(ana.locator(".rows")).not.toContainText(["Which port?"]);
  await expect(row(ana, "Which port?")).toHaveCount(0);
  await expect(ana.locator(".snoozed summary")).toHaveText("Snoozed (1)");
  await expect(row(ben, "Which port?")).toBeVisible();

  const elsewhere = await ana.context().newPage();
  await elsewhere.goto(server.url);
  await live(elsewhere);
  await expect(row(elsewhere, "Which port?")).toHaveCount(0);
  await expect(row(elsewhere, "Which cache?")).toBeVisible();
  await elsewhere.locator(".snoozed summary").click();
  await expect(elsewhere.locator(".snoozed")).toContainText("back in");
  await elsewhere.getByRole("button", { name: "Show now" }).click();
  await expect(row(elsewhere, "Which port?")).toBeVisible();
  // The first one hears of it by itself.
  await expect(row(ana, "Which port?")).toBeVisible();
  await expect(elsewhere.locator(".snoozed")).toHaveCount(0);
  await elsewhere.close();

  // Where the deadline is near there is nothing that fits.
  await row(ben, "Now or never?").click();
  await ben.keyboard.press("z");
  await expect(ben.locator(".snooze-form")).toContainText("Its deadline is too near");
  await expect(ben.getByRole("button", { name: "15 min" })).toBeHidden();
});

test("a question is handed over with a word of why", async ({ ana, signIn, server }) => {
  const ben = await signIn("Ben");
  await live(ben);
  await server.ask({ kind: "acknowledgement", prompt: "Which port?" });
  await row(ana, "Which port?").click();
  await expect(ana.locator(".hand-over-form")).toBeVisible();
  await ana.keyboard.press("h");
  await expect(ana.getByLabel("To", { exact: true })).toBeFocused();
  await ana.getByLabel("To", { exact: true }).selectOption({ label: "Ben" });
  await ana.getByLabel("Why, for them").fill("You know the ports");
  await ana.keyboard.press("Enter");
  await expect(row(ben, "Which port?")).toContainText("for Ben");
  await row(ben, "Which port?").click();
  await expect(ben.locator(".around")).toContainText("For you: Ana handed it over.");
  await expect(ben.locator(".around q")).toHaveText("You know the ports");
});

for (const [theme, width] of looks) {
  test(`it looks right, ${theme} and ${width} wide`, async ({ signIn, server }) => {
    const ben = await signIn("Ben");
    const page = await signIn("Ana", { colorScheme: theme, viewport: { width, height: 900 } });
    await server.ask({ kind: "acknowledgement", prompt: "Which port?" });
    await server.ask({ kind: "acknowledgement", prompt: "Which cache?" });
    await row(ben, "Which port?").click();
    await expect(ben.locator(".answer-form button[type=submit]")).toBeEnabled();
    await ben.keyboard.press("c");
    await expect(ben.locator(".around")).toBeVisible();
    await row(page, "Which port?").click();
    await expect(page.locator(".around")).toContainText("Ben is on it");
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath("claimed.png") });
    for (const form of ["snooze", "hand-over"]) {
      await page.locator(`.${form}-form summary`).click();
      await expectLegible(page);
      await page.screenshot({ path: test.info().outputPath(`${form}.png`) });
      await page.locator(`.${form}-form summary`).click();
    }
  });
}
