// A company's day: people come by the company's provider, its groups are teams, and each team has its own.
import { comesBy, signInThere, test as base } from "./company.ts";
import { acceptLink, expect, live, row, submitByKey, type Server } from "./handraise.ts";
import { Receiver } from "./receiver.ts";
import { Workspace } from "./workspace.ts";

const test = base.extend<{ slack: Workspace }>({
  slack: async ({}, use) => {
    const slack = await Workspace.start();
    await use(slack);
    await slack.stop();
  },
  settings: async ({ slack }, use) => use(slack.settings()),
});

const refund = "Refund order 7 of Grimaldi?";
const index = "Rebuild the index of Thessaly?";

/** A token, of an agent or of a script that answers for a team. */
async function token(server: Server, kind: string, name: string, ...more: string[]): Promise<string> {
  return (await server.cli("token", "create", "--kind", kind, "--name", name, ...more)).trim();
}

/** What one sees by the API with a token. */
class Caller {
  constructor(
    private readonly server: Server,
    private readonly secret: string,
  ) {}

  async call(method: string, where: string, body?: object, accept = "application/json"): Promise<Response> {
    return fetch(`${this.server.url}${where}`, {
      method,
      headers: { Authorization: `Bearer ${this.secret}`, "Content-Type": "application/json", Accept: accept },
      body: body && JSON.stringify(body),
    });
  }

  async json(method: string, where: string, body?: object) {
    const response = await this.call(method, where, body);
    expect(response.ok, `${where}: ${response.status}`).toBe(true);
    return response.json();
  }

  /** All that the stream of events says until one has these words. */
  async streamUntil(words: string): Promise<string> {
    const response = await this.call("GET", "/api/v1/events?after=0", undefined, "text/event-stream");
    const decoder = new TextDecoder();
    let said = "";
    for await (const chunk of response.body!) {
      said += decoder.decode(chunk, { stream: true });
      if (said.includes(words)) break;
    }
    return said;
  }

  /** A tool of the MCP server, for clients without a session. */
  async tool(name: string, given: object) {
    const response = await this.call(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
      "application/json, text/event-stream",
    );
    expect(response.ok, `${name}: ${response.status}`).toBe(true);
    const text = await response.text();
    return JSON.parse(text.startsWith("{") ? text : text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).result
      .structuredContent;
  }
}

test("a company's day", async ({ server, company, slack, openBrowser, watch }) => {
  test.slow();
  watch.allow(/status of (401|403|404)/);
  const pages = server.printedUrl();

  // An admin's account connects the provider, and makes two teams.
  company.groups.root = ["ops"];
  const admin = await openBrowser();
  await acceptLink(admin, pages + new URL(server.firstAdminLink()).pathname);
  await admin.goto(`${pages}/settings`);
  await admin.getByRole("link", { name: "Connect" }).click();
  await signInThere(admin, "root");
  await admin.waitForURL(`${pages}/settings`);
  for (const [team, channel] of [
    ["Payments", "C0PAYMENTS"],
    ["Search", "C0SEARCH"],
  ]) {
    await admin.goto(`${pages}/settings/teams`);
    await live(admin);
    await admin.getByLabel("Name").fill(team);
    await admin.getByRole("button", { name: "Make team" }).click();
    await expect(admin.getByRole("heading", { name: team, level: 2 })).toBeVisible();
    await admin.getByLabel("Slack channel ID").fill(channel);
    await admin.getByRole("button", { name: "Save" }).click();
    await expect(admin.getByText("Saved.")).toBeVisible();
  }
  const payer = new Caller(server, await token(server, "agent", "payer"));
  const finder = new Caller(server, await token(server, "agent", "finder"));
  await server.cli("team", "home", "--team", "Payments", "--agent", "payer");
  await server.cli("team", "home", "--team", "Search", "--agent", "finder");

  // People come by the provider, whose groups are the teams.
  company.groups.Ana = ["on-call", "pay-desk"];
  company.groups.Cem = ["on-call", "pay-desk"];
  company.groups.Ben = ["on-call", "search-desk"];
  const [ana, cem, ben] = await Promise.all(
    ["Ana", "Cem", "Ben"].map(async (name) => {
      const page = await openBrowser();
      await comesBy(page, pages, name);
      await page.waitForURL(`${pages}/`);
      await live(page);
      return page;
    }),
  );

  // Scripts and receivers of either team.
  const desks = {
    payments: new Caller(server, await token(server, "responder", "pay script", "--team", "Payments")),
    search: new Caller(server, await token(server, "responder", "find script", "--team", "Search")),
  };
  const hooks = { payments: await Receiver.start(), search: await Receiver.start() };
  await desks.payments.json("POST", "/api/v1/hooks", { target_url: hooks.payments.url(), teams: ["Payments"] });
  await desks.search.json("POST", "/api/v1/hooks", { target_url: hooks.search.url(), teams: ["Search"] });

  // An agent of each asks: one by the API, one by MCP. What is asked last is for everyone: whoever has it has all before.
  const asked = await payer.json("POST", "/api/v1/interactions", { kind: "question", prompt: refund });
  const found = await finder.tool("ask_human", { prompt: index });
  await new Caller(server, await token(server, "agent", "cook")).json("POST", "/api/v1/interactions", {
    kind: "question",
    prompt: "Lunch at Corinth?",
  });
  for (const [page, own, other] of [
    [ana, refund, index],
    [cem, refund, index],
    [ben, index, refund],
  ] as const) {
    await expect(row(page, "Corinth")).toBeVisible();
    await expect(row(page, own)).toBeVisible();
    await expect(row(page, other)).toHaveCount(0);
  }
  // An admin sees both.
  await admin.goto(`${pages}/`);
  await live(admin);
  for (const text of [refund, index]) await expect(row(admin, text)).toBeVisible();

  // Ben answers in the browser; then everything else is looked at, for both.
  await row(ben, index).locator("a").click();
  await ben.getByLabel("Your answer").fill("Yes, at night: Boeotia first.");
  await submitByKey(ben);
  const answered = await finder.tool("wait_for_answer", { id: found.id });
  expect(answered.answer.text).toBe("Yes, at night: Boeotia first.");
  await expect(row(ben, index)).toHaveCount(0);
  for (const [page, own, other, theirs] of [
    [ana, "Grimaldi", "Thessaly", found.id],
    [ben, "Thessaly", "Grimaldi", asked.id],
  ] as const) {
    // Their addresses, history and search on the page.
    await page.goto(`${pages}/interactions/${theirs}`);
    await expect(page.locator("main")).not.toContainText(other);
    await page.goto(`${pages}/history?q=${other}`);
    await live(page);
    await expect(page.locator("main")).not.toContainText(`${other}?`);
    await page.goto(`${pages}/history`);
    await live(page);
    await expect(page.locator("main")).not.toContainText(other);
  }
  for (const [desk, own, other, theirs] of [
    [desks.payments, "Grimaldi", "Thessaly", found.id],
    [desks.search, "Thessaly", "Grimaldi", asked.id],
  ] as const) {
    // Search, stream and the address itself by the API.
    expect((await desk.json("GET", `/api/v1/interactions?q=${own}`)).items).toHaveLength(1);
    expect((await desk.json("GET", `/api/v1/interactions?q=${other}`)).items).toHaveLength(0);
    expect((await desk.call("GET", `/api/v1/interactions/${theirs}`)).status).toBe(404);
    const stream = await desk.streamUntil("Corinth");
    expect(stream).toContain(own);
    expect(stream).not.toContain(other);
  }
  for (const [hook, own, other] of [
    [hooks.payments, "Grimaldi", "Thessaly"],
    [hooks.search, "Boeotia", "Grimaldi"],
  ] as const) {
    await expect.poll(() => hook.got.some(({ body }) => body.includes(own))).toBe(true);
    expect(hook.got.some(({ body }) => body.includes(other))).toBe(false);
  }
  const mine = JSON.stringify(await payer.tool("list_my_questions", {}));
  expect(mine).toContain("Grimaldi");
  expect(mine).not.toContain("Thessaly");

  // Slack: each channel has its team's cards alone, and only members press their buttons.
  for (const [channel, own, other] of [
    ["C0PAYMENTS", "Grimaldi", "Thessaly"],
    ["C0SEARCH", "Thessaly", "Grimaldi"],
  ]) {
    await expect.poll(() => slack.words(channel)).toContain(own);
    expect(slack.words(channel)).not.toContain(other);
  }
  await expect.poll(() => slack.words("C0EVERYONE")).toContain("Corinth");
  for (const team of ["Grimaldi", "Thessaly"]) expect(slack.words("C0EVERYONE")).not.toContain(team);
  for (const name of ["Ana", "Ben"]) await server.cli("user", "slack", "--name", name, "--id", `U0${name.toUpperCase()}`);
  const action = { tool: "refund", arguments: { order: 8 } };
  const approval = await payer.json("POST", "/api/v1/interactions", { kind: "approval", prompt: "Refund?", action });
  await expect.poll(() => slack.card("C0PAYMENTS", "Refund?")).toBeTruthy();
  const card = slack.card("C0PAYMENTS", "Refund?")!;
  await slack.press(server.url, "U0BEN", card, "approve");
  await expect.poll(() => slack.notes.filter(({ user }) => user === "U0BEN")).toHaveLength(1);
  expect(slack.notes[0].text).toContain("belongs to a team that you are not in");
  expect((await payer.json("GET", `/api/v1/interactions/${approval.id}`)).state).toBe("pending");
  await slack.press(server.url, "U0ANA", card, "approve");
  await expect
    .poll(async () => payer.json("GET", `/api/v1/interactions/${approval.id}`))
    .toMatchObject({ approved: true, closed_by: "Ana" });

  // Duty hands over.
  const people = ["--person", "Ana", "--person", "Cem"];
  const rota = ["--every", "day", "--at", "00:00", "--zone", "UTC"];
  await server.cli("team", "duty", "rota", "--team", "Payments", ...people, ...rota);
  const until = new Date(Date.now() + 20_000).toISOString();
  const from = new Date(Date.now() - 1_000).toISOString();
  await server.cli("team", "duty", "override", "--team", "Payments", "--person", "Cem", "--from", from, "--until", until);
  await ana.goto(`${pages}/`);
  await live(ana);
  const duty = ana.locator(".header .duty");
  await expect(duty).toContainText("On duty: Cem");
  await expect(duty).toContainText("You are on duty", { timeout: 50_000 });

  // Cem leaves the company, with his page open.
  await row(cem, refund).locator("a").click();
  await server.cli("user", "disable", "--name", "Cem");
  await expect(cem.locator("body")).not.toContainText("Grimaldi", { timeout: 20_000 });
  await cem.goto(`${pages}/history`);
  await cem.waitForURL(/sign-in/);

  // One question is erased, on the page.
  await admin.goto(`${pages}/interactions/${found.id}`);
  await live(admin);
  await admin.getByText("Erase what was written").click();
  // It was given lately.
  await expect(admin.getByLabel("Your password")).toBeHidden();
  await admin.getByRole("button", { name: "Erase it" }).click();
  await expect(admin.locator("main")).toContainText("erased all that was written here");
  await expect(admin.locator("main")).not.toContainText("Boeotia");
  const gone = await desks.search.json("GET", `/api/v1/interactions/${found.id}`);
  expect(gone.erased.by).toBeTruthy();
  expect(JSON.stringify(gone)).not.toContain("Thessaly");

  await expect.poll(() => slack.words("C0SEARCH")).not.toContain("Thessaly");

  // The journal verifies, and counts it.
  const verified = await server.cli("journal", "verify");
  expect(verified).toContain("interactions erased: 1");
  for (const hook of Object.values(hooks)) await hook.stop();
});
