// Approving with more care: an action is changed before it is approved, and several people approve one.
import type { Page } from "@playwright/test";

import { expect, expectLegible, live, looks, row, test } from "./handraise.ts";

const amendable = {
  kind: "approval", prompt: "It is quiet enough for **more**.", title: "Scale the API", timeout_seconds: 3600,
  action: { tool: "deploy", arguments: { service: "api", replicas: 12, note: "as planned" } },
  amendable: { schema: { type: "object", required: ["replicas"], properties: {
    replicas: { type: "integer", title: "How many", description: "Of one machine each", minimum: 1, maximum: 20 },
    note: { type: "string", title: "Note", maxLength: 80 },
    region: { type: "string", enum: ["eu", "us"] },
    force: { type: "boolean" },
  } } },
};

async function inEachLook(page: Page, name: string): Promise<void> {
  for (const [theme, width] of looks) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    await page.emulateMedia({ colorScheme: theme });
    await expectLegible(page);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}-${width}-${theme}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("by a key an action is changed, shown whole, and approved as it was shown", async ({ ana, server }) => {
  test.slow();
  const asked = await server.ask(amendable);
  await row(ana, "Scale the API").click();
  await expect(ana.locator(".answer-form .amend")).toBeVisible();
  await inEachLook(ana, "amendable");
  await ana.keyboard.press("e");
  await expect(ana).toHaveURL(new RegExp(`/q/${asked.id}/amend$`));
  await inEachLook(ana, "amend-fields");
  await ana.getByLabel("How many").fill("99");
  await ana.getByRole("button", { name: "Show what would run" }).click();
  await expect(ana.getByRole("alert")).toHaveText("arguments.replicas must be 20 or less.");
  await expect(ana.getByLabel("How many")).toHaveValue("99");
  await ana.getByLabel("How many").fill("4");
  await ana.getByLabel("region").selectOption("eu");
  await ana.getByRole("button", { name: "Show what would run" }).click();
  await expect(ana.locator(".amended")).toContainText("replicas: 12 → 4");
  await expect(ana.locator(".amended")).toContainText("region added: eu");
  await expect(ana.locator(".action-block")).toContainText("as planned");
  await inEachLook(ana, "amend-shown");
  await ana.getByRole("button", { name: "Change it again" }).click();
  await expect(ana.getByLabel("How many")).toHaveValue("4");
  await ana.getByRole("button", { name: "Show what would run" }).click();
  await ana.getByRole("button", { name: "Approve what is shown" }).click();
  await expect(ana.getByRole("status").first()).toContainText("approved it");
  await expect(ana.locator("main")).toContainText("replicas: 12 → 4");
});

test("two people approve, each sees who has, and one cannot do it twice", async ({ ana, signIn, server, watch }) => {
  test.slow();
  const ben = await signIn("Ben");
  await live(ben);
  await server.ask({ kind: "approval", prompt: "Drop it?", title: "Drop the table", approvals: { needed: 2 },
    action: { tool: "sql", arguments: { query: "DROP TABLE legacy_orders" } } });
  await expect(row(ana, "Drop the table")).toContainText("0 of 2");
  await row(ben, "Drop the table").click();
  await expect(ben.locator(".around")).toContainText("2 people have to approve it.");
  await row(ana, "Drop the table").click();
  await ana.getByRole("button", { name: "Approve" }).click();
  // Held for five seconds, in which it can be undone.
  await expect(ben.locator(".around")).toContainText("Approved by Ana; it takes 1 more.", { timeout: 15_000 });
  await expect(row(ben, "Drop the table")).toContainText("1 of 2");
  await inEachLook(ben, "quorum");
  watch.allow(/status of 422/);
  await expect(row(ana, "Drop the table")).toContainText("1 of 2");
  await ben.getByRole("button", { name: "Approve" }).click();
  await expect(row(ana, "Drop the table")).toHaveCount(0, { timeout: 15_000 });
});
