import { readFile } from "node:fs/promises";

import { test } from "@playwright/test";

import { messagePage, type Card } from "./slack_message.ts";

/** The pictures in docs/slack, and the card of `dev/fixtures/slack/cards` that each shows. */
const pictures = {
  question: "question-open",
  choice: "choice-described",
  approval: "approval-open",
  plan: "plan_review-open",
  form: "form-second",
  answered: "question-picked_up",
};

for (const [picture, card] of Object.entries(pictures)) {
  test(`the picture of ${picture} in docs/slack`, async ({ page }) => {
    const json = await readFile(`../dev/fixtures/slack/cards/${card}.json`, "utf8");
    await page.setContent(messagePage(JSON.parse(json) as Card));
    await page.locator(".message").screenshot({ path: `../docs/slack/${picture}.png` });
  });
}
