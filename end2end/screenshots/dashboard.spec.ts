import { expect, live, row, test } from "../tests/handraise.ts";

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
