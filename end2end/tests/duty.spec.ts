// Who is on duty, in the header.
import type { Page } from "@playwright/test";

import { expect, expectLegible, live, looks, test, type Server } from "./handraise.ts";

const duty = (page: Page) => page.locator(".header .duty");

/** A team of Ana and Ben, whose rota begins with Ana, and hands over daily at this hour. */
async function team(server: Server, name: string, at = "00:00"): Promise<void> {
  await server.cli("team", "create", "--name", name);
  for (const person of ["Ana", "Ben"]) {
    await server.cli("team", "add", "--team", name, "--person", person);
  }
  const people = ["--person", "Ana", "--person", "Ben"];
  await server.cli("team", "duty", "rota", "--team", name, ...people, "--every", "day", "--at", at, "--zone", "UTC");
}

test("a team's members see who is on duty, and see them hand over", async ({ server, ana, signIn }) => {
  test.slow();
  // Without a rota nothing looks different.
  await expect(duty(ana)).toHaveCount(0);
  const ben = await signIn("Ben");
  const cem = await signIn("Cem");
  await team(server, "Payments");
  const until = new Date(Date.now() + 30_000).toISOString();
  const now = new Date(Date.now() - 1_000).toISOString();
  await server.cli("team", "duty", "override", "--team", "Payments", "--person", "Ben", "--from", now, "--until", until);
  for (const page of [ana, ben, cem]) {
    await page.reload();
    await live(page);
  }
  await expect(duty(ana)).toHaveText(/^On duty: Ben until \d\d:\d\d/);
  await expect(duty(ben)).toHaveText(/^You are on duty until \d\d:\d\d/);
  await expect(duty(cem)).toHaveCount(0);
  // Nobody reloads.
  await ana.evaluate(() => ((window as unknown as { here: boolean }).here = true));
  await expect(duty(ana)).toHaveText(/^You are on duty until /, { timeout: 60_000 });
  await expect(duty(ben)).toHaveText(/^On duty: Ana until /, { timeout: 60_000 });
  expect(await ana.evaluate(() => (window as unknown as { here: boolean }).here)).toBe(true);
});

test("the line of duty can be read in every theme and at every width", async ({ server, signIn }) => {
  const first = await signIn("Ana", { role: "admin" });
  await signIn("Ben");
  await team(server, "Payments");
  await team(server, "Search and recommendations", "12:30");
  for (const [colorScheme, width] of looks) {
    await first.setViewportSize({ width, height: 900 });
    await first.emulateMedia({ colorScheme });
    await first.goto(`${server.url}/`);
    await live(first);
    await expect(duty(first)).toContainText("for Payments");
    await expectLegible(first);
  }
});
