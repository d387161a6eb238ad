// An agent that wants to be called back: people see whether it was.
import { expect, live, looks, row, submitByKey, test as base } from "./handraise.ts";
import { Receiver } from "./receiver.ts";

const test = base.extend<{ receiver: Receiver }>({
  receiver: async ({}, use) => {
    const receiver = await Receiver.start();
    await use(receiver);
    await receiver.stop();
  },
});

test("the agent is called back, and where it was answered people see it", async ({ ana, receiver, server }) => {
  const asked = await server.ask({ prompt: "Which port?", callback_url: receiver.url() });
  await row(ana, "Which port?").click();
  await ana.getByLabel("Your answer").fill("80");
  await submitByKey(ana);
  const dialog = ana.locator("dialog.dialog");
  await expect(dialog).toContainText(/Delivered to backend .* later/);
  expect(JSON.parse(receiver.got[0].body)).toMatchObject({
    kind: "answer",
    answer_to: asked.id,
    message: "Answer to your question ('Which port?'): 80",
  });
  await server.collect(asked.id);
  await expect(dialog).toContainText("It picked the answer up");
});

test("an agent that cannot be called back is offline", async ({ ana, receiver, server }) => {
  // Gone for good, so that the test does not have to wait for the last try.
  receiver.status = 410;
  const asked = await server.ask({ prompt: "Which port?", callback_url: receiver.url() });
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await live(ana);
  await ana.getByLabel("Your answer").fill("80");
  await submitByKey(ana);
  const offline = "The asking agent is offline: backend could not be called back. It can still come and ask.";
  const dialog = ana.locator("dialog.dialog");
  await expect(dialog).toContainText(offline);
  for (const [theme, width] of looks) {
    await ana.setViewportSize({ width, height: 844 });
    await ana.emulateMedia({ colorScheme: theme });
    await ana.screenshot({ path: test.info().outputPath(`offline-${theme}-${width}.png`) });
  }
  await ana.keyboard.press("Escape");
  await expect(ana.locator(".recent-row")).toContainText("agent offline");
  await ana.goto(`${server.url}/history`);
  await expect(ana.locator(".history-line")).toContainText("agent offline");
  await ana.goto(`${server.url}/interactions/${asked.id}`);
  await expect(ana.locator(".timeline li").last()).toContainText("The asking agent is offline");
  // It comes by itself after all.
  await server.collect(asked.id);
  await expect(ana.locator("main")).toContainText("It picked the answer up");
});
