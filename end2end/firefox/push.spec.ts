// Notifications in Firefox, from the button on the page to the one that is taken away: the browser subscribes at its push
// service, the server sends to that, and Firefox reads what it is told and has its service worker show it.
import { writeFile } from "node:fs/promises";

import { launch, type Browser, type Page } from "puppeteer-core";

import { expect, password, test as base, type Server } from "../tests/handraise.ts";
import { Alert } from "./alert.ts";
import { PushService } from "./push_service.ts";

type Shown = { title: string; body: string; tag: string; actions: string[]; data: { is: string; place: string } | null };

const test = base.extend<{ service: PushService; firefox: Browser }>({
  service: async ({}, use) => {
    const service = await PushService.start();
    await use(service);
    await service.stop();
  },

  firefox: async ({ service }, use) => {
    const firefox = await launch({
      browser: "firefox",
      executablePath: process.env.FIREFOX,
      // For a look at its own windows.
      args: ["--remote-allow-system-access"],
      extraPrefsFirefox: {
        "dom.push.enabled": true,
        "dom.push.connection.enabled": true,
        "dom.push.serverURL": `${service.url("ws")}/`,
        "dom.push.testing.allowInsecureServerURL": true,
        // As for a person who has allowed it: there is nobody to press *Allow*.
        "permissions.default.desktop-notification": 1,
        // There is no desktop here that would show them.
        "alerts.useSystemBackend": false,
      },
    });
    await use(firefox);
    await firefox.close();
  },
});

/** The notifications there are, as any page of this origin may ask. */
const shown = (page: Page): Promise<Shown[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const all = (await registration.getNotifications()) as (Notification & { actions?: { title: string }[] })[];
    return all.map(({ title, body, tag, actions, data }) => ({
      title,
      body,
      tag,
      actions: (actions ?? []).map(({ title }) => title),
      data: data as Shown["data"],
    }));
  });

/** Presses what leads to another page, and waits for that. */
async function follow(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector, { visible: true });
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

/** A new person comes in by their link, and adds this browser, from the page alone. */
async function addThisBrowser(firefox: Browser, server: Server): Promise<Page> {
  const page = await firefox.newPage();
  // As wide as a phone.
  await page.setViewport({ width: 390, height: 844 });
  await page.goto(await server.invite("Ana"));
  await page.waitForSelector("input[type=password]");
  await page.type("input[type=password]", password);
  await follow(page, "button[type=submit]");
  await page.goto(`${server.url}/settings/reach`);
  await follow(page, "form[data-push] button");
  expect(new URL(page.url()).searchParams.get("done")).toBe("added");
  await page.waitForSelector("[data-this]:not([hidden])");
  return page;
}

test("Firefox is added, tested, told of questions, and has them taken away", async ({ server, service, firefox }, info) => {
  const begun = Date.now();
  const page = await addThisBrowser(firefox, server);
  const added = Date.now() - begun;

  // The page says when the test has arrived, since the worker has told it so.
  await page.click("form[data-test] button");
  await page.waitForFunction(() =>
    document.querySelector("[data-said]")?.textContent?.startsWith("It arrived in this browser at "),
  );
  await expect.poll(async () => (await shown(page))[0]?.data?.is).toBe("test");
  await writeFile(info.outputPath("settings.png"), await page.screenshot({ fullPage: true }));

  const asking = Date.now();
  const first = await server.ask({
    kind: "approval",
    prompt: "Restart worker 3?",
    action: { tool: "restart", arguments: { worker: 3 } },
  });
  const about = async ({ id }: { id: string }) => (await shown(page)).filter(({ tag }) => tag === id);
  await expect.poll(async () => (await about(first)).length, { intervals: [20] }).toBe(1);
  const told = Date.now() - asking;
  const [notification] = await about(first);
  expect(notification).toMatchObject({
    title: expect.stringMatching(/^backend needs approval/),
    body: 'restart {"worker":3}\nRestart worker 3?',
    data: { place: `/q/${first.id}` },
  });
  // As many buttons as this Firefox shows: it fits in whole.
  const most = await page.evaluate(() => (Notification as unknown as { maxActions?: number }).maxActions ?? 0);
  expect(notification.actions).toEqual(["Approve", "Deny"].slice(0, most));
  await (await Alert.titled(firefox, "needs approval")).picture(info.outputPath("notification.png"));

  // Another person answers, elsewhere.
  await server.answer(first.id, { approved: false });
  await expect.poll(() => about(first)).toEqual([]);

  // It is tapped, and answered on the page that this opens.
  const second = await server.ask({ prompt: "Which host?" });
  await expect.poll(async () => (await about(second)).length).toBe(1);
  const opens = firefox.waitForTarget((target) => target.url() === `${server.url}/q/${second.id}`);
  await (await Alert.titled(firefox, "asks")).tap();
  const opened = await (await opens).page();
  await opened?.waitForSelector("textarea");
  await opened?.type("textarea", "the second one");
  await opened?.click("form.answer button[type=submit]");
  await expect.poll(async () => (await server.poll(second.id)).answer?.text).toBe("the second one");
  await expect.poll(() => about(second)).toEqual([]);

  // A test, two questions, and that two are over: Firefox could read all, the push service found nothing to refuse.
  const came = () => service.passed.map(({ refused, code }) => refused ?? code);
  await expect.poll(came).toEqual([100, 100, 100, 100, 100]);
  const version = await firefox.version();
  const facts = { version, added, told, most, notification, passed: service.passed };
  await writeFile(info.outputPath("facts.json"), JSON.stringify(facts, null, 2));
  console.log(`${version}: added in ${added} ms, shown ${told} ms after the ask; pictures and facts in ${info.outputDir}`);
});

test("a browser that is subscribed no more is told nothing, and stands on the page as lost", async ({ server, service, firefox }) => {
  const page = await addThisBrowser(firefox, server);
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await (await registration.pushManager.getSubscription())?.unsubscribe();
  });
  await server.ask();
  await expect.poll(() => service.passed.map(({ refused }) => refused)).toEqual(["no such subscription"]);
  await expect
    .poll(async () => {
      await page.reload();
      return page.evaluate(() => document.querySelector(".reaches-lost")?.textContent ?? "");
    })
    .toContain("its push service knows it no more");
  expect(await shown(page)).toEqual([]);
});
