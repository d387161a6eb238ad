// Who gets in: the first admin, invitations, roles, passwords, sessions, tokens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import type { Page } from "@playwright/test";

import { acceptLink, expect, expectLegible, live, looks, password, row, submitByKey, test, unreachable } from "./handraise.ts";

// Chromium's own message when a call is refused.
const refused = (status: number) => new RegExp(`status of ${status}`);

async function enter(page: Page, name: string, word: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(word);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Invites somebody through the page and returns their link. */
async function invite(admin: Page, name: string, role: string): Promise<string> {
  await admin.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "People" }).click();
  await admin.getByLabel("Name").fill(name);
  await admin.getByRole("radio", { name: role }).check();
  await admin.getByRole("button", { name: "Invite" }).click();
  await expect(admin.locator(".said")).toHaveText(`${name} is invited.`);
  const link = await admin.locator(".once .command").innerText();
  // The address that the test's pages are at.
  return link.replace("//handraise.localhost:", "//127.0.0.1:");
}

test("the first question, from the token to the answer that was picked up", async ({ server, openBrowser }) => {
  const admin = await openBrowser();
  await admin.goto(server.firstAdminLink());
  await admin.getByLabel("Your name").fill("Ana");
  await admin.getByLabel("Choose a password", { exact: true }).fill(password);
  await admin.getByRole("button", { name: "Set password" }).click();
  await admin.waitForURL(`${server.url}/`);
  await live(admin);
  const steps = admin.locator(".first-step");
  const atHand = admin.locator(".first-step[aria-current=step]");
  await expect(atHand).toContainText("Paste this into a shell.");
  const tokenless = await steps.first().locator(".command").innerText();
  await steps.getByRole("button", { name: "Make a token" }).click();
  await expect(steps.first()).toContainText("The token stands in what follows.");
  const command = await steps.first().locator(".command").innerText();
  // Before it has a token it says what is wrong.
  const refused = spawn("sh", ["-c", tokenless], { stdio: ["ignore", "pipe", "inherit"] });
  const [problem] = await Promise.all([text(refused.stdout), once(refused, "exit")]);
  expect(JSON.parse(problem).code).toBe("bad_token");
  const shell = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  shell.stdout.on("data", (text) => (printed += text));
  const ended = new Promise((done) => shell.once("exit", done));
  await expect(atHand).toContainText("Open it, and answer.");
  await expectLegible(admin);
  await row(admin, "What latency target").locator("a").click();
  await admin.getByLabel("Your answer").fill("200 ms");
  await submitByKey(admin);
  await ended;
  expect(printed).toBe('"text":"200 ms"\n');
  await admin.keyboard.press("Escape");
  await expect(admin.locator(".first-done")).toContainText("Picked up.");
  await expectLegible(admin);
  // A page that comes later needs no guide.
  await admin.reload();
  await live(admin);
  await expect(admin.locator(".first-question")).toBeHidden();
});

test("first start, an admin, a responder who answers, a viewer who cannot", async ({ server, openBrowser, watch }) => {
  test.slow();
  watch.allow(refused(401));
  const admin = await openBrowser();
  // Who comes without the link reads where it is.
  await admin.goto(`${server.url}/sign-in`);
  await expect(admin.getByRole("note")).toContainText("This server has no admin yet.");
  await admin.goto(server.firstAdminLink());
  await admin.getByLabel("Your name").fill("Ana");
  await admin.getByLabel("Choose a password", { exact: true }).fill("password1234");
  await admin.getByRole("button", { name: "Set password" }).click();
  await expect(admin.getByRole("alert")).toContainText("easy to guess");
  await admin.getByLabel("Your name").fill("Ana");
  await admin.getByLabel("Choose a password", { exact: true }).fill(password);
  await admin.getByRole("button", { name: "Set password" }).click();
  await admin.waitForURL(`${server.url}/`);
  await live(admin);
  await expect(admin.getByRole("heading", { name: "Ask the first question" })).toBeVisible();

  // The server has its admin now, and prints no link any more.
  await admin.getByRole("link", { name: "Ana" }).click();
  await expect(admin).toHaveURL(`${server.url}/settings`);
  const benLink = await invite(admin, "Ben", "Responder");
  const veraLink = await invite(admin, "Vera", "Viewer");
  const people = admin.locator(".person-line");
  await expect(people).toHaveText([/^Ana \(you\)\s*Admin\s*Active/, /^Ben\s*Responder\s*Invited/, /^Vera\s*Viewer\s*Invited/]);

  const asked = await server.ask({ kind: "choice", prompt: "Which **cache**?", options: ["TTL", "LRU"] });
  const vera = await openBrowser();
  await acceptLink(vera, veraLink);
  await vera.goto(`${server.url}/blockers/${asked.id}`);
  await live(vera);
  const dialog = vera.getByRole("dialog");
  await expect(dialog).toContainText("Which **cache**?");
  await expect(dialog).toContainText("LRU");
  await expect(dialog).toContainText("Your role is viewer: you can read, but not answer.");
  // Snoozing is for a reader too.
  const controls = dialog.locator("form, input, textarea, button[type=submit]");
  await expect(controls.and(dialog.locator(":not(.snooze-form *)"))).toHaveCount(0);
  const sneaky = await vera.request.post(`${server.url}/ui/answer-blocker`, {
    form: { id: asked.id, "selected[]": "LRU" },
    headers: { Origin: server.url, Accept: "application/json" },
  });
  expect(sneaky.status()).toBe(403);
  expect((await server.poll(asked.id)).state).toBe("pending");

  const ben = await openBrowser();
  await acceptLink(ben, benLink);
  await live(ben);
  await row(ben, "Which cache?").click();
  await ben.getByRole("radio", { name: "LRU" }).check();
  await ben.getByRole("button", { name: "Send answer" }).click();
  await expect(ben.getByRole("dialog")).toContainText("You answered");
  expect((await server.poll(asked.id)).answer).toMatchObject({ selected: ["LRU"], responder: { name: "Ben" } });
  await expect(dialog).toContainText(/Ben answered/);
  await expect(dialog.getByText("Say more")).toHaveCount(0);

  // A disabled person is out at once, wherever they are.
  await people.filter({ hasText: "Vera" }).click();
  await admin.getByText("Disable…").click();
  await expect(admin.locator(".confirm")).toContainText("signed out everywhere, at once");
  await admin.getByRole("button", { name: "Disable" }).click();
  await expect(admin.locator(".said")).toHaveText("Disabled, and signed out everywhere.");
  await expect(vera).toHaveURL(/\/sign-in\?next=%2Fblockers%2F/);
  await enter(vera, "Vera", password);
  await expect(vera.getByRole("alert")).toContainText("Nobody can sign in");
  await admin.getByRole("button", { name: "Enable" }).click();
  await expect(admin.locator(".said")).toHaveText("Enabled: they can come in again.");
  await enter(vera, "Vera", password);
  await expect(vera).toHaveURL(`${server.url}/blockers/${asked.id}`);

  // The requests of the open pages meanwhile.
  watch.allow(unreachable);
  await server.stop("SIGTERM");
  await server.restart();
  expect(server.firstAdminLink()).toBe("");
  expect(server.hello).toContain(`Sign in: ${server.printedUrl()}`);
});

test("name and password sign in again, and a wrong one does not", async ({ signIn, server, watch }) => {
  // A request that the page has made just before may be answered after the session has ended.
  watch.allow(refused(401));
  const ana = await signIn("Ana", { role: "admin" });
  await ana.getByRole("button", { name: "Sign out" }).click();
  await expect(ana).toHaveURL(`${server.url}/sign-in`);
  await ana.goto(`${server.url}/settings/tokens`);
  await enter(ana, "Ana", "tin drum walks south");
  await expect(ana.getByRole("alert")).toContainText("Nobody can sign in with this name and password.");
  await expect(ana.getByLabel("Name")).toHaveValue("Ana");
  await ana.getByRole("button", { name: "Show" }).click();
  await expect(ana.getByLabel("Password", { exact: true })).toHaveAttribute("type", "text");
  // Capitals and spaces around a name are no mistake.
  await enter(ana, " ana ", password);
  await expect(ana).toHaveURL(`${server.url}/settings/tokens`);
});

test("another password signs the other browsers out", async ({ signIn, openBrowser, server, watch }) => {
  watch.allow(refused(401));
  watch.allow(refused(422));
  const here = await signIn("Ana");
  const there = await openBrowser();
  await there.goto(`${server.url}/sign-in?next=/history`);
  await enter(there, "Ana", password);
  await live(there);

  await here.goto(`${server.url}/settings`);
  await live(here);
  await expect(here.locator(".session-line")).toHaveCount(2);
  const change = async (current: string, next: string) => {
    await here.getByLabel("Current password", { exact: true }).fill(current);
    await here.getByLabel("New password", { exact: true }).fill(next);
    await here.getByRole("button", { name: "Change password" }).click();
  };
  await change("tin drum walks south", "seven calm otters sing");
  await expect(here.getByRole("alert").filter({ hasText: "The current password is wrong." })).toBeVisible();
  await change(password, "password1234");
  await expect(here.getByRole("alert").filter({ hasText: "easy to guess" })).toBeVisible();
  await change(password, "seven calm otters sing");
  await expect(here.getByText("Changed. Your other browsers are signed out.")).toBeVisible();
  await expect(here.getByLabel("New password", { exact: true })).toHaveValue("");
  await expect(here.locator(".session-line")).toHaveCount(1);
  await expect(here.locator(".session-line")).toContainText("this browser");

  await expect(there).toHaveURL(`${server.url}/sign-in?next=%2Fhistory`);
  await enter(there, "Ana", password);
  await expect(there.getByRole("alert")).toContainText("Nobody can sign in");
  await enter(there, "Ana", "seven calm otters sing");
  await expect(there).toHaveURL(`${server.url}/history`);
  await live(there);

  // One browser signs the other out.
  await here.reload();
  await live(here);
  const other = here.locator(".session-line").filter({ hasNotText: "this browser" });
  await other.getByRole("button", { name: "Sign out" }).click();
  await expect(here.locator(".said")).toContainText("is signed out.");
  await expect(other).toHaveCount(0);
  await expect(there).toHaveURL(/\/sign-in/);
  await here.locator(".session-line").getByRole("button", { name: "Sign out" }).click();
  await expect(here).toHaveURL(`${server.url}/sign-in`);
});

test("a token works until it is revoked", async ({ signIn, server }) => {
  const ana = await signIn("Ana", { role: "admin" });
  await ana.goto(`${server.url}/settings/tokens`);
  await live(ana);
  await ana.getByLabel("Name").fill("deploy");
  await ana.getByRole("button", { name: "Make token" }).click();
  const shown = ana.locator(".once .command");
  await expect(shown).toHaveCount(2);
  const [token, line] = await shown.allInnerTexts();
  expect(line).toBe(`export HANDRAISE_TOKEN=${token}`);
  const ask = () =>
    fetch(`${server.url}/api/v1/interactions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ kind: "question", prompt: "Deploy now?" }),
    });
  expect((await ask()).status).toBe(201);
  await expect(row(ana, "Deploy now?")).toHaveCount(1);

  const lines = ana.locator(".list:visible .token-line");
  await expect(lines).toHaveText([/backend/, /deploy/]);
  const deploy = lines.filter({ hasText: "deploy" });
  // Whoever makes it owns the agent, until somebody else does.
  await expect(deploy).toContainText("belongs to Ana");
  await signIn("Ben", { role: "viewer" });
  await ana.reload();
  await live(ana);
  await deploy.getByText("Owner…").click();
  await deploy.getByLabel("Owner").selectOption("Ben");
  await deploy.getByRole("button", { name: "Change owner" }).click();
  await expect(ana.locator(".said")).toHaveText("Changed: the owner of deploy.");
  await expect(deploy).toContainText("belongs to Ben");
  await deploy.getByText("Revoke…").click();
  await expect(deploy).toContainText("at once, and for good");
  // The doings of others move nothing away from under the pointer.
  await server.ask({ prompt: "Meanwhile" });
  await expect(row(ana, "Meanwhile")).toHaveCount(1);
  await deploy.getByRole("button", { name: "Revoke for good" }).click();
  await expect(ana.locator(".said")).toHaveText("Revoked: the token of deploy.");
  expect((await ask()).status).toBe(401);
  await expect(lines).toHaveText([/backend/]);
  await ana.getByText("1 token that no longer works").click();
  await expect(ana.locator(".revoked")).toContainText("deploy");
});

test("only admins see people and tokens", async ({ signIn, server, watch }) => {
  watch.allow(refused(403));
  const ben = await signIn("Ben");
  for (const where of ["people", "tokens"]) {
    const response = await ben.goto(`${server.url}/settings/${where}`);
    expect(response?.status()).toBe(403);
    await live(ben);
    await expect(ben.locator("main")).toContainText("Only admins can do this.");
    await expect(ben.locator("main form")).toHaveCount(0);
  }
  await ben.getByRole("link", { name: "Go to your account" }).click();
  await expect(ben.locator("main")).toContainText("Responder: answers, and takes questions back");
  await expect(ben.getByRole("navigation", { name: "Settings" })).toHaveCount(0);
});

test("admins keep their own role", async ({ signIn, server }) => {
  const ana = await signIn("Ana", { role: "admin" });
  await ana.goto(`${server.url}/settings/people`);
  await ana.getByRole("link", { name: "Ana (you)" }).click();
  const main = ana.locator("main");
  await expect(main).toContainText("You cannot change your own role");
  await live(ana);
  await expect(main).toContainText("You cannot disable yourself");
  await expect(main.getByRole("radio")).toHaveCount(0);
  await ana.getByRole("textbox", { name: "Name" }).fill("Ana B");
  const name = ana.getByRole("region", { name: "Name and role" });
  await name.getByRole("button", { name: "Save" }).click();
  await expect(ana.getByText("Saved.")).toBeVisible();
  await expect(ana.getByRole("heading", { name: "Ana B" })).toBeVisible();
  await ana.reload();
  await expect(ana.getByRole("link", { name: "Ana B" })).toBeVisible();
});

test.describe("without scripts", () => {
  test("people sign in, change their password, and a viewer has no control", async ({ server, signIn }) => {
    const asked = await server.ask();
    const vera = await signIn("Vera", { role: "viewer", javaScriptEnabled: false });
    await vera.goto(`${server.url}/blockers/${asked.id}`);
    const dialog = vera.getByRole("dialog");
    await expect(dialog).toContainText("you can read, but not answer");
    await expect(dialog.locator("form:not(.snooze-form *)")).toHaveCount(0);

    await vera.goto(`${server.url}/settings`);
    await vera.getByLabel("Current password", { exact: true }).fill("not it");
    await vera.getByLabel("New password", { exact: true }).fill("seven calm otters sing");
    await vera.getByRole("button", { name: "Change password" }).click();
    await expect(vera.getByText("The current password is wrong.")).toBeVisible();
    await vera.getByLabel("Current password", { exact: true }).fill(password);
    await vera.getByLabel("New password", { exact: true }).fill("seven calm otters sing");
    await vera.getByRole("button", { name: "Change password" }).click();
    await vera.locator("header").getByRole("button", { name: "Sign out" }).click();
    await enter(vera, "Vera", "seven calm otters sing");
    await expect(vera).toHaveURL(`${server.url}/`);
  });
});

for (const [theme, width] of looks) {
  const screen = { viewport: { width, height: 844 }, colorScheme: theme };
  const long = "n".repeat(300);

  test(`the way in is legible, ${theme} at ${width} px`, async ({ server, openBrowser }) => {
    const page = await openBrowser(screen);
    const link = new URL(server.firstAdminLink()).pathname;
    const invitation = new URL(await server.invite(long)).pathname;
    for (const [where, text] of [
      ["/sign-in", "Sign in"],
      [`/sign-in?refused=wrong&name=${long}`, "Nobody can sign in"],
      ["/sign-in?refused=wait-12", "Try again in 12 s."],
      ["/sign-in/used", "no longer works"],
      [invitation, long],
      [`${link}?refused=short`, "too short"],
    ]) {
      await page.goto(server.url + where);
      await expect(page.locator("main")).toContainText(text);
      await expectLegible(page);
    }
  });

  test(`the settings are legible, ${theme} at ${width} px`, async ({ server, signIn, watch }) => {
    test.slow();
    watch.allow(refused(422));
    const ana = await signIn("Ana", { role: "admin", ...screen });
    await ana.goto(`${server.url}/settings`);
    await live(ana);
    await expectLegible(ana);

    await ana.goto(`${server.url}/settings/people`);
    for (const name of ["x".repeat(300), long]) {
      await ana.getByLabel("Name").fill(name);
      await ana.getByRole("button", { name: "Invite" }).click();
      await expect(ana.locator(".said")).toContainText(name);
    }
    await ana.getByLabel("Name").fill(long);
    await ana.getByRole("button", { name: "Invite" }).click();
    await expect(ana.getByRole("alert")).toHaveText("Somebody else has this name.");
    await expectLegible(ana);
    await ana.getByRole("link", { name: "nnn" }).click();
    await ana.getByRole("button", { name: "Make a new link" }).click();
    await expect(ana.locator(".once")).toBeVisible();
    await ana.getByText("Disable…").click();
    await expectLegible(ana);
    await ana.getByRole("button", { name: "Disable" }).click();
    await expect(ana.getByRole("button", { name: "Enable" })).toBeVisible();
    await expectLegible(ana);

    await ana.goto(`${server.url}/settings/tokens`);
    await live(ana);
    await ana.getByText("Revoke…").click();
    await expectLegible(ana);
    await ana.getByRole("button", { name: "Revoke for good" }).click();
    await expect(ana.locator("main")).toContainText("No token works at the moment");
    await ana.getByText("1 token that no longer works").click();
    await ana.getByLabel("Name").fill(long);
    await ana.getByRole("button", { name: "Make token" }).click();
    await expect(ana.locator(".once")).toBeVisible();
    await expectLegible(ana);
  });
}
