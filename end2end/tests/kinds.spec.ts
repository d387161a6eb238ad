// Every kind: an agent asks, Ana answers on the page, the agent that waits has it.
import type { Page } from "@playwright/test";

import { expect, live, row, submitByKey, test, type Interaction, type Server } from "./handraise.ts";

/** Asks, opens the dialog from the panel, and leaves the agent waiting. */
async function opened(ana: Page, server: Server, body: object) {
  const asked = await server.ask({ prompt: "Shall I?", ...body });
  const held = server.poll(asked.id, { Prefer: "wait=30" });
  await row(ana, "Shall I?").click();
  const dialog = ana.locator("dialog.dialog");
  // Not before: keys that pick find nothing while it loads.
  await expect(dialog).toContainText("Shall I?");
  return { asked, dialog, got: async (): Promise<Interaction> => held };
}

const options = ["Redis TTL", { value: "lru", label: "LRU in process", description: "no new service" }];

test("a choice: a number picks, Ctrl+Enter sends", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "choice", options });
  await expect(dialog).toContainText("no new service");
  await dialog.getByRole("button", { name: "Send answer" }).click();
  await expect(dialog.getByRole("alert").first()).toContainText("Pick one of the options first.");
  await ana.keyboard.press("2");
  await expect(dialog.getByRole("radio", { name: /LRU/ })).toBeChecked();
  await submitByKey(ana);
  await expect(dialog).toContainText(/You answered \d+ s ago/);
  expect((await got()).answer?.selected).toEqual(["lru"]);
});

test("among many options one is found by typing", async ({ ana, server }) => {
  const options = ["Lisbon", "Porto", "Madrid", "Vienna", "Prague", "Berlin", "Paris", "Rome", "Oslo", "Bern", "Berne (old)", "Turin"];
  const { id } = await server.ask({ kind: "choice", prompt: "Which region?", options });
  await row(ana, "Which region?").locator("a").click();
  const dialog = ana.locator(".dialog");
  await expect(dialog.getByLabel("Find an option")).toBeFocused();
  // What is hidden before it has been seen is not read.
  await expect(ana.locator(".read-to-end")).toHaveAttribute("data-seen", "all");
  await ana.keyboard.type("nowhere");
  await expect(dialog).toContainText("No option holds this.");
  await ana.keyboard.press("Control+a");
  await ana.keyboard.type("bern");
  await expect(dialog.locator(".option:visible")).toHaveText(["Bern", "Berne (old)"]);
  await expect(dialog.getByRole("button", { name: "Send answer" })).toBeEnabled();
  await ana.keyboard.press("Enter");
  await expect(dialog.getByLabel("Bern", { exact: true })).toBeChecked();
  // What is picked stays in sight.
  await dialog.getByLabel("Find an option").fill("oslo");
  await expect(dialog.locator(".option:visible")).toHaveText([/Oslo/, "Bern"]);
  await dialog.getByLabel("Bern", { exact: true }).focus();
  await ana.keyboard.press("Enter");
  await expect.poll(async () => (await server.poll(id)).answer).toMatchObject({ selected: ["Bern"] });
});

test("among many options a held Enter sends nothing, and a number picks nothing that is hidden", async ({ ana, server }) => {
  const named = Array.from({ length: 10 }, (_, n) => `node${n}`);
  const options = [{ value: "production", label: "production", description: "same as staging" }, ...named, "staging"];
  const { id } = await server.ask({ kind: "choice", prompt: "Where?", options, multiple: true });
  await row(ana, "Where?").locator("a").click();
  const dialog = ana.locator(".dialog");
  await expect(dialog.getByLabel("Find an option")).toBeFocused();
  await expect(dialog.getByRole("button", { name: "Send answer" })).toBeEnabled();
  await ana.keyboard.type("staging");
  await ana.keyboard.down("Enter");
  await ana.keyboard.down("Enter");
  await ana.keyboard.down("Enter");
  await ana.keyboard.up("Enter");
  // What a label says goes before a description.
  await expect(dialog.getByRole("checkbox", { name: /^staging/ })).toBeChecked();
  await expect(dialog.getByRole("checkbox", { name: /^production/ })).not.toBeChecked();
  await ana.keyboard.press("2");
  await expect(dialog.getByRole("checkbox", { name: "node0", includeHidden: true })).not.toBeChecked();
  expect((await server.poll(id)).state).toBe("pending");
});

test("a choice of several", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "choice", options: ["a", "b", "c"], multiple: true });
  await ana.keyboard.press("3");
  await dialog.getByRole("checkbox", { name: "a" }).check();
  await dialog.getByRole("button", { name: "Send answer" }).click();
  await expect(dialog).toContainText("You answered");
  expect((await got()).answer?.selected).toEqual(["a", "c"]);
});

test("an acknowledgement", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "acknowledgement" });
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expect(dialog).toContainText("You acknowledged it");
  expect((await got()).outcome).toBe("answered");
});

const action = {
  tool: "shell",
  arguments: { command: "make deploy \u202e# ylno tset", env: "production" },
};

test("an approval: the action stands there as it is run, and nothing is focused", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "approval", action });
  await expect(dialog).toContainText("make deploy ⟨U+202E⟩# ylno tset");
  await expect(dialog).toContainText("sha256:");
  for (const name of ["Approve", "Deny"]) {
    await expect(dialog.getByRole("button", { name })).not.toBeFocused();
  }
  await ana.keyboard.press("Control+Enter");
  await expect(dialog.getByRole("button", { name: "Approve" })).toBeVisible();
  await dialog.getByRole("button", { name: "Approve" }).click();
  await expect(dialog).toContainText("You approved it");
  expect(await got()).toMatchObject({ outcome: "approved", approved: true });
});

test("an approval that is denied says why", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "approval", action });
  await dialog.getByLabel("Comment (optional)").fill("Not on a Friday");
  await dialog.getByRole("button", { name: "Deny" }).click();
  await expect(dialog).toContainText("You denied it");
  await expect(dialog).toContainText("Not on a Friday");
  const denied = await got();
  expect(denied).toMatchObject({ outcome: "denied", approved: false });
  expect(denied.answer?.text).toBe("Not on a Friday");
});

test("a plan: adjust asks what to change", async ({ ana, server }) => {
  const plan = "# Plan\n\n1. **Test**\n2. Deploy";
  const { dialog, got } = await opened(ana, server, { kind: "plan_review", plan });
  await expect(dialog.locator("strong")).toHaveText("**Test**");
  await dialog.getByRole("radio", { name: /Adjust/ }).check();
  await dialog.getByRole("button", { name: "Send decision" }).click();
  await expect(dialog.getByRole("alert").first()).toContainText("Say what to change");
  await dialog.getByLabel("What to change").fill("Test twice");
  await submitByKey(ana);
  await expect(dialog).toContainText("You decided");
  expect((await got()).answer).toMatchObject({
    decision: "adjust",
    feedback: "Test twice",
    clear_context: false,
    target_mode: null,
  });
});

test("a plan: go on with a clear context", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "plan_review", plan: "Go" });
  await ana.keyboard.press("2");
  await submitByKey(ana);
  await expect(dialog).toContainText("You decided");
  expect(await got()).toMatchObject({
    outcome: "proceed_clean",
    answer: { clear_context: true, target_mode: "edit" },
  });
});

const questions = [
  { id: "port", prompt: "Which **port**?" },
  { id: "env", prompt: "Where?", options: ["staging", "production"] },
  { id: "why", prompt: "Why?" },
];

test("a form: one question at a time, kept across a reload, finished by somebody else", async ({
  ana,
  server,
  signIn,
}) => {
  const { asked, dialog, got } = await opened(ana, server, { kind: "form", questions });
  await expect(dialog).toContainText("1 of 3");
  await dialog.getByLabel("Your answer").fill("80\n");
  await submitByKey(ana);
  await expect(dialog).toContainText("2 of 3");
  await dialog.getByRole("link", { name: "Back" }).click();
  await expect(dialog.getByLabel("Your answer")).toHaveValue("80\n");
  await dialog.getByLabel("Your answer").fill("8080");
  await dialog.getByRole("button", { name: /Send/ }).click();
  await expect(dialog).toContainText("2 of 3");
  await ana.reload();
  await expect(dialog).toContainText("2 of 3");
  expect((await server.poll(asked.id)).progress).toEqual({ port: "8080" });

  const ben = await signIn("Ben");
  await ben.goto(`${server.url}/blockers/${asked.id}`);
  await live(ben);
  const bens = ben.locator("dialog.dialog");
  await bens.getByText("staging").click();
  await bens.getByRole("button", { name: /Send/ }).click();
  await expect(bens).toContainText("3 of 3");
  // Ana's page goes on where Ben is, once she knows.
  await expect(dialog).toContainText("Somebody else has just answered");
  await dialog.getByRole("button", { name: "Go on to the next question" }).click();
  await expect(dialog).toContainText("3 of 3");
  await bens.getByLabel("Your answer").fill("");
  await bens.getByRole("button", { name: "Send all answers" }).click();
  await bens.getByRole("button", { name: "Send it empty" }).click();
  await expect(bens).toContainText("You answered");
  await expect(dialog).toContainText("Ben answered");
  expect((await got()).answer?.answers).toEqual({ port: "8080", env: "staging", why: "" });
});

test("a form is sent with the answers that its author has seen", async ({ ana, server, signIn, watch }) => {
  watch.allow(/409 \(Conflict\)/);
  const two = [
    { id: "wipe", prompt: "Wipe which?", options: ["staging", "production"] },
    { id: "when", prompt: "When?" },
  ];
  const { asked, dialog, got } = await opened(ana, server, { kind: "form", questions: two });
  await dialog.getByText("staging").click();
  await expect(dialog.getByRole("button", { name: /Send/ })).toBeEnabled();
  await dialog.getByRole("button", { name: /Send/ }).click();
  await expect(dialog).toContainText("2 of 2");
  await expect(dialog.getByRole("list", { name: "Answers so far" })).toContainText("staging");

  const ben = await signIn("Ben");
  await ben.goto(`${server.url}/blockers/${asked.id}?question=1`);
  await live(ben);
  const bens = ben.locator("dialog.dialog");
  await bens.getByText("production").click();
  await expect(bens.getByRole("button", { name: /Send/ })).toBeEnabled();
  await bens.getByRole("button", { name: /Send/ }).click();
  await expect(bens).toContainText("2 of 2");

  await dialog.getByLabel("Your answer").fill("now");
  await dialog.getByRole("button", { name: "Send all answers" }).click();
  await expect(dialog.getByRole("alert").first()).toContainText("it has changed meanwhile");
  await expect(dialog.getByRole("list", { name: "Answers so far" })).toContainText("production");
  await expect(dialog.getByLabel("Your answer")).toHaveValue("now");
  expect((await server.poll(asked.id)).state).toBe("pending");
  await expect(dialog.getByRole("button", { name: "Send all answers" })).toBeEnabled();
  await dialog.getByRole("button", { name: "Send all answers" }).click();
  expect((await got()).answer?.answers).toEqual({ wipe: "production", when: "now" });
});

test("a key that is held and a button that is pressed twice answer one question of a form", async ({ ana, server }) => {
  const asked = [
    { id: "one", prompt: "First?" },
    { id: "two", prompt: "May I wipe everything? Leave it empty for yes." },
  ];
  const { asked: form, dialog, got } = await opened(ana, server, { kind: "form", questions: asked });
  const send = dialog.getByRole("button", { name: /Send/ });
  await dialog.getByLabel("Your answer").fill("held");
  await expect(send).toBeEnabled();
  await ana.keyboard.down("Control");
  await ana.keyboard.down("Enter");
  await expect(dialog).toContainText("2 of 2");
  // Playwright sends these as the repetitions of a key that is down.
  for (let n = 0; n < 20; n++) await ana.keyboard.down("Enter");
  await expect(send).toBeEnabled();
  for (let n = 0; n < 20; n++) await ana.keyboard.down("Enter");
  await ana.keyboard.up("Enter");
  await ana.keyboard.up("Control");
  expect((await server.poll(form.id)).progress).toEqual({ one: "held" });

  await dialog.getByRole("link", { name: "Back" }).click();
  await expect(dialog).toContainText("1 of 2");
  await dialog.getByLabel("Your answer").fill("pressed");
  await send.click();
  await expect(dialog).toContainText("2 of 2");
  // At once, as a person does who presses twice: Playwright would wait for what a press does not wait for.
  await send.evaluate((button: HTMLButtonElement) => button.click());
  await expect(send).toBeEnabled();
  expect((await server.poll(form.id)).progress).toEqual({ one: "pressed" });
  await expect(dialog).toContainText("2 of 2");
  await dialog.getByLabel("Your answer").fill("no");
  await send.click();
  expect((await got()).answer?.answers).toEqual({ one: "pressed", two: "no" });
});

test("a second click on a row of the list answers nothing", async ({ ana, server }) => {
  const asked = await server.ask({ kind: "approval", prompt: "Wipe it?", action });
  await expect(row(ana, "Wipe it?")).toBeVisible();
  // As soon as there is a button, as a double click that hits both.
  await ana.evaluate(
    () =>
      new Promise<void>((pressed) => {
        const press = () => {
          const approve = document.querySelector<HTMLButtonElement>("dialog button[value=true]");
          if (!approve) return void requestAnimationFrame(press);
          approve.click();
          pressed();
        };
        document.querySelector<HTMLElement>("a.row-link")!.click();
        requestAnimationFrame(press);
      }),
  );
  const approve = ana.locator("dialog.dialog").getByRole("button", { name: "Approve" });
  await expect(approve).toBeEnabled();
  expect((await server.poll(asked.id)).state).toBe("pending");
  await approve.click();
  await expect(ana.getByRole("dialog")).toContainText("You approved it");
});

test("a button rests before the page's program runs, too", async ({ ana, openBrowser, server }) => {
  const { id } = await server.ask({ kind: "approval", prompt: "Shall I?", action });
  const page = await openBrowser({ javaScriptEnabled: false, storageState: await ana.context().storageState() });
  await page.goto(`${server.url}/blockers/${id}`);
  const approve = page.getByRole("button", { name: "Approve" });
  await expect(approve).toHaveCSS("animation-name", "rest");
  await expect(approve).toHaveCSS("animation-duration", "0.7s");
  await approve.click();
  await expect(page.locator("body")).toContainText("You approved it");
});

test("what somebody types for a question that another has answered is no answer to the next", async ({ ana, server, watch }) => {
  watch.allow(/ERR_FAILED/);
  const asked = [
    { id: "one", prompt: "Which colour?" },
    { id: "two", prompt: "May I wipe everything? Leave it empty for yes." },
  ];
  const { asked: form, dialog, got } = await opened(ana, server, { kind: "form", questions: asked });
  await dialog.getByLabel("Your answer").fill("blu");
  // One that did not get through is no answer of this page's.
  await ana.route("**/ui/answer-blocker", (route) => route.abort(), { times: 1 });
  await submitByKey(ana);
  await expect(dialog.getByRole("alert").first()).toContainText("cannot be reached");
  await server.answer(form.id, { answers: { one: "red" } });
  await expect(dialog.getByRole("alert").first()).toContainText("Somebody else has just answered");
  await ana.keyboard.type("e sky");
  await ana.keyboard.press("Control+Enter");
  await expect(dialog).toContainText("blu");
  await expect(dialog.getByLabel("Your answer")).toHaveCount(0);
  expect((await server.poll(form.id)).progress).toEqual({ one: "red" });
  await dialog.getByRole("button", { name: "Go on to the next question" }).click();
  await expect(dialog).toContainText("2 of 2");
  await expect(dialog.getByLabel("Your answer")).toHaveValue("");
  await dialog.getByLabel("Your answer").fill("no");
  await submitByKey(ana);
  expect((await got()).answer?.answers).toEqual({ one: "red", two: "no" });
});

test("a notification is shown and waits for nobody", async ({ ana, server }) => {
  const told = await server.ask({ kind: "notification", prompt: "Tests failed", level: "error" });
  expect(told).toMatchObject({ state: "resolved", outcome: "delivered" });
  await expect(ana.locator(".recent-row")).toContainText("Tests failed");
  await expect(ana.locator(".row")).toHaveCount(0);
});

test("picked up, and what was said later", async ({ ana, server, signIn }) => {
  const { asked, dialog } = await opened(ana, server, { kind: "question" });
  await dialog.getByLabel("Your answer").fill("yes");
  await submitByKey(ana);
  await expect(dialog).toContainText("backend has not picked it up yet");
  await server.collect(asked.id);
  await expect(dialog).toContainText("It picked the answer up");
  await dialog.getByText("Say more").click();
  await dialog.getByRole("textbox").fill("And be quick");
  await dialog.locator(".follow-up-form").getByRole("button").click();
  await expect(dialog).toContainText("And be quick");
  expect((await server.poll(asked.id)).follow_ups).toMatchObject([{ text: "And be quick" }]);
  // Ben says more, and Ana's open dialog shows it.
  const ben = await signIn("Ben");
  await ben.goto(`${server.url}/blockers/${asked.id}`);
  await live(ben);
  const bens = ben.locator("dialog.dialog");
  await bens.getByText("Say more").click();
  await bens.getByRole("textbox").fill("No hurry");
  await bens.locator(".follow-up-form").getByRole("button").click();
  await expect(dialog).toContainText("No hurry");
});

test("a person takes a question back", async ({ ana, server }) => {
  const { dialog, got } = await opened(ana, server, { kind: "choice", options });
  await dialog.locator(".cancel-form summary").click();
  await dialog.getByLabel(/Why, for backend/).fill("solved it");
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await expect(dialog).toContainText("You took it back");
  expect(await got()).toMatchObject({ state: "cancelled", answer: null });
});

test("a blocker that expires fails its task, and says so", async ({ ana, server }) => {
  const task = { id: "T-456" };
  const { dialog } = await opened(ana, server, { kind: "question", timeout_seconds: 6, task });
  await expect(dialog).toContainText("Task T-456 fails");
  await expect(dialog).toContainText("Task T-456 failed: review it and restart the agent.", { timeout: 15_000 });
  expect(await server.task("T-456")).toMatchObject({
    status: "failed",
    reason: "Blocker expired without resolution",
  });
});

test.describe("without scripts", () => {
  test("every control is a plain form", async ({ server, signIn }) => {
    const ana = await signIn("Ana", { javaScriptEnabled: false });
    const dialog = ana.locator("dialog.dialog");
    const open = async (body: object) => {
      const asked = await server.ask({ prompt: "Shall I?", ...body });
      await ana.goto(`${server.url}/blockers/${asked.id}`);
      return asked.id;
    };
    let id = await open({ kind: "choice", options });
    await dialog.getByText("LRU in process").click();
    await dialog.getByRole("button", { name: "Send answer" }).click();
    await expect(dialog).toContainText("You answered");
    expect((await server.poll(id)).answer?.selected).toEqual(["lru"]);

    id = await open({ kind: "choice", options: ["a", "b"], multiple: true });
    await dialog.getByRole("button", { name: "Send answer" }).click();
    await dialog.getByRole("button", { name: "Send it empty" }).click();
    await expect(dialog).toContainText("You answered");
    expect((await server.poll(id)).answer?.selected).toEqual([]);

    id = await open({ kind: "acknowledgement" });
    await dialog.getByRole("button", { name: "Acknowledge" }).click();
    await expect(dialog).toContainText("You acknowledged it");

    id = await open({ kind: "approval", action });
    await dialog.getByRole("button", { name: "Deny" }).click();
    await expect(dialog).toContainText("You denied it");
    expect((await server.poll(id)).approved).toBe(false);

    id = await open({ kind: "plan_review", plan: "Go" });
    await dialog.getByText("Adjust", { exact: true }).click();
    await dialog.getByLabel("What to change").fill("one\ntwo");
    await dialog.getByRole("button", { name: "Send decision" }).click();
    await expect(dialog).toContainText("You decided");
    expect((await server.poll(id)).answer?.feedback).toBe("one\ntwo");

    id = await open({ kind: "form", questions });
    await dialog.getByLabel("Your answer").fill("\n<80> & co");
    await dialog.getByRole("button", { name: /Send/ }).click();
    await expect(dialog).toContainText("2 of 3");
    await dialog.getByRole("link", { name: "Back" }).click();
    await expect(dialog).toContainText("1 of 3");
    await expect(dialog.getByLabel("Your answer")).toHaveValue("\n<80> & co");
    await dialog.getByLabel("Your answer").fill("8080");
    await dialog.getByRole("button", { name: /Send/ }).click();
    await expect(dialog).toContainText("2 of 3");
    await dialog.getByText("production").click();
    await dialog.getByRole("button", { name: /Send/ }).click();
    await dialog.getByRole("link", { name: "Back" }).click();
    await expect(dialog.getByRole("radio", { name: "production" })).toBeChecked();
    await dialog.getByRole("link", { name: "Forward" }).click();
    await dialog.getByLabel("Your answer").fill("because");
    await dialog.getByRole("button", { name: /Send/ }).click();
    await expect(dialog).toContainText("You answered");
    expect((await server.poll(id)).answer?.answers).toEqual({ port: "8080", env: "production", why: "because" });
  });
});

test("the answers that go along stand there by question, label and value, with all that hides in them", async ({ ana, server }) => {
  const questions = [
    { id: "db", prompt: "What happens to the old database?", options: [{ value: "\u202eno", label: "Keep everything" }, { value: "drop", label: "Drop it" }] },
    { id: "who", prompt: "Who was told?" },
    { id: "when", prompt: "When?" },
  ];
  const { id } = await server.ask({ kind: "form", prompt: "Two things", questions });
  await server.answer(id, { answers: { db: "\u202eno", who: "no\u20282. all" } });
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  const given = ana.locator(".form-given > li");
  await expect(given).toHaveCount(2);
  await expect(given.first()).toContainText("What happens to the old database?");
  await expect(given.first()).toContainText(/Keep everything ⟨→ .*U\+202E.*no⟩/);
  await expect(given.last()).toContainText(/no.*U\+2028.*2\. all/);
  await ana.getByLabel("Your answer").fill("now");
  await submitByKey(ana);
  await expect.poll(async () => (await server.poll(id)).state).toBe("resolved");
  // Afterwards, too.
  await ana.goto(`${server.url}/interactions/${id}`);
  await expect(ana.locator(".asked-steps")).toContainText(/Keep everything ⟨→ .*U\+202E.*no⟩/);
});
