// Insights: numbers of what has ended, narrowed by links, with a table and a file below each chart.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expect, expectLegible, live, looks, test, type Server } from "./handraise.ts";

/** Two equal approvals, a question that is answered, and one that waits. */
async function lived(server: Server): Promise<void> {
  for (const approved of [true, false]) {
    const action = { tool: "Bash", arguments: { command: "cargo test" } };
    const asked = await server.ask({ kind: "approval", prompt: "May it run?", action });
    await server.answer(asked.id, { approved });
  }
  const asked = await server.ask({ prompt: "Which port?" });
  await server.answer(asked.id, { text: "80" });
  await server.ask({ prompt: "Which cache?" });
}

/** The journal is counted every five seconds. */
async function counted(page: Page, url: string): Promise<void> {
  await expect(async () => {
    await page.goto(url);
    await expect(page.getByText("Of 3 that ended")).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 20_000 });
}

test("numbers are narrowed by links, shown as tables and kept as files", async ({ server, ana }) => {
  await lived(server);
  await ana.goto(server.url);
  await live(ana);
  await ana.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "History" }).click();
  await ana.getByRole("link", { name: "Insights" }).click();
  await expect(ana).toHaveURL(/\/insights$/);
  await counted(ana, `${server.url}/insights`);
  await expect(ana.getByRole("link", { name: "Insights" })).toHaveAttribute("aria-current", "page");
  await expect(ana.getByRole("img")).toHaveCount(4);

  // What a chart shows is in its table, which keys open.
  const ended = ana.locator("section", { has: ana.getByRole("heading", { name: "How it ended" }) });
  await ended.locator("summary").focus();
  await ana.keyboard.press("Enter");
  await expect(ended.getByRole("row").last()).toContainText(/^\d{4}-\d\d-\d\d3300001$/);

  await ana.getByRole("group", { name: "Kind" }).getByRole("link", { name: "approval" }).click();
  await expect(ana.getByText("Of 2 that ended")).toBeVisible();
  await expect(ana).toHaveURL(/kind=approval/);
  const download = ana.waitForEvent("download");
  await ana.getByRole("link", { name: "By kind as CSV" }).click();
  const file = await (await download).path();
  const [head, line, ...rest] = (await readFile(file, "utf8")).split("\r\n");
  expect(head).toMatch(/^kind,ended,by_people,/);
  expect(line).toMatch(/^approval,2,2,0,0,0,0,1,/);
  expect(rest).toEqual([""]);
  // The chip that is on takes its filter away.
  await ana.getByRole("group", { name: "Kind" }).getByRole("link", { name: "approval" }).click();
  await expect(ana.getByText("Of 3 that ended")).toBeVisible();

  await ana.getByRole("link", { name: "Approve the next ones" }).click();
  await expect(ana.getByRole("heading", { name: "The next ones like this" })).toBeVisible();
  await ana.goBack();
  await ana.getByRole("link", { name: "Overview" }).click();
  await expect(ana.getByRole("link", { name: /Which cache\?/ }).first()).toBeVisible();
});

test("insights are legible in both themes and on a phone, also where there is nothing", async ({ server, signIn }) => {
  const empty = await signIn("Ben", { role: "viewer" });
  await empty.goto(`${server.url}/insights`);
  await expect(empty.getByText("Nothing has ended of what was asked in this time.")).toBeVisible();
  await expectLegible(empty);
  await lived(server);
  await counted(empty, `${server.url}/insights`);
  for (const [n, [colorScheme, width]] of looks.entries()) {
    const page = await signIn(`Ana ${n}`, { role: "admin", colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${server.url}/insights`);
    for (const more of await page.locator("summary").all()) await more.click();
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`insights-${colorScheme}-${width}.png`), fullPage: true });
  }
});
