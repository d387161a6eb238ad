// The program in parts: the desk does not wait for what it does not show.
import type { Page } from "@playwright/test";

import { expect, live, row, test } from "./handraise.ts";

/** The parts that a page has asked for so far, in order, without their hashes. */
function partsOf(page: Page): string[] {
  const parts: string[] = [];
  page.on("request", (request) => {
    const part = request.url().match(/\/pkg\/(\w+)-[0-9a-f]+\.wasm$/)?.[1];
    if (part && !parts.includes(part)) parts.push(part);
  });
  return parts;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

test("the desk is live before the other pages' part is there, and they wait for it", async ({ ana, server }) => {
  await server.ask({ prompt: "Which port?" });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await ana.route(/\/pkg\/rest-/, async (route) => {
    await arrived;
    await route.continue();
  });
  const parts = partsOf(ana);
  await ana.reload();
  await live(ana);
  expect(parts[0]).toBe("handraise");
  await row(ana, "Which port?").click();
  await expect(ana.getByLabel("Your answer")).toBeVisible();
  await ana.keyboard.press("Escape");
  await ana.getByRole("link", { name: "History", exact: true }).click();
  await expect.poll(() => parts).toContain("rest");
  await expect(heading(ana, "Overview")).toBeVisible();
  arrive();
  await expect(heading(ana, "History")).toBeVisible();
  await expect(ana).toHaveURL(`${server.url}/history`);
});

test("the parts are there before anybody asks for them", async ({ ana, server }) => {
  const arrived = ana.waitForEvent("requestfinished", (request) => /\/pkg\/rest-/.test(request.url()));
  await ana.reload();
  await live(ana);
  await arrived;
  await ana.route(/\.wasm$/, (route) => route.abort());
  await ana.getByRole("link", { name: "Settings", exact: true }).click();
  // The browser may still be compiling it.
  await expect(heading(ana, "Settings")).toBeVisible({ timeout: 15_000 });
  const { id } = await server.ask({ prompt: "Which port?" });
  await row(ana, "Which port?").click();
  await expect(ana).toHaveURL(`${server.url}/blockers/${id}`);
  await expect(ana.getByLabel("Your answer")).toBeVisible();
});

test("a page of another part runs when it is opened by its address", async ({ ana, server }) => {
  await server.ask({ prompt: "Which port?" });
  for (const [where, part, other] of [
    ["/history", "rest", "dialog"],
    ["/groups/marked", "dialog", "rest"],
  ]) {
    const html = await (await ana.request.get(server.url + where)).text();
    expect(html).toMatch(new RegExp(`<link rel="preload" href="/pkg/${part}-`));
    expect(html).not.toContain(`/pkg/${other}-`);
  }
  await ana.goto(`${server.url}/history`);
  await live(ana);
  await server.ask({ prompt: "And which host?" });
  await expect(ana.locator("main .list-row")).toHaveCount(2);
});

test("a part that cannot be had is told, and comes with the next try", async ({ ana, server, watch }) => {
  watch.allow(/ERR_FAILED|Failed to fetch/);
  await ana.route(/\/pkg\/(rest|chunk)|\/ui\/load-visitor/, (route) => route.abort());
  await ana.reload();
  await live(ana);
  await ana.getByRole("link", { name: "Tasks", exact: true }).click();
  await expect(ana.locator("main").getByRole("alert")).toContainText("cannot be reached");
  await expect(ana).toHaveURL(`${server.url}/tasks`);
  await live(ana);
  await ana.unrouteAll();
  await ana.getByRole("link", { name: "Reload the page" }).click();
  await expect(heading(ana, "Tasks")).toBeVisible();
  await live(ana);
});

test("a page of an older deploy loads a page of the new one", async ({ ana, server, watch }) => {
  watch.allow(/404|HTTP status code is not ok/);
  await ana.route(/\/pkg\/rest-/, (route) => route.fulfill({ status: 404 }));
  await ana.reload();
  await live(ana);
  await ana.evaluate(() => Object.assign(window, { old: true }));
  await ana.getByRole("link", { name: "Agents", exact: true }).hover();
  await ana.unroute(/\/pkg\/rest-/);
  await ana.route(/\/pkg\/rest-/, (route) => route.fulfill({ status: 404 }), { times: 2 });
  await ana.getByRole("link", { name: "Agents", exact: true }).click();
  await expect(heading(ana, "Agents")).toBeVisible();
  await live(ana);
  expect(await ana.evaluate(() => "old" in window)).toBe(false);
  await expect(ana).toHaveURL(`${server.url}/agents`);
});
