// Teams: made on the page, and what is one team's is nobody else's.
import type { Page } from "@playwright/test";

import { expect, expectLegible, live, looks, password, row, submitByKey, test } from "./handraise.ts";

const refused = (status: number) => new RegExp(`status of ${status}`);

async function openTeams(admin: Page): Promise<void> {
  await admin.goto(new URL("/settings/teams", admin.url()).href);
  await live(admin);
}

async function openTeam(admin: Page, name: string): Promise<void> {
  await openTeams(admin);
  await admin.locator(".team-line").filter({ hasText: name }).click();
  await expect(admin.getByRole("heading", { name, level: 2 })).toBeVisible();
}

test("an admin makes two teams, one with the mouse and one with the keyboard", async ({ signIn, server, watch }) => {
  test.slow();
  watch.allow(refused(422));
  const admin = await signIn("Ana", { role: "admin" });
  const ben = await signIn("Ben");
  await signIn("Cem", { role: "viewer" });
  await openTeams(admin);
  const main = admin.locator("main");
  await expect(main).toContainText("There is none yet, so everybody sees and answers everything.");
  await expectLegible(admin);

  // With the mouse.
  await admin.getByLabel("Name").fill("Payments");
  await admin.getByRole("button", { name: "Make team" }).click();
  await expect(admin.getByRole("heading", { name: "Payments", level: 2 })).toBeVisible();
  const members = admin.getByRole("region", { name: "Members" });
  await expect(members).toContainText("Nobody is in it yet.");
  await members.getByText("Add a member…").click();
  await members.getByLabel("Person").selectOption("Ben (responder)");
  await members.getByRole("radio", { name: "Only reads" }).check();
  await members.getByRole("button", { name: "Add to the team" }).click();
  const lines = members.locator(".member-line");
  await expect(lines).toHaveText([/Ben.*Only reads/]);
  await lines.getByText("Change…").click();
  // Others change the team meanwhile: what is open stays open, and what is typed stays typed.
  const profile = admin.getByRole("region", { name: "Name, Slack and deadlines" });
  await profile.getByLabel("Slack channel ID").fill("general");
  await server.cli("team", "add", "--team", "Payments", "--person", "Cem");
  await expect(lines).toHaveText([/Ben.*Only reads/, /Cem/]);
  await expect(profile.getByLabel("Slack channel ID")).toHaveValue("general");
  await lines.first().getByRole("button", { name: "Let them answer" }).click();
  await expect(members.locator(".said")).toHaveText("Ben answers from now on.");
  await expect(lines).toHaveText([/Ben.*Answers/, /Cem/]);
  const agents = admin.getByRole("region", { name: "Agents" });
  await agents.getByText("Give an agent this home…").click();
  await agents.getByLabel("Agent").first().selectOption("backend");
  await agents.getByRole("button", { name: "Give it this home" }).click();
  await expect(agents.locator(".said")).toHaveText("backend is at home here.");
  await profile.getByLabel("Approval").selectOption("15 min");
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(profile.getByRole("alert")).toContainText("The Slack channel must be a channel's id");
  await profile.getByLabel("Slack channel ID").fill("C0123ABCD");
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(profile.getByText("Saved.")).toBeVisible();
  // What the agent asks now is theirs, and the page of the team says so by itself.
  await server.ask({ prompt: "Refund?" });
  await expect(admin.locator(".person-facts")).toContainText("1 question waits for it");
  await live(ben);
  await expect(row(ben, "Refund?").locator(".team")).toHaveText("Payments");

  // With the keyboard alone.
  await openTeams(admin);
  await admin.getByLabel("Name").focus();
  await admin.keyboard.type("Search");
  await admin.keyboard.press("Enter");
  await expect(admin.getByRole("heading", { name: "Search", level: 2 })).toBeVisible();
  await expect(members).toContainText("Nobody is in it yet.");
  await members.locator("summary", { hasText: "Add a member…" }).focus();
  await admin.keyboard.press("Enter");
  await admin.keyboard.press("Tab");
  await admin.keyboard.type("Cem");
  await expect(members.getByLabel("Person")).toHaveValue(/.{36}/);
  await admin.keyboard.press("Tab");
  await admin.keyboard.press("Tab");
  await expect(members.getByRole("button", { name: "Add to the team" })).toBeFocused();
  await admin.keyboard.press("Enter");
  await expect(lines).toHaveText([/Cem.*Only reads, as a viewer/]);

  await openTeams(admin);
  await expect(admin.locator(".team-line")).toHaveText([
    /Payments.*2 members.*Ben.*Cem.*Home of backend.*Slack C0123ABCD.*Deadlines of its own/,
    /Search.*1 member.*Cem.*No agent asks it/,
  ]);
  // Who is no admin reads who is in their team, and no more.
  await ben.goto(`${server.url}/settings`);
  await expect(ben.locator("main")).toContainText(/Your teams.*Payments.*You answer/s);
  await expect(ben.getByRole("navigation", { name: "Settings" })).toHaveCount(0);
});

test("two people side by side see each their own, and who is taken out loses it without a reload", async ({ signIn, server, watch }) => {
  test.slow();
  watch.allow(refused(404));
  const [admin, ben, cem] = [await signIn("Ana", { role: "admin" }), await signIn("Ben"), await signIn("Cem")];
  await server.team("Payments", "Ben");
  await server.team("Search", "Cem");
  for (const page of [admin, ben, cem]) {
    await page.reload();
    await live(page);
  }
  const refund = await server.ask({ prompt: "Refund?", team: "Payments" });
  await server.ask({ prompt: "Reindex?", team: "Search" });
  await server.ask({ prompt: "Lunch?" });
  for (const [page, theirs, others] of [[ben, "Refund?", "Reindex?"], [cem, "Reindex?", "Refund?"]] as const) {
    await expect(row(page, "Lunch?")).toHaveCount(1);
    await expect(row(page, theirs)).toHaveCount(1);
    await expect(row(page, others)).toHaveCount(0);
    // What belongs to everyone has no mark.
    await expect(page.locator(".row .team")).toHaveCount(1);
  }
  await expect(admin.locator(".row .team")).toHaveText(["Payments", "Search"]);
  expect((await cem.goto(`${server.url}/blockers/${refund.id}`))?.status()).toBe(404);
  await cem.goto(server.url);

  // Ben reads it while he is taken out.
  await openTeam(admin, "Payments");
  const line = admin.locator(".member-line").filter({ hasText: "Ben" });
  await line.getByText("Change…").click();
  await line.getByRole("button", { name: "Take out of the team" }).click();
  await expect(admin.locator(".said", { hasText: "Ben is in it no more." })).toBeVisible();
  await expect(row(ben, "Refund?")).toHaveCount(0, { timeout: 20_000 });
  await expect(row(ben, "Lunch?")).toHaveCount(1);

  // Back in it, it is his to answer.
  await admin.getByText("Add a member…").click();
  await admin.getByLabel("Person").selectOption("Ben (responder)");
  await admin.getByRole("button", { name: "Add to the team" }).click();
  await expect(row(ben, "Refund?")).toHaveCount(1, { timeout: 20_000 });
  await row(ben, "Refund?").locator("a").click();
  await ben.getByLabel("Your answer").fill("yes");
  await submitByKey(ben);
  await expect.poll(async () => (await server.poll(refund.id)).answer?.text).toBe("yes");
  await ben.goto(`${server.url}/history`);
  await expect(ben.locator(".history-line", { hasText: "Refund?" }).locator(".team")).toHaveText("Payments");
});

test("a team that is asked is deleted when another one takes its questions", async ({ signIn, server, watch }) => {
  watch.allow(refused(422));
  const [admin, cem] = [await signIn("Ana", { role: "admin" }), await signIn("Cem")];
  await server.team("Payments");
  await server.team("Search", "Cem");
  await cem.reload();
  await live(cem);
  const asked = await server.ask({ prompt: "Refund?", team: "Payments" });
  await openTeam(admin, "Payments");
  await admin.getByText("Delete…").click();
  const end = admin.getByRole("region", { name: "Delete" });
  await expect(end).toContainText("1 question waits for it.");
  await end.getByRole("button", { name: "Delete for good" }).click();
  await expect(end.getByRole("alert")).toContainText("Questions wait for this team (1)");
  await expect(row(cem, "Refund?")).toHaveCount(0);
  await end.getByLabel("They go to").selectOption("Search");
  await end.getByRole("button", { name: "Delete for good" }).click();
  await expect(admin).toHaveURL(`${server.url}/settings/teams`);
  await expect(admin.locator(".team-line")).toHaveText([/Search/]);
  await expect(row(cem, "Refund?").locator(".team")).toHaveText("Search", { timeout: 20_000 });
  expect((await server.poll(asked.id)).state).toBe("pending");
});

test("a password counts in all forms of the page once it was given, and not before", async ({ signIn, server }) => {
  const admin = await signIn("Ana", { role: "admin" });
  await server.team("Payments", "Ana");
  await admin.clock.install();
  await openTeam(admin, "Payments");
  // For the browser a quarter of an hour has gone by.
  await admin.clock.fastForward("16:00");
  const profile = admin.getByRole("region", { name: "Name, Slack and deadlines" });
  const members = admin.getByRole("region", { name: "Members" });
  await members.getByText("Add a member…").click();
  const [here, there] = [profile.getByLabel("Your password"), members.locator("#member-confirm")];
  await expect(here).toBeVisible();
  await expect(there).toBeVisible();
  // Another name needs none, so it proves nothing.
  await profile.getByLabel("Name").fill("Payments and refunds");
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(profile.getByText("Saved.")).toBeVisible();
  await expect(there).toBeVisible();
  await admin.reload();
  await live(admin);
  await admin.clock.fastForward("16:00");
  await members.getByText("Add a member…").click();
  await expect(there).toBeVisible();
  await here.fill(password);
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(profile.getByText("Saved.")).toBeVisible();
  await expect(there).toBeHidden();
});

test("tokens and webhooks are for teams", async ({ signIn, server }) => {
  const admin = await signIn("Ana", { role: "admin" });
  // Without teams nothing asks for one.
  for (const where of ["tokens", "webhooks"]) {
    await admin.goto(`${server.url}/settings/${where}`);
    await live(admin);
    await expect(admin.locator("main input[name='teams[]'], main select[name=home]")).toHaveCount(0);
  }
  await server.team("Payments");
  await admin.goto(`${server.url}/settings/tokens`);
  await live(admin);
  await expect(admin.getByLabel("Home")).toBeVisible();
  await expect(admin.getByRole("checkbox", { name: "Payments" })).toBeHidden();
  await admin.getByLabel("Name").fill("billing");
  await admin.getByLabel("Home").selectOption("Payments");
  await admin.getByRole("button", { name: "Make token" }).click();
  const lines = admin.locator(".list:visible .token-line");
  await expect(lines.filter({ hasText: "billing" })).toContainText("at home in Payments");
  await admin.getByRole("radio", { name: "Responder" }).check();
  await expect(admin.getByLabel("Home")).toBeHidden();
  await admin.getByRole("checkbox", { name: "Payments" }).check();
  await admin.getByLabel("Name").fill("night desk");
  await admin.getByRole("button", { name: "Make token" }).click();
  await expect(lines.filter({ hasText: "night desk" })).toContainText("answers for Payments");

  await admin.goto(`${server.url}/settings/webhooks`);
  await live(admin);
  await admin.getByLabel("Address").fill("http://127.0.0.1:9/");
  await admin.getByLabel("Name").fill("Zap");
  await admin.getByRole("checkbox", { name: "Payments" }).check();
  await admin.getByRole("button", { name: "Make webhook" }).click();
  const hook = admin.locator(".webhook-line");
  await expect(hook).toContainText("everything, also of Payments");
  await hook.click();
  const teams = admin.getByRole("region", { name: "Teams" });
  await expect(teams.getByRole("checkbox", { name: "Payments" })).toBeChecked();
  await teams.getByRole("checkbox", { name: "Payments" }).uncheck();
  await teams.getByRole("button", { name: "Save" }).click();
  await expect(teams.getByText("Saved.")).toBeVisible();
  await expect(admin.locator(".facts")).not.toContainText("Payments");
});

for (const [colorScheme, width] of looks) {
  test(`teams are legible, ${colorScheme} at ${width}`, async ({ signIn, server }) => {
    test.slow();
    const admin = await signIn("Ana", { role: "admin", colorScheme, viewport: { width, height: 900 } });
    const long = "n".repeat(300);
    await server.invite(long);
    await server.invite("Ben", "viewer");
    await server.team("Payments", "Ana", "Ben", long);
    await server.team(`Long ${long.slice(0, 290)}`, "Ana");
    await server.ask({ prompt: "Refund?", team: "Payments", task: { id: "T-1", title: "Refunds" } });
    await server.ask({ prompt: "Elsewhere?", team: `Long ${long.slice(0, 290)}` });
    await openTeams(admin);
    await expectLegible(admin);
    await openTeam(admin, "Payments");
    for (const part of ["Add a member…", "Give an agent this home…", "Delete…"]) await admin.getByText(part).click();
    await admin.locator(".member-line").first().getByText("Change…").click();
    await expectLegible(admin);
    for (const where of ["/", "/history", "/tasks", "/agents", "/settings", "/settings/tokens", "/settings/webhooks"]) {
      await admin.goto(`${server.url}${where}`);
      await live(admin);
      await expectLegible(admin);
    }
  });
}
