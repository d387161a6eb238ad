// /q/{id}: one question on a telephone. With scripts and without, on a slow network, with the thumb.
import type { CDPSession, Page } from "@playwright/test";

import { corpus } from "./corpus.ts";
import { expect, expectLegible, looks, password, test, type Server } from "./handraise.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const withoutScripts = { ...phone, javaScriptEnabled: false };

const quick = (server: Server, id: string, query = "") => `${server.url}/q/${id}${query}`;

/** One of each kind, as an agent asks it. */
const kinds: Record<string, object> = {
  question: { title: "Which port?", prompt: "`80` is taken by **nginx**. Which one do I listen on?", session_id: "p11",
    timeout_seconds: 1080, fallback: "8080", priority: "urgent" },
  choice: { kind: "choice", prompt: "Found 3 approaches. Which should I pursue?", mode: "async",
    options: ["Redis TTL", { value: "lru", label: "LRU in process", description: "no new service" }, "neither"] },
  several: { kind: "choice", prompt: "Which regions?", multiple: true, options: ["eu", "us", "ap"] },
  acknowledgement: { kind: "acknowledgement", prompt: "Backups have stopped since 03:00." },
  approval: { kind: "approval", prompt: "It is not used any more.", timeout_seconds: 300, task: { id: "T-4", title: "Tidy up" },
    action: { tool: "sql", arguments: { database: "prod", query: "DROP TABLE legacy_orders;\nVACUUM;" } } },
  edit: { kind: "approval", prompt: "A smaller pool.", action: { tool: "Edit", arguments: {
    file_path: "/srv/app/src/pool.rs", old_string: "let size = 64;\nopen(size)", new_string: "let size = 8;\nopen(size)" } } },
  plan: { kind: "plan_review", prompt: "Before I touch anything:",
    plan: "# Move the orders\n\n1. Copy `orders` to `orders_new`\n2. Compare the counts\n3. Rename both\n\n| step | minutes |\n|---|---|\n| copy | 20 |" },
  form: { kind: "form", prompt: "Two things before I begin.", questions: [
    { id: "env", prompt: "Where to?", options: ["staging", "production"] }, { id: "when", prompt: "When?" } ] },
  notification: { kind: "notification", level: "warning", prompt: "The nightly build took 3 h." },
  // More than this page has room for.
  long: { kind: "approval", prompt: "All of it.", action: { tool: "Write", arguments: {
    file_path: "/srv/app/all.sql", content: "INSERT INTO orders VALUES (1, 'a', 'b');\n".repeat(500) } } },
};

/** A finger needs 48 px. */
async function expectBigTargets(page: Page): Promise<void> {
  const targets = page.locator("main :is(button, a.button, summary, .option, .more a):visible");
  for (const target of await targets.all()) {
    const box = await target.boundingBox();
    expect(box?.height, await target.innerText()).toBeGreaterThanOrEqual(48);
  }
}

test("each kind is legible on a telephone and on a wide screen", async ({ server, signIn }) => {
  test.slow();
  const page = await signIn("Ana", phone);
  for (const [name, kind] of Object.entries(kinds)) {
    const { id } = await server.ask(kind);
    for (const [theme, width] of looks) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(quick(server, id, name === "approval" ? "?choice=approve" : ""));
      await expectLegible(page);
      await expectBigTargets(page);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}-${width}-${theme}.png`, fullPage: true });
    }
  }
});

test("what hides in a text is marked, and nothing of it stands out to the side", async ({ server, signIn }) => {
  test.slow();
  const page = await signIn("Ana", phone);
  const long = "w".repeat(300);
  const words = `${long} ${long}`;
  for (const { name, text, line } of [...corpus, { name: "long words", text: words, line: () => words.slice(0, 200) }]) {
    const [prompt, query] = [600, 1_500].map((chars) => [...text].slice(0, chars).join(""));
    const action = { tool: "sql", arguments: { query, [long]: 1 } };
    const { id } = await server.ask({ kind: "approval", prompt, title: line(100), action });
    await page.goto(quick(server, id));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide, name).toBe(0);
  }
});

for (const [how, options] of [["with scripts", phone], ["without scripts", withoutScripts]] as const) {
  test(`questions are answered one after the other, ${how}`, async ({ server, signIn }) => {
    const port = await server.ask(kinds.question);
    const drop = await server.ask(kinds.approval);
    const plan = await server.ask(kinds.plan);
    const form = await server.ask(kinds.form);
    const regions = await server.ask({ ...kinds.several, mode: "async" });
    const page = await signIn("Ana", options);
    await page.goto(quick(server, port.id));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Which port?");
    await expect(page.getByText("4 more wait")).toBeVisible();
    await page.getByLabel("Your answer").fill("8081\nor any");
    await page.getByRole("button", { name: "Send answer" }).tap();

    await expect(page.getByText("You answered:")).toBeVisible();
    await expect(page.getByText("3 more wait")).toBeVisible();
    await page.getByText("Add a comment").tap();
    await page.getByLabel("Comment (optional)").fill("after the backup");
    await page.getByRole("button", { name: "Approve" }).tap();

    await expect(page.getByText("You approved it:")).toBeVisible();
    await expect(page.getByLabel("What to change")).toBeHidden();
    await page.getByRole("radio", { name: "Adjust" }).tap();
    await page.getByLabel("What to change").fill("Copy at night.");
    await page.getByRole("button", { name: "Send decision" }).tap();

    await expect(page.getByText("Question 1 of 2")).toBeVisible();
    await page.getByText("staging").tap();
    await page.getByRole("button", { name: "Send and go on" }).tap();
    await expect(page.getByText("Answered so far, and sent with this")).toBeVisible();
    await page.getByLabel("Your answer").fill("now");
    await page.getByRole("button", { name: "Send all answers" }).tap();

    await page.getByText("eu", { exact: true }).tap();
    await page.getByText("ap", { exact: true }).tap();
    await page.getByRole("button", { name: "Send answer" }).tap();
    await expect(page.getByText("Nothing else waits for you.")).toBeVisible();

    expect((await server.poll(port.id)).answer?.text).toBe("8081\nor any");
    const approved = await server.poll(drop.id);
    expect([approved.approved, approved.answer?.text]).toEqual([true, "after the backup"]);
    expect((await server.poll(plan.id)).answer?.feedback).toBe("Copy at night.");
    expect((await server.poll(form.id)).answer?.answers).toEqual({ env: "staging", when: "now" });
    expect((await server.poll(regions.id)).answer?.selected).toEqual(["eu", "ap"]);
  });

  test(`somebody else was faster, and the text is kept, ${how}`, async ({ server, signIn }) => {
    const page = await signIn("Ana", options);
    const { id } = await server.ask();
    await page.goto(quick(server, id));
    await page.getByLabel("Your answer").fill("mine");
    await server.answer(id, { text: "theirs" });
    await page.getByRole("button", { name: "Send answer" }).tap();
    await expect(page.getByText("night desk answered")).toBeVisible();
    await expect(page.getByText("theirs")).toBeVisible();
    await expect(page.getByText("Your text was not sent:")).toBeVisible();
    await expect(page.getByText("mine")).toBeVisible();
    // Axe is a script.
    if (how === "with scripts") await expectLegible(page);
  });

  test(`whoever is signed out signs in and is where they were led, ${how}`, async ({ server, signIn }) => {
    const page = await signIn("Ana", options);
    const { id } = await server.ask(kinds.approval);
    // The dashboard would ask on without its cookie.
    await page.goto(`${server.url}/docs`);
    await page.context().clearCookies();
    await page.goto(quick(server, id, "?choice=approve"));
    await page.getByLabel("Name").fill("Ana");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).tap();
    await page.waitForURL(quick(server, id, "?choice=approve"));
    await expect(page.getByText("Nothing is sent until you send it here.")).toBeVisible();
    expect((await server.poll(id)).state).toBe("pending");
    await page.getByRole("button", { name: "Yes, approve" }).tap();
    await expect(page.getByText("You approved it")).toBeVisible();
    expect((await server.poll(id)).approved).toBe(true);
  });
}

test("what can be pressed lies at the thumb, and never above what is to be read", async ({ server, signIn }) => {
  const page = await signIn("Ana", phone);
  const top = async (name: string) => (await page.getByRole("button", { name }).boundingBox())?.y ?? 0;
  const short = await server.ask(kinds.approval);
  await page.goto(quick(server, short.id));
  expect(await top("Approve")).toBeGreaterThan(844 / 2);
  expect(await top("Approve")).toBeLessThan(844);
  const lines = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join("\n");
  const long = await server.ask({ kind: "approval", action: { tool: "Bash", arguments: { command: lines } } });
  await page.goto(quick(server, long.id));
  await expect(page.getByRole("button", { name: "Approve" })).not.toBeInViewport();
  const last = await page.getByText("echo 59").boundingBox();
  expect(await top("Approve")).toBeGreaterThan(last?.y ?? Infinity);
});

test("a text outlives the page, and one that is on its way comes back if it did not get through", async ({ server, signIn, watch }) => {
  // The browser's own page of a network that is gone has no storage.
  watch.allow(/ERR_INTERNET_DISCONNECTED|Failed to fetch|Access is denied for this document/);
  const page = await signIn("Ana", phone);
  const { id } = await server.ask();
  await page.goto(quick(server, id));
  await page.getByLabel("Your answer").fill("half a");
  await page.reload();
  await expect(page.getByLabel("Your answer")).toHaveValue("half a");
  // The dashboard has it, too.
  await page.goto(`${server.url}/blockers/${id}`);
  await expect(page.getByLabel("Your answer")).toHaveValue("half a");
  await page.goto(quick(server, id));
  await page.getByLabel("Your answer").fill("half a text");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Send answer" }).tap();
  await expect.poll(() => page.url()).toContain("chrome-error");
  await page.context().setOffline(false);
  await page.goto(quick(server, id));
  await expect(page.getByLabel("Your answer")).toHaveValue("half a text");
  await page.getByRole("button", { name: "Send answer" }).tap();
  await expect(page.getByText("You answered")).toBeVisible();
  await expect(page.getByText("Your text was not sent:")).toBeHidden();
  expect((await server.poll(id)).answer?.text).toBe("half a text");
});

test("an earlier answer is taken by a tap, after what was typed, and sent only by its reader", async ({ server, signIn }) => {
  const page = await signIn("Ana", phone);
  const earlier = await server.ask({ prompt: "Which port should the cache listen on?" });
  await server.answer(earlier.id, { text: "6380" });
  const { id } = await server.ask({ prompt: "What port should the cache listen on?" });
  await page.goto(quick(server, id));
  await expect(page.getByRole("heading", { name: "Answered before" })).toBeVisible();
  await expectLegible(page);
  await expectBigTargets(page);
  const area = page.getByLabel("Your answer");
  await page.getByRole("link", { name: "Use this answer" }).tap();
  await expect(page.getByText("Nothing is sent until you send it here")).toBeVisible();
  await expect(area).toHaveValue("6380");
  await area.fill("Perhaps");
  await page.getByRole("link", { name: "Use this answer" }).tap();
  await expect(area).toHaveValue("Perhaps\n6380");
  // Once, however often it is tapped.
  await page.getByRole("link", { name: "Use this answer" }).tap();
  await expect(area).toHaveValue("Perhaps\n6380");
  expect((await server.poll(id)).state).toBe("pending");
  await page.getByRole("button", { name: "Send answer" }).tap();
  await expect(page.getByText("You answered")).toBeVisible();
  expect((await server.poll(id)).answer?.text).toBe("Perhaps\n6380");
});

test("an earlier answer is taken without scripts", async ({ server, signIn }) => {
  const page = await signIn("Ana", withoutScripts);
  const ask = { kind: "choice", prompt: "Which cache?", options: ["lru", "ttl"] };
  const earlier = await server.ask(ask);
  await server.answer(earlier.id, { selected: ["ttl"] });
  const { id } = await server.ask(ask);
  await page.goto(quick(server, id));
  await page.getByRole("link", { name: "Use this answer" }).tap();
  await expect(page.getByRole("radio", { name: "ttl" })).toBeChecked();
  await page.getByRole("button", { name: "Send answer" }).tap();
  await expect(page.getByText("You answered")).toBeVisible();
  expect((await server.poll(id)).answer?.selected).toEqual(["ttl"]);
});

test("a page that is looked at again shows what happened meanwhile", async ({ server, signIn }) => {
  const page = await signIn("Ana", phone);
  const { id } = await server.ask();
  await page.goto(quick(server, id));
  await page.getByLabel("Your answer").fill("half a text");
  await server.cancel(id);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(page.getByText("backend took it back")).toBeVisible();
  await expect(page.getByText("Your text was not sent:")).toBeVisible();
  await expect(page.getByText("half a text")).toBeVisible();
});

/** A telephone on a slow network: 400 ms there and back, and 400 kbit/s, which is less than most tools call "slow 4G".
 */
const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** What came over the network. */
function count(session: CDPSession): { requests: string[]; bytes: number } {
  const seen = { requests: [] as string[], bytes: 0 };
  session.on("Network.requestWillBeSent", ({ request }) => seen.requests.push(new URL(request.url).pathname));
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength;
  });
  return seen;
}

test("it can be answered soon after the tap, on a slow network", async ({ server, signIn }) => {
  const page = await signIn("Ana", phone);
  // From a page that asks for nothing more.
  await page.goto(`${server.url}/docs`);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.emulateNetworkConditions", slow);
  for (const name of ["question", "approval", "plan", "long"]) {
    const { id } = await server.ask(kinds[name]);
    const seen = count(session);
    const from = Date.now();
    await page.goto(quick(server, id), { waitUntil: "commit" });
    // Painted, in its place, and takes a tap: that waits for no script.
    await page.locator("form button[type=submit]:visible").last().click({ trial: true });
    const ready = Date.now() - from;
    await page.waitForLoadState("load");
    const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    console.log(`${name}: ready after ${ready} ms (first paint ${Math.round(painted)} ms), ${seen.bytes} bytes in ${seen.requests.length} requests`);
    expect(seen.bytes).toBeLessThan(30_000);
    // Nothing but the page holds it up; its script and its icon come behind it.
    expect(seen.requests.filter((path) => path !== "/pkg/icon.svg")).toEqual([`/q/${id}`, "/pkg/quick.js"]);
    session.removeAllListeners();
  }
});
