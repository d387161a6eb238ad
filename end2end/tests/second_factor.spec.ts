// Passkeys with Chromium's own authenticator, and codes of an app without scripts.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { Page } from "@playwright/test";

import { acceptLink, expect, expectLegible, live, looks, password, test } from "./handraise.ts";

const run = promisify(execFile);

/** Of the page's own address: passkeys are for a name. */
const named = (server: { url: string; printedUrl(): string }, link: string) =>
  link.replace(server.url, server.printedUrl());

type Device = { unlocks: (does: boolean) => Promise<void> };

/** A device with a key inside, whose owner unlocks it at once. */
async function plugIn(page: Page): Promise<Device> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const unlocks = async (isUserVerified: boolean) => {
    await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  };
  return { unlocks };
}

async function enter(page: Page, name: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function leave(page: Page): Promise<void> {
  await page.goto(new URL("/settings", page.url()).href);
  await page.getByRole("main").getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL("**/sign-in");
}

test("a passkey is added, shown as second factor, is a way in by itself, and removed", async ({ server, openBrowser }) => {
  test.slow();
  const page = await openBrowser();
  const device = await plugIn(page);
  await acceptLink(page, named(server, await server.invite("Ana")));
  await live(page);
  await page.goto(`${server.printedUrl()}/settings`);
  await page.getByRole("link", { name: "Second factor and passkeys" }).click();
  await expect(page.getByText("You have none.")).toBeVisible();
  await page.getByRole("link", { name: "Passkey" }).click();
  await page.getByLabel("Name").fill("Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  // Recovery codes, this once.
  await expect(page.getByRole("heading", { name: "Keep your recovery codes" })).toBeVisible();
  const codes = (await page.locator("#codes").innerText()).split("\n");
  expect(codes).toHaveLength(10);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("handraise-recovery-codes.txt");
  await page.getByRole("link", { name: "I have kept them" }).click();
  await expect(page.locator(".factor-line")).toContainText("Laptop");
  await expectLegible(page);
  // A second one of the same device is refused by it.
  await page.getByRole("link", { name: "Passkey" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await expect(page.getByRole("alert")).toContainText("has a passkey here already");

  // As second factor: the password alone leads nowhere.
  await leave(page);
  await enter(page, "Ana");
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await page.goto(`${server.printedUrl()}/history`);
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto(`${server.printedUrl()}/sign-in/factor`);
  await page.getByRole("button", { name: "Use your passkey" }).click();
  await page.waitForURL(`${server.printedUrl()}/`);
  await live(page);

  // Without a password, to where one wanted to go.
  await leave(page);
  await page.goto(`${server.printedUrl()}/history`);
  await page.getByRole("button", { name: "Use a passkey instead" }).click();
  await page.waitForURL(`${server.printedUrl()}/history`);
  await live(page);

  // A device that is not unlocked says so; its owner tries again.
  await leave(page);
  await device.unlocks(false);
  await page.goto(`${server.printedUrl()}/sign-in/passkey`);
  await expect(page.getByRole("alert")).toContainText("Nothing was shown", { timeout: 30_000 });
  await expectLegible(page);
  await device.unlocks(true);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL(`${server.printedUrl()}/`);

  // Removed, it is nobody's, and the password is enough again.
  await page.goto(`${server.printedUrl()}/second-factor`);
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await expect(page.getByText("You have none.")).toBeVisible();
  await leave(page);
  await page.goto(`${server.printedUrl()}/sign-in/passkey`);
  await expect(page.getByRole("alert")).toContainText("was not taken");
  await page.getByRole("link", { name: "Sign in with your password" }).click();
  await enter(page, "Ana");
  await page.waitForURL(`${server.printedUrl()}/`);
});

test("an app is added and its code shown without scripts, in every look", async ({ server, openBrowser }) => {
  test.slow();
  const page = await openBrowser({ javaScriptEnabled: false });
  await acceptLink(page, await server.invite("Ben"));
  await page.goto(`${server.url}/second-factor`);
  await page.getByRole("button", { name: "Authenticator app" }).click();
  const secret = (await page.locator("#secret").innerText()).replaceAll(" ", "");
  // The one before this moment's, so that this moment's is still good.
  const code = async (seconds: number) => {
    const at = Math.floor(Date.now() / 1000) + seconds;
    const { stdout } = await run("oathtool", ["--totp", "--base32", "--now", `@${at}`, secret]);
    return stdout.trim();
  };
  await expect(page.getByRole("img", { name: "The secret, for a camera" })).toBeVisible();
  await page.getByLabel("Code that the app shows").fill(await code(-30));
  await page.getByRole("button", { name: "Add this app" }).click();
  const [recovery] = (await page.locator("#codes").innerText()).split("\n");
  await page.getByRole("link", { name: "I have kept them" }).click();
  await expect(page.locator(".factor-line")).toContainText("Authenticator app");
  await page.goto(`${server.url}/settings`);
  await page.getByRole("main").getByRole("button", { name: "Sign out", exact: true }).click();
  await enter(page, "Ben");
  await page.getByLabel("Code from your app").fill("12345");
  await page.getByRole("button", { name: "Sign in" }).first().click();
  await expect(page.getByRole("alert")).toContainText("This code is not good.");
  await page.getByLabel("Code from your app").fill(await code(0));
  await page.getByRole("button", { name: "Sign in" }).first().click();
  await page.waitForURL(`${server.url}/`);

  // Looked at where scripts run: axe is one.
  for (const [theme, width] of looks) {
    const other = await openBrowser({ colorScheme: theme, viewport: { width, height: 900 } });
    await other.goto(`${server.url}/sign-in`);
    await enter(other, "Ben");
    await expect(other.getByRole("heading", { name: "One more step" })).toBeVisible();
    await other.getByText("Use a recovery code").click();
    await expectLegible(other);
    if (width === 390 && theme === "dark") {
      await other.getByLabel("Recovery code").fill(recovery);
      await other.getByRole("button", { name: "Sign in" }).last().click();
      await other.waitForURL(`${server.url}/`);
      await other.goto(`${server.url}/second-factor`);
      await expect(other.getByText("9 of 10 left")).toBeVisible();
      await expectLegible(other);
      await other.getByRole("button", { name: "Authenticator app", exact: true }).click();
      await expectLegible(other);
      await other.goto(`${server.url}/second-factor`);
      await other.getByRole("button", { name: "Make new ones" }).click();
      await expectLegible(other);
    }
  }
});
