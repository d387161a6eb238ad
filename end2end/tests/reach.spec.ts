// Notifications: what Chromium's own service worker shows, and what its buttons do.
import type { CDPSession, Page, Worker } from "@playwright/test";

import { expect, expectLegible, looks, notifications, test, type Server } from "./handraise.ts";

type Shown = { title: string; body: string; tag: string; actions: string[] };

/** What the worker is told, as the server tells it: see `payload.rs`. */
function told(id: string, person: string, buttons: object[] = [], more: object = {}) {
  return {
    web_push: 8030,
    notification: { title: "backend needs approval", body: 'restart {"worker":3}\nRestart worker 3?', tag: id },
    handraise: { is: "question", message: "m", interaction: id, person, place: `/blockers/${id}`, buttons, ...more },
  };
}

/** The page's service worker, and a way to have a push service's message delivered to it. */
async function workerOf(page: Page, server: Server) {
  await page.context().grantPermissions(["notifications"], { origin: server.url });
  await page.goto(`${server.url}/settings/reach`);
  const session: CDPSession = await page.context().newCDPSession(page);
  const registered = new Promise<string>((found) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      if (registrations[0]) found(registrations[0].registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const begun = page.context().waitForEvent("serviceworker");
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  const worker = await begun;
  await inTurn(worker);
  const registrationId = await registered;
  const push = (data: object) =>
    session.send("ServiceWorker.deliverPushMessage", {
      origin: server.url,
      registrationId,
      data: JSON.stringify(data),
    });
  return { worker, push };
}

/** Chromium forgets a notification if it is asked for all of them at the moment in which it shows that one. */
const inTurn = (worker: Worker) =>
  worker.evaluate(() => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    let last: Promise<unknown> = Promise.resolve();
    for (const name of ["showNotification", "getNotifications"] as const) {
      const original = registration[name].bind(registration) as (...given: unknown[]) => Promise<unknown>;
      const value = (...given: unknown[]) => {
        const work = () => original(...given);
        last = last.then(work, work);
        return last;
      };
      Object.defineProperty(registration, name, { value });
    }
  });

const shown = (worker: Worker): Promise<Shown[]> =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const all = await registration.getNotifications();
    return all.map((one) => ({
      title: one.title,
      body: one.body,
      tag: one.tag,
      actions: ((one as unknown as { actions?: { title: string }[] }).actions ?? []).map(({ title }) => title),
    }));
  });

/** A person presses a button of the notification about this question. */
const press = (worker: Worker, tag: string, action: string) =>
  worker.evaluate(
    async ({ tag, action }) => {
      const scope = self as unknown as {
        registration: { getNotifications: (which: object) => Promise<object[]> };
        NotificationEvent: new (type: string, init: object) => Event;
        dispatchEvent: (event: Event) => boolean;
      };
      const [notification] = await scope.registration.getNotifications({ tag });
      scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification, action }));
    },
    { tag, action },
  );

/** Who is signed in there. */
const personOf = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const response = await fetch("/ui/load-visitor", { method: "POST" });
    return JSON.stringify(await response.json()).match(/[0-9a-f]{8}-[0-9a-f-]{27}/)?.[0] ?? "";
  });

const approval = (server: Server) =>
  server.ask({
    kind: "approval",
    prompt: "Restart worker 3?",
    action: { tool: "restart", arguments: { worker: 3 } },
  });

test("a notification is shown, its buttons approve and deny, and it is taken away", notifications, async ({ server, signIn }) => {
  const page = await signIn("Ana");
  const { worker, push } = await workerOf(page, server);
  const person = await personOf(page);
  for (const [action, outcome] of [
    ["0", "approved"],
    ["1", "denied"],
  ]) {
    const asked = (await approval(server)) as { id: string; action_digest?: string };
    const digest = asked.action_digest ?? "";
    const buttons = [true, false].map((approved) => ({
      title: approved ? "Approve" : "Deny",
      fields: [
        ["approved", String(approved)],
        ["digest", digest],
      ],
    }));
    await push(told(asked.id, person, buttons));
    await expect.poll(() => shown(worker)).toMatchObject([
      { title: "backend needs approval", tag: asked.id, actions: ["Approve", "Deny"] },
    ]);
    await press(worker, asked.id, action);
    await expect.poll(async () => (await server.poll(asked.id)).outcome).toBe(outcome);
    await expect.poll(async () => (await shown(worker)).map(({ title }) => title)).toEqual([
      action === "0" ? "Sent: Approve" : "Sent: Deny",
    ]);
    // Answered elsewhere: what is still there about it goes.
    await push({ handraise: { is: "closed", message: "c", interaction: asked.id } });
    await expect.poll(() => shown(worker)).toEqual([]);
    // Apple's push service wants something to be shown: it comes with the message.
    const notification = { title: "No longer needed", body: "It does not wait for an answer any more.", tag: asked.id };
    await push({ notification, handraise: { is: "closed", message: "d", interaction: asked.id } });
    await expect.poll(() => shown(worker)).toMatchObject([{ title: "No longer needed", tag: asked.id }]);
    await push({ handraise: { is: "closed", message: "e", interaction: asked.id } });
    await expect.poll(() => shown(worker)).toEqual([]);
  }
});

test("a button that comes too late, or in another's name, decides nothing and says so", notifications, async ({ server, signIn }) => {
  const page = await signIn("Ana");
  const { worker, push } = await workerOf(page, server);
  const person = await personOf(page);
  const late = await server.ask({ kind: "choice", prompt: "Which?", options: ["a", "b"] });
  await server.answer(late.id, { selected: ["b"] });
  const fields = [
    ["chosen", ""],
    ["selected[0]", "a"],
  ];
  await push(told(late.id, person, [{ title: "a", fields }]));
  await expect.poll(async () => (await shown(worker)).length).toBe(1);
  await press(worker, late.id, "0");
  await expect.poll(async () => (await shown(worker))[0]?.title).toBe("Too late");
  expect((await server.poll(late.id)).answer?.selected).toEqual(["b"]);

  const other = await server.ask({ kind: "choice", prompt: "Which?", options: ["a", "b"] });
  await push(told(other.id, "01890000-0000-7000-8000-000000000000", [{ title: "a", fields }]));
  await expect.poll(async () => (await shown(worker)).some(({ tag }) => tag === other.id)).toBe(true);
  await press(worker, other.id, "0");
  await expect
    .poll(async () => (await shown(worker)).find(({ tag }) => tag === other.id)?.title)
    .toMatch(/^Not sent/);
  expect((await server.poll(other.id)).state).toBe("pending");
});

test("nothing is shown of a question that has the focus", notifications, async ({ server, signIn }) => {
  const page = await signIn("Ana");
  const { worker, push } = await workerOf(page, server);
  const person = await personOf(page);
  const asked = await server.ask();
  await page.goto(`${server.url}/blockers/${asked.id}`);
  await page.bringToFront();
  await page.evaluate(() => window.focus());
  const other = await server.ask({ prompt: "And which host?" });
  await push(told(asked.id, person));
  await push(told(other.id, person));
  await expect.poll(async () => (await shown(worker)).map(({ tag }) => tag)).toEqual([other.id]);
});

test("the page says why nothing can be added, and is legible", notifications, async ({ server, signIn }) => {
  for (const [colorScheme, width] of looks) {
    const page = await signIn(`Ana ${colorScheme} ${width}`, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    // A push service that never answers, as Chromium's without a network.
    await page.addInitScript(() => {
      PushManager.prototype.subscribe = () => new Promise(() => {});
      Notification.requestPermission = () => Promise.resolve("granted");
      const after = window.setTimeout;
      window.setTimeout = ((call: () => void, time?: number) => after(call, time === 20_000 ? 50 : time)) as typeof setTimeout;
    });
    await page.goto(`${server.url}/settings/reach`);
    await expect(page.getByText("You have no way to be reached yet")).toBeVisible();
    await page.getByRole("button", { name: "Notify me in this browser" }).click();
    await expect(page.getByRole("alert")).toContainText("did not answer in time");
    await expectLegible(page);
  }
});
