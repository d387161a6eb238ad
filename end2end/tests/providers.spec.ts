// Signing in by a provider of its own kind.
import { comesBy, signInThere, test } from "./company.ts";
import { acceptLink, expect, expectLegible, live, looks, row } from "./handraise.ts";

test("from the button to the desk, and out again on both sides", async ({ server, company, openBrowser }) => {
  company.groups.Ana = ["staff", "everybody"];
  const pages = server.printedUrl();
  const ana = await openBrowser();
  await ana.goto(`${pages}/history`);
  await ana.getByRole("link", { name: "Sign in with Company" }).click();
  await signInThere(ana, "Ana");
  await ana.waitForURL(`${pages}/history`);
  await live(ana);
  await ana.goto(`${pages}/settings`);
  await expect(ana.locator("main")).toContainText("Viewer");
  await expect(ana.locator("#providers")).toContainText("Connected since");
  await ana.getByRole("button", { name: "Sign out" }).first().click();
  await ana.getByRole("button", { name: "Yes, sign me out" }).click();
  await ana.waitForURL(`${pages}/sign-in`);
  // Who comes after her at this desk is asked who they are.
  await ana.getByRole("link", { name: "Sign in with Company" }).click();
  await expect(ana.locator("input[name=login]")).toBeVisible();
});

test("an admin connects the account, and comes back by it as an admin", async ({ server, company, openBrowser }) => {
  company.groups.root = ["ops"];
  const pages = server.printedUrl();
  const admin = await openBrowser();
  await acceptLink(admin, pages + new URL(server.firstAdminLink()).pathname);
  await admin.goto(`${pages}/settings`);
  await admin.getByRole("link", { name: "Connect" }).click();
  await signInThere(admin, "root");
  await admin.waitForURL(`${pages}/settings`);
  await expect(admin.locator("#providers")).toContainText("Connected since");
  await expectLegible(admin);
  // Another browser, where only the provider knows who it is.
  const elsewhere = await openBrowser();
  await elsewhere.goto(`${pages}/sign-in`);
  await elsewhere.getByRole("link", { name: "Sign in with Company" }).click();
  await signInThere(elsewhere, "root");
  await elsewhere.waitForURL(`${pages}/`);
  await live(elsewhere);
  await elsewhere.goto(`${pages}/settings/people`);
  await expect(elsewhere.locator("main")).toContainText("Invite");
});

test("groups are teams, and who leaves a group is out of its team on every open page", async ({
  server,
  company,
  openBrowser,
}) => {
  for (const name of ["Payments", "Search"]) await server.cli("team", "create", "--name", name);
  await server.cli("team", "home", "--team", "Payments", "--agent", "backend");
  await server.cli("team", "open", "--team", "Search", "--agent", "backend");
  await server.ask({ prompt: "Refund order 7?" });
  await server.ask({ prompt: "Rebuild the index?", team: "Search" });
  company.groups.Ana = ["on-call", "pay-desk"];
  company.groups.Ben = ["on-call", "search-desk"];
  const pages = server.printedUrl();
  const ana = await openBrowser();
  await comesBy(ana, pages, "Ana");
  await ana.waitForURL(`${pages}/`);
  await live(ana);
  await expect(row(ana, "Refund order 7?")).toBeVisible();
  await expect(row(ana, "Rebuild the index?")).toHaveCount(0);
  const ben = await openBrowser();
  await comesBy(ben, pages, "Ben");
  await ben.waitForURL(`${pages}/`);
  await live(ben);
  await expect(row(ben, "Rebuild the index?")).toBeVisible();
  await expect(row(ben, "Refund order 7?")).toHaveCount(0);
  // She leaves the group, and comes in elsewhere while her page stands open.
  company.groups.Ana = ["on-call"];
  const elsewhere = await openBrowser();
  await comesBy(elsewhere, pages, "Ana");
  await elsewhere.waitForURL(`${pages}/`);
  await live(elsewhere);
  await expect(row(elsewhere, "Refund order 7?")).toHaveCount(0);
  await expect(row(ana, "Refund order 7?")).toHaveCount(0);
  // She leaves the company: the next time that she tries, she is out on both.
  company.groups.Ana = [];
  const last = await openBrowser();
  await comesBy(last, pages, "Ana");
  await last.waitForURL(/refused=provider/);
  await expect(last.getByRole("alert")).toContainText("“groups” gives you a role here");
  for (const page of [ana, elsewhere]) {
    await page.goto(`${pages}/history`);
    await page.waitForURL(/sign-in/);
  }
  await expect(row(ben, "Rebuild the index?")).toBeVisible();
});

test("who has no group with a role reads why, in every look", async ({ server, openBrowser }) => {
  const pages = server.printedUrl();
  for (const [colorScheme, width] of looks) {
    const page = await openBrowser({ colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${pages}/sign-in`);
    await expectLegible(page);
    await page.getByRole("link", { name: "Sign in with Company" }).click();
    await signInThere(page, `Nobody ${colorScheme} ${width}`);
    await page.waitForURL(/refused=provider/);
    await expect(page.getByRole("alert")).toContainText("“groups” gives you a role here");
    await expectLegible(page);
  }
});
