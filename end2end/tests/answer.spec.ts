import { expect, live, row, submitByKey, test } from "./handraise.ts";

test("a question appears live, is answered, and the agent has it byte for byte", async ({ ana, server }) => {
  await expect(ana.getByText("Nobody is waiting.")).toBeVisible();
  const asked = await server.ask({
    prompt: "What **latency** target should I optimise for?",
    session_id: "p11",
    mode: "sync",
    priority: "urgent",
    task: { id: "T-456", title: "Add caching", step: "choosing" },
  });
  const held = server.poll(asked.id, { Prefer: "wait=30" });

  const waiting = row(ana, "What latency target should I optimise for?");
  await expect(ana.locator(".panel")).toContainText("SYNChave stopped until you answer");
  await expect(waiting).toContainText("urgent");
  await expect(waiting).toContainText("backend · p11");
  await expect(ana).toHaveTitle("(1) Handraise");
  await waiting.click();
  await expect(ana).toHaveURL(`${server.url}/blockers/${asked.id}`);
  const dialog = ana.getByRole("dialog");
  await expect(dialog.locator(".prompt strong")).toHaveText("**latency**");
  await expect(dialog).toContainText("T-456");

  const answer = "**200 ms** at p99 🦀\n\n- not the mean\n\ttab, \"quotes\" & <tags>\n";
  await expect(ana.getByLabel("Your answer")).toBeFocused();
  await ana.getByLabel("Your answer").fill(answer);
  await submitByKey(ana);
  await expect(dialog).toContainText(/You answered \d+ s ago/);
  await expect(ana.locator(".row")).toHaveCount(0);

  const answered = await held;
  expect(answered.answer?.text).toBe(answer);
  expect(answered.answer?.responder.name).toBe("Ana");
  expect(answered.resume_prompt).toBe(
    `Previous blocker question: What **latency** target should I optimise for?\nUser answer: ${answer}\nContinue task execution with this answer.`,
  );

  await ana.keyboard.press("Escape");
  await expect(ana).toHaveURL(`${server.url}/`);
  await expect(ana.locator(".recent-row")).toContainText("Answered by Ana");
  await expect(ana).toHaveTitle("Handraise");
});

test("the empty text is an answer", async ({ ana, server }) => {
  const asked = await server.ask();
  await row(ana, "Which port?").click();
  await ana.getByRole("button", { name: "Send answer" }).click();
  await ana.getByRole("button", { name: "Send it empty" }).click();
  await expect(ana.getByRole("dialog")).toContainText("(an empty answer)");
  expect((await server.poll(asked.id)).answer?.text).toBe("");
});

test("waiting time ticks, and the order is sync, urgent, oldest", async ({ ana, server }) => {
  await server.ask({ prompt: "first async", mode: "async", priority: "urgent" });
  await server.ask({ prompt: "first sync" });
  await server.ask({ prompt: "urgent sync", priority: "urgent" });
  await server.ask({ prompt: "second sync" });
  await expect(ana.locator(".row-text")).toHaveText([
    "urgent sync",
    "first sync",
    "second sync",
    "first async",
  ]);
  await expect(ana.locator(".row-wait").first()).toHaveText(/waits [2-9]s/);
});

test("a deadline closes the question on the page", async ({ ana, server }) => {
  const asked = await server.ask({ prompt: "Soon gone", timeout_seconds: 2, fallback: "8080" });
  await ana.goto(`/blockers/${asked.id}`.replace(/^/, server.url));
  await live(ana);
  await expect(ana.getByRole("dialog")).toContainText("goes on with its fallback");
  await expect(ana.getByRole("dialog")).toContainText("8080");
  await expect(ana.getByLabel("Your answer")).toHaveCount(0);
});
