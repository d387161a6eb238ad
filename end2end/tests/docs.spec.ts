// The description of the API, for people: open to everybody, without scripts and without other hosts.
import { expect, expectLegible, looks, test } from "./handraise.ts";

for (const [colorScheme, width] of looks) {
  test(`the API is described in ${colorScheme} at ${width} pixels, without scripts`, async ({ openBrowser, server }) => {
    const page = await openBrowser({
      colorScheme,
      viewport: { width, height: 900 },
      javaScriptEnabled: false,
    });
    await page.goto(`${server.url}/docs`);
    await expect(page.getByRole("heading", { name: "API", level: 1 })).toBeVisible();

    // With the keyboard: to the call, open it, and on to what it takes.
    await page.getByRole("link", { name: "POST /api/v1/interactions", exact: true }).focus();
    await page.keyboard.press("Enter");
    const call = page.locator("#ask");
    await expect(call).toBeVisible();
    await expect(call).toContainText("Idempotency-Key");
    await expect(call).toContainText("too_many_pending");
    await call.getByRole("link", { name: "Ask", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(page.locator("#schema-Ask")).toContainText("AskPlanReview");
  });

  test(`it is legible in ${colorScheme} at ${width} pixels`, async ({ openBrowser, server }) => {
    const page = await openBrowser({ colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${server.url}/docs`);
    await expectLegible(page);
    // Some of the calls and of the shapes, with what is in them: there are a hundred, and all are drawn by one rule.
    await page.locator("details.call").evaluateAll((all) => {
      const some = all.filter((_, n) => n % 9 === 0);
      const within = some.flatMap((one) => [one, ...one.querySelectorAll("details")]);
      within.forEach((one) => one.setAttribute("open", ""));
    });
    await expectLegible(page);
  });
}
