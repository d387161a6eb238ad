// Webhooks are made, fail, are looked at and tried again.
import type { Page } from "@playwright/test";
import { Webhook } from "standardwebhooks";

import { expect, expectLegible, live, looks, test as base } from "./handraise.ts";
import { Receiver } from "./receiver.ts";

const test = base.extend<{ receiver: Receiver; admin: Page }>({
  receiver: async ({}, use) => {
    const receiver = await Receiver.start();
    await use(receiver);
    await receiver.stop();
  },

  admin: async ({ signIn }, use) => {
    await use(await signIn("Ana", { role: "admin" }));
  },
});

/** Makes a webhook through the page and returns its secret. */
async function make(admin: Page, name: string, address: string, without: string[] = []): Promise<string> {
  await admin.goto(new URL("/settings/webhooks", admin.url()).href);
  await live(admin);
  await admin.getByLabel("Address").fill(address);
  await admin.getByLabel("Name").fill(name);
  for (const topic of without) await admin.getByRole("checkbox", { name: new RegExp(`^${topic}`) }).uncheck();
  await admin.getByRole("button", { name: "Make webhook" }).click();
  await expect(admin.getByText("The webhook is made.")).toBeVisible();
  return admin.locator(".once .command").innerText();
}

async function openSettings(admin: Page, name: string): Promise<void> {
  await admin.locator(".webhook-line").filter({ hasText: name }).click();
  await expect(admin.getByRole("heading", { name, level: 2 })).toBeVisible();
}

test("a webhook is made, tested, fails, and is tried again", async ({ admin, receiver, server }) => {
  test.slow();
  const secret = await make(admin, "Zap", receiver.url("/a/secret/path"));
  expect(secret).toMatch(/^whsec_/);
  await expect(admin.getByLabel("Address")).toHaveValue("");
  await admin.reload();
  await live(admin);
  const line = admin.locator(".webhook-line");
  await expect(line).toHaveText(/Zap\s*Enabled.*127\.0\.0\.1:\d+ · everything · standard format\s*Nothing delivered yet/);
  expect(await admin.content()).not.toContain(secret);
  expect(await admin.content()).not.toContain("secret/path");

  // The post of a test is signed with that secret, and its delivery is shown at once.
  await openSettings(admin, "Zap");
  await admin.getByRole("button", { name: "Send test" }).click();
  await expect(admin).toHaveURL(/\/deliveries\/[0-9a-f-]{36}$/);
  await expect(admin.locator(".delivery-marks")).toContainText("Delivered");
  await expect(admin.locator(".try-line")).toHaveText(/Try 1\s*Answered 200.*ok/);
  expect(receiver.got).toHaveLength(1);
  const [{ body, headers }] = receiver.got;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "endpoint.tested" });
  expect(admin.url()).toContain(headers["webhook-id"]);

  // A receiver fails, twice, and what it wrote is text.
  receiver.status = 500;
  receiver.answer = "<script>alert(1)</script> out of disk\u202e";
  await admin.getByRole("link", { name: "All deliveries" }).click();
  const asked = await server.ask({ prompt: "Which port?" });
  const first = admin.locator(".delivery-line").first();
  await expect(first).toContainText("interaction.requested");
  await expect(first).toContainText(/Failed, due again.*answered 500/);
  // The second try is no event: the page looks by itself.
  await expect(first).toContainText("2 tries · ", { timeout: 20_000 });
  await expect(first).toContainText("again in ");
  await first.getByRole("link", { name: "interaction.requested" }).click();
  await expect(admin.locator(".try-line")).toHaveCount(2);
  await expect(admin.locator(".try-line").first()).toContainText("Answered 500");
  await expect(admin.locator(".try-answer").first()).toHaveText("<script>alert(1)</script> out of disk⟨U+202E⟩");
  receiver.status = 200;
  receiver.answer = "";
  await admin.getByRole("button", { name: "Try again" }).click();
  await expect(admin.locator(".delivery-marks")).toContainText("Delivered");
  await expect(admin.getByRole("button", { name: "Try again" })).toHaveCount(0);
  await expect(admin.locator(".try-line").first()).toContainText("The answer was empty.");
  const ids = new Set(receiver.got.slice(1).map((got) => got.headers["webhook-id"]));
  expect(ids.size).toBe(1);
  expect(JSON.parse(receiver.got[3].body).data.id).toBe(asked.id);
  await admin.getByRole("link", { name: "The interaction and its timeline" }).click();
  await expect(admin).toHaveURL(`${server.url}/interactions/${asked.id}`);
});

test("a receiver that is gone is noticed until it is enabled", async ({ admin, receiver, server }) => {
  await make(admin, "Zap", receiver.url());
  await admin.goto(server.url);
  await live(admin);
  const notice = admin.locator(".notice");
  await expect(notice).toHaveCount(0);
  receiver.status = 410;
  await server.ask();
  await expect(notice).toContainText("The webhook Zap was disabled");
  await expect(notice).toContainText("it answered that it is gone (410)");
  await admin.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Deliveries" }).click();
  await expect(notice).toContainText("Zap");
  await expect(admin.locator(".delivery-line")).toContainText("Given up");
  await notice.getByRole("link", { name: "See to it" }).click();
  await expect(admin.locator("main")).toContainText("It answered 410");
  await admin.getByRole("button", { name: "Enable" }).click();
  await expect(admin.locator(".said")).toContainText("Enabled");

  // Deliveries that were given up are tried again, all of them.
  receiver.status = 200;
  await admin.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Deliveries" }).click();
  await expect(notice).toHaveCount(0);
  await admin.getByText("Try again what was given up…").click();
  await admin.getByRole("combobox", { name: "From" }).selectOption("the last 24 h");
  await admin.getByRole("combobox", { name: "To" }).selectOption("Zap");
  await admin.getByRole("button", { name: "Try again" }).click();
  await expect(admin.locator(".said")).toContainText("What was given up in the last 24 h is due again");
  await expect(admin.locator(".delivery-line")).toContainText("Delivered");
  expect(receiver.got).toHaveLength(2);
});

test("secrets are replaced, and a webhook is switched off and deleted", async ({ admin, receiver, server }) => {
  const old = await make(admin, "Zap", receiver.url(), ["Answers", "Notifications"]);
  await openSettings(admin, "Zap");
  await expect(admin.locator("main")).toContainText("Questions, passed deadlines, questions taken back, failed tasks");
  await admin.getByRole("button", { name: "Make a new secret" }).click();
  const secret = await admin.locator(".once .command").innerText();
  expect(secret).not.toBe(old);
  await expect(admin.locator("main")).toContainText("an old one still signs, for 23 h");
  await server.ask();
  await expect.poll(() => receiver.got.length).toBe(1);
  for (const one of [old, secret]) {
    expect(new Webhook(one).verify(receiver.got[0].body, receiver.got[0].headers)).toBeTruthy();
  }

  await admin.getByText("Disable…").click();
  await admin.getByRole("button", { name: "Disable" }).click();
  await expect(admin.locator(".said")).toHaveText("Disabled: nothing more is sent.");
  await expect(admin.getByRole("button", { name: "Send test" })).toHaveCount(0);
  await admin.getByRole("button", { name: "Enable" }).click();
  await expect(admin.getByRole("button", { name: "Send test" })).toBeVisible();
  await admin.getByText("Delete…").click();
  await admin.getByRole("button", { name: "Delete for good" }).click();
  await expect(admin).toHaveURL(`${server.url}/settings/webhooks`);
  await expect(admin.locator("main")).toContainText("There is none yet");
});

test("deliveries are narrowed by their address, and older pages follow", async ({ admin, receiver, server }) => {
  await make(admin, "Zap", receiver.url());
  await make(admin, "Pager", receiver.url("/pager"), ["Notifications"]);
  for (let n = 0; n < 51; n += 1) await server.ask({ kind: "notification", prompt: `number ${n}` });
  await server.ask();
  await expect.poll(() => receiver.got.length).toBe(53);
  await admin.goto(`${server.url}/deliveries`);
  await live(admin);
  const lines = admin.locator(".delivery-line");
  await expect(lines).toHaveCount(50);
  await admin.getByRole("link", { name: "Older" }).click();
  await expect(lines).toHaveCount(3);
  await admin.getByRole("link", { name: "Newest" }).click();
  await expect(lines).toHaveCount(50);
  await admin.getByRole("link", { name: "Pager", exact: true }).click();
  await expect(admin).toHaveURL(/\?destination=/);
  await expect(lines).toHaveText([/Pager\s*interaction\.requested/]);
  await admin.getByRole("link", { name: "Given up" }).click();
  await expect(admin).toHaveURL(/\?state=dead&destination=/);
  await expect(admin.locator("main")).toContainText("Nothing matches.");
  await admin.getByRole("link", { name: "Clear the filters" }).click();
  await expect(lines).toHaveCount(50);
});

test("viewers and responders see none of it", async ({ admin, signIn, receiver, server, watch }) => {
  watch.allow(/status of 403/);
  await make(admin, "Zap", receiver.url());
  receiver.status = 410;
  await server.ask();
  await admin.goto(server.url);
  await expect(admin.locator(".notice")).toBeVisible();
  const delivery = new URL(
    (await (await admin.goto(`${server.url}/deliveries`))!.text()).match(/\/deliveries\/[0-9a-f-]{36}/)![0],
    server.url,
  ).href;
  for (const role of ["viewer", "responder"]) {
    const page = await signIn(role, { role });
    await live(page);
    await expect(page.locator(".waiting-now").filter({ visible: true }).last()).toBeVisible();
    await expect(page.locator(".notice")).toHaveCount(0);
    const pages = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    await expect(pages).toHaveText(["Overview", "History", "Tasks", "Agents", "Settings"]);
    for (const where of [`${server.url}/deliveries`, delivery, `${server.url}/settings/webhooks`]) {
      const response = await page.goto(where);
      expect(response?.status()).toBe(403);
      await live(page);
      await expect(page.locator("main")).toContainText("Only admins can do this.");
      await expect(page.locator("main")).not.toContainText("Zap");
      await expect(page.locator("main form")).toHaveCount(0);
    }
  }
});

test("a delivery is tried again without scripts", async ({ signIn, admin, receiver, server }) => {
  await make(admin, "Zap", receiver.url());
  receiver.status = 410;
  await server.ask();
  await admin.goto(server.url);
  await expect(admin.locator(".notice")).toBeVisible();
  receiver.status = 200;
  const ben = await signIn("Ben", { role: "admin", javaScriptEnabled: false });
  await ben.getByRole("link", { name: "See to it" }).click();
  await ben.getByRole("button", { name: "Enable" }).click();
  await ben.getByRole("link", { name: "Its deliveries" }).click();
  await ben.getByRole("link", { name: "interaction.requested" }).click();
  await ben.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => receiver.got.length).toBe(2);
  // Chromium refuses to read a page again while another is still on its way to it.
  await expect(async () => {
    await ben.reload();
    expect(await ben.locator(".delivery-marks").innerText()).toContain("Delivered");
  }).toPass();
  await ben.goto(`${server.url}/settings/webhooks`);
  await expect(ben.getByRole("button", { name: "Make webhook" })).toBeDisabled();
});

for (const [theme, width] of looks) {
  test(`what goes out is legible, ${theme} at ${width} px`, async ({ signIn, receiver, server }) => {
    test.slow();
    const admin = await signIn("Ana", { role: "admin", viewport: { width, height: 844 }, colorScheme: theme });
    const long = "n".repeat(300);
    await admin.goto(`${server.url}/deliveries`);
    await expect(admin.locator("main")).toContainText("Nothing has gone out yet");
    await expectLegible(admin);
    await make(admin, long, receiver.url());
    await expectLegible(admin);
    await make(admin, "Zap", receiver.url("/zap"));
    receiver.status = 500;
    receiver.answer = `${"x".repeat(1_000)}\n`.repeat(2);
    await server.ask();
    await admin.goto(`${server.url}/deliveries`);
    await live(admin);
    await expect(admin.locator(".delivery-line")).toHaveCount(2);
    await expect(admin.locator(".delivery-line").first()).toContainText("Failed, due again");
    receiver.status = 410;
    await server.ask({ prompt: "And which host?" });
    await expect(admin.locator(".notice")).toHaveCount(2);
    await admin.getByText("Try again what was given up…").click();
    await expectLegible(admin);
    await admin.getByRole("link", { name: `interaction.requested` }).last().click();
    await expect(admin.locator(".try-line").last()).toContainText("xxx");
    await expectLegible(admin);
    await admin.goto(`${server.url}/settings/webhooks`);
    await live(admin);
    await expectLegible(admin);
    await openSettings(admin, "Zap");
    await admin.getByText("Delete…").click();
    await expectLegible(admin);
    await admin.getByRole("button", { name: "Enable" }).click();
    await expect(admin.getByText("Disable…")).toBeVisible();
    await admin.getByRole("button", { name: "Make a new secret" }).click();
    await expect(admin.locator(".once")).toBeVisible();
    await expectLegible(admin);
  });
}
