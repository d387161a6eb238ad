import { expect, live, row, test, type Server } from "../tests/handraise.ts";

test("the picture in the README", async ({ ana, server }) => {
  await server.ask({
    kind: "choice",
    prompt: "Which cache strategy do you want in front of the artefact store?",
    options: ["TTL", "LRU in process"],
    mode: "async",
    session_id: "p06",
  });
  await server.ask({
    prompt:
      "What **latency target** should I optimise for?\n\nThe service answers in 240 ms at p99 today.\n\n1. Cache the policy lookup: about 120 ms, stale for up to 10 s.\n2. Move the lookup into the gateway: about 60 ms, one more service to run.\n\nWithout an answer I go on with `200 ms`.",
    priority: "urgent",
    session_id: "p11-guardrails",
    timeout_seconds: 1_080,
    fallback: "200 ms",
    task: { id: "T-456", title: "Guardrails within budget", step: "choosing a target" },
  });
  await server.ask({
    kind: "approval",
    prompt: "May I drop the legacy tables on production?",
    action: { tool: "psql", arguments: { file: "migrations/0042_drop_legacy.sql" } },
    timeout_seconds: 300,
  });
  await live(ana);
  await row(ana, "latency target").click();
  await ana.getByLabel("Your answer").fill("Option 1. Ten seconds stale is fine.");
  await expect(ana.locator(".row")).toHaveCount(3);
  await expect(ana.getByRole("button", { name: "Send answer" })).toBeEnabled();
  await ana.screenshot({ path: "../docs/dashboard.png", animations: "disabled" });
});

/** A night's questions. */
async function night(server: Server): Promise<void> {
  for (const branch of ["release-7", "release-8", "release-9"]) {
    await server.ask({ kind: "approval", prompt: "Tested; it goes out.", action: { tool: "Bash", arguments: { command: `git push origin ${branch}` } } });
  }
  await server.ask({ prompt: "What **latency target** should I optimise for?", priority: "urgent", timeout_seconds: 1_080, mode: "sync" });
  await server.ask({ kind: "plan_review", prompt: "How I would move the table", plan: "# Move `users`\n\n1. Copy in batches of 1,000\n2. Switch reads\n3. Drop the old one" });
  await server.ask({ kind: "choice", prompt: "Which cache in front of the artefact store?", options: ["TTL", "LRU in process"], mode: "async" });
}

test("the list and the overview", async ({ ana, server, signIn }) => {
  await night(server);
  const ben = await signIn("Ben");
  await row(ben, "latency target").locator("a").click();
  await expect(row(ana, "latency target")).toContainText("Ben has it open");
  await ana.setViewportSize({ width: 1200, height: 640 });
  await ana.screenshot({ path: "../docs/dashboard/list.png", animations: "disabled" });
});

test("several that are the same", async ({ ana, server }) => {
  await night(server);
  await ana.setViewportSize({ width: 1200, height: 640 });
  await row(ana, "git push").locator("a").click();
  await expect(ana.getByRole("button", { name: "Approve" })).toBeEnabled();
  await ana.screenshot({ path: "../docs/dashboard/group.png", animations: "disabled" });
});

test("a plan on a phone", async ({ ana, server }) => {
  await night(server);
  await ana.setViewportSize({ width: 390, height: 844 });
  await row(ana, "Move").locator("a").click();
  await expect(ana.getByRole("button", { name: "Send decision" })).toBeEnabled();
  await ana.screenshot({ path: "../docs/dashboard/phone.png", animations: "disabled" });
});
