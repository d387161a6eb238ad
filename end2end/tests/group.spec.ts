// Questions that are the same to a person stand in one row, and are decided together, each with its own answer.
import { expect, live, row, test, type Server } from "./handraise.ts";

const push = (branch: string) => ({
  kind: "approval",
  prompt: `Tests of ${branch} passed.`,
  action: { tool: "Bash", arguments: { command: `git push origin ${branch}` } },
});

async function state(server: Server, id: string): Promise<unknown> {
  const { outcome, state } = await server.poll(id);
  return outcome ?? state;
}

test.describe("with undo", () => {
  test.use({ undo: true });

  test("thirty equal approvals take ten seconds", async ({ ana, server }) => {
    const asked = [];
    for (let n = 1; n <= 30; n += 1) asked.push(await server.ask(push(`fix-${n}`)));
    const line = ana.locator(".row");
    await expect(line).toHaveCount(1);
    await expect(line).toContainText("30 ×");
    await expect(line).toContainText("git push origin …");
    let keys = 0;
    const press = async (key: string) => {
      keys += 1;
      // As fast as a person presses keys: nothing is read faster than it can be seen, however often they are pressed.
      await ana.keyboard.press(key, { delay: 280 });
    };
    await press("j");
    await press("Enter");
    const dialog = ana.locator(".dialog");
    await expect(dialog.getByRole("button", { name: "Approve" })).toBeEnabled();
    await expect(dialog).toContainText("30 of 30 ticked");
    // Each of them is there before it is approved.
    for (const n of [1, 17, 30]) await expect(dialog).toContainText(`git push origin fix-${n}`);
    while ((await ana.locator(".dialog").count()) > 0) await press("a");
    await expect(ana.locator(".held-line")).toContainText("Approved 30: Bash git push origin …");
    const seconds = keys * 0.28 + 2;
    console.log(`30 equal approvals: ${keys} keys, ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThanOrEqual(10);
    for (const { id } of asked) {
      await expect.poll(async () => state(server, id), { timeout: 15_000 }).toBe("approved");
    }
  });

  test("what was decided together is undone together", async ({ ana, server }) => {
    const asked = [await server.ask(push("fix-1")), await server.ask(push("fix-2"))];
    await ana.locator(".row a").first().click();
    const dialog = ana.locator(".dialog");
    await dialog.getByLabel("Comment to each").fill("After lunch");
    await expect(dialog.getByRole("button", { name: "Deny" })).toBeEnabled();
    await dialog.getByRole("button", { name: "Deny" }).click();
    await expect(ana.locator(".held-line")).toContainText("Denied 2:");
    await ana.getByRole("button", { name: "Undo" }).click();
    await expect(dialog.getByLabel("Comment to each")).toHaveValue("After lunch");
    for (const { id } of asked) expect(await state(server, id)).toBe("pending");
    await expect(dialog.locator(".group-line")).toHaveCount(2);
  });

  test("undo ticks again what was ticked, and nothing else", async ({ ana, server }) => {
    const asked = [];
    for (const n of [1, 2, 3]) asked.push(await server.ask(push(`fix-${n}`)));
    await ana.locator(".row a").first().click();
    const dialog = ana.locator(".dialog");
    await dialog.locator(".group-line").nth(2).getByRole("checkbox").uncheck();
    await expect(dialog.getByRole("button", { name: "Deny" })).toBeEnabled();
    await ana.keyboard.press("d");
    await expect(ana.locator(".held-line")).toContainText("Denied 2:");
    await ana.keyboard.press("z");
    await expect(dialog).toContainText("2 of 2 ticked");
    await expect(dialog).not.toContainText("fix-3");
  });

  test("reading on in what comes next undoes nothing", async ({ ana, server }) => {
    await server.ask({ kind: "acknowledgement", prompt: "The disk is full." });
    await server.ask(push("fix-1"));
    await server.ask(push("fix-2"));
    await ana.locator(".row a").first().click();
    const dialog = ana.locator(".dialog");
    await expect(dialog.getByRole("button", { name: /Acknowledge/ })).toBeEnabled();
    await ana.keyboard.press("Enter");
    await expect(dialog.locator(".group-line")).toHaveCount(2);
    await expect(dialog.getByRole("group", { name: "What is asked" })).toBeFocused();
    await ana.keyboard.press("Space");
    await expect(ana.locator(".held-line")).toContainText("Acknowledged");
    await expect(dialog.locator(".group-line")).toHaveCount(2);
  });

  test("an undone answer is no answer to other questions", async ({ ana, server }) => {
    const choice = (prompt: string) => ({ kind: "choice", prompt, options: ["Keep", "Delete"] });
    const asked = [await server.ask(choice("Run 1?")), await server.ask(choice("Run 2?"))];
    await ana.locator(".row a").first().click();
    const dialog = ana.locator(".dialog");
    const send = dialog.getByRole("button", { name: "Send answers" });
    await expect(send).toBeEnabled();
    await ana.keyboard.press("2");
    await ana.keyboard.press("Enter");
    await expect(ana.locator(".held-line")).toContainText("Answered 2:");
    for (const { id } of asked) await server.cancel(id);
    await ana.keyboard.press("z");
    await expect(dialog).toContainText("Nothing is left here");
    await ana.keyboard.press("Escape");
    for (const n of [3, 4]) await server.ask(choice(`Run ${n}?`));
    await ana.locator(".row a").first().click();
    await expect(dialog).toContainText("Run 3?");
    await expect(send).toBeEnabled();
    for (const option of await dialog.getByRole("radio").all()) await expect(option).not.toBeChecked();
  });
});

test("a group shows the work and the fallback of each", async ({ ana, server }) => {
  const ask = (id: string, title: string, fallback: string) =>
    server.ask({ prompt: "Shall I go on with this task?", task: { id, title, step: "2 of 3" }, fallback });
  await ask("t-1", "Format the readme", "no");
  await ask("t-2", "Delete the production database", "yes, and force it");
  await ana.locator(".row a").first().click();
  const dialog = ana.locator(".dialog");
  for (const text of ["Format the readme", "Delete the production database", "t-2", "Step: 2 of 3", "yes, and force it"]) {
    await expect(dialog).toContainText(text);
  }
  await expect(dialog.locator(".group-part")).toHaveCount(2);
});

test("many questions are answered together when the last of them has been on the screen", async ({ ana, server }) => {
  const asked = [];
  for (let n = 1; n <= 40; n += 1) {
    asked.push(await server.ask({ kind: "choice", prompt: `Delete volume ${n === 40 ? "production0" : `tmp${n}`}?`, options: ["Keep", "Delete"] }));
  }
  // Words that differ in more than what varies are another group: all are marked.
  for (const line of await ana.locator(".row").all()) {
    await line.hover();
    await line.getByRole("button", { name: "Mark" }).click();
  }
  await ana.keyboard.press("m");
  const dialog = ana.locator(".dialog");
  await expect(dialog.getByRole("button", { name: "Send answers" })).toBeEnabled();
  await ana.keyboard.press("2");
  await ana.keyboard.press("Enter");
  await expect(ana.getByRole("alert").first()).toContainText("There is more to read.");
  for (const { id } of [asked[0]!, asked[39]!]) expect(await state(server, id)).toBe("pending");
});

test("an agent's words stand below what will run, under a heading of ours", async ({ ana, server }) => {
  const fake = { title: "What backend says about it", prompt: "## What will run\n\n```bash\ngit status\n```" };
  for (const n of [1, 2]) {
    await server.ask({ ...push(`x-${n}`), ...fake });
  }
  await ana.locator(".row a").first().click();
  const part = ana.locator(".dialog .group-part").first();
  await expect(part.locator("h2").first()).toHaveText("What will run");
  await expect(part.locator("h2").nth(1)).toHaveText("What backend says about it");
  const text = (await part.innerText()).replace(/\s+/g, " ");
  expect(text.indexOf("git push origin x-1")).toBeLessThan(text.indexOf("git status"));
  // The agent's title is no heading.
  await expect(part.locator("h2", { hasText: "What backend says about it" })).toHaveCount(1);
});

test("what was typed for some is not there for others", async ({ ana, server }) => {
  const first = [await server.ask(push("fix-1")), await server.ask(push("fix-2"))];
  await ana.locator(".row a").first().click();
  const comment = ana.locator(".dialog").getByLabel("Comment to each");
  await comment.fill("Fine: and you may force it.");
  await ana.keyboard.press("Escape");
  await ana.locator(".row a").first().click();
  await expect(comment).toHaveValue("Fine: and you may force it.");
  await ana.keyboard.press("Escape");
  for (const { id } of first) await server.cancel(id);
  for (const n of [8, 9]) await server.ask(push(`fix-${n}`));
  await ana.locator(".row", { hasText: "2 ×" }).locator("a").click();
  await expect(ana.locator(".dialog")).toContainText("fix-8");
  await expect(comment).toHaveValue("");
});

test("Enter on a tick decides nothing", async ({ ana, server }) => {
  const asked = [await server.ask(push("fix-1")), await server.ask(push("fix-2"))];
  await ana.locator(".row a").first().click();
  const dialog = ana.locator(".dialog");
  await expect(dialog.getByRole("button", { name: "Deny" })).toBeEnabled();
  await dialog.getByRole("checkbox").first().focus();
  await ana.keyboard.press("Enter");
  await expect(dialog).toContainText("2 of 2 ticked");
  await ana.keyboard.press("Space");
  await expect(dialog).toContainText("1 of 2 ticked");
  for (const { id } of asked) expect(await state(server, id)).toBe("pending");
});

test("what is unticked is left, and what was answered meanwhile is named", async ({ ana, server }) => {
  const asked = [];
  for (const n of [1, 2, 3]) asked.push(await server.ask(push(`fix-${n}`)));
  await ana.locator(".row a").first().click();
  const dialog = ana.locator(".dialog");
  const lines = dialog.locator(".group-line");
  await expect(lines).toHaveCount(3);
  await lines.nth(0).getByRole("checkbox").uncheck();
  await expect(dialog).toContainText("2 of 3 ticked");
  const [, second] = asked;
  await server.cancel(second!.id);
  await expect(lines.nth(1)).toContainText("Taken back");
  await expect(lines.nth(1).getByRole("checkbox")).not.toBeChecked();
  await expect(dialog).toContainText("1 of 3 ticked");
  const approve = dialog.getByRole("button", { name: "Approve" });
  await expect(approve).toBeEnabled();
  // The first press reads on where the window does not hold all of it.
  while ((await dialog.locator(".group-line").count()) > 0) await approve.click({ timeout: 2_000 }).catch(() => {});
  await expect.poll(async () => state(server, asked[2]!.id)).toBe("approved");
  expect(await state(server, asked[0]!.id)).toBe("pending");
  expect(await state(server, second!.id)).toBe("cancelled");
  // The one that is left is a row of its own.
  await expect(ana.locator(".row")).toHaveCount(1);
});

test("marked rows get the same text, and no other kind joins in", async ({ ana, server }) => {
  const first = await server.ask({ prompt: "Which port?" });
  const second = await server.ask({ prompt: "Which region?" });
  const third = await server.ask({ kind: "acknowledgement", prompt: "The night's build is done." });
  await expect(ana.locator(".row")).toHaveCount(3);
  await ana.keyboard.press("j");
  await ana.keyboard.press("x");
  await ana.keyboard.press("j");
  await ana.keyboard.press("x");
  await expect(ana.locator(".marked-bar")).toContainText("2 marked");
  await ana.keyboard.press("m");
  const dialog = ana.locator(".dialog");
  await expect(dialog).toContainText("Which port?");
  await expect(dialog).toContainText("Which region?");
  await dialog.getByLabel("Your answer to each").fill("As in staging");
  await expect(dialog.getByRole("button", { name: "Send answers" })).toBeEnabled();
  await ana.keyboard.press("Control+Enter");
  for (const { id } of [first, second]) {
    await expect.poll(async () => server.poll(id)).toMatchObject({ state: "resolved", answer: { text: "As in staging" } });
  }
  expect(await state(server, third.id)).toBe("pending");
  await expect(ana.locator(".marked-bar")).toHaveCount(0);

  const fourth = await server.ask({ prompt: "Which size?" });
  await ana.goto(server.url);
  await live(ana);
  await row(ana, "build is done").hover();
  await row(ana, "build is done").getByRole("button", { name: "Mark" }).click();
  await row(ana, "Which size?").hover();
  await row(ana, "Which size?").getByRole("button", { name: "Mark" }).click();
  await ana.getByRole("link", { name: "Decide together" }).click();
  await expect(dialog).toContainText("No one answer fits all of these.");
  await expect(dialog.locator(".group-line")).toHaveCount(2);
  await ana.keyboard.press("t");
  await ana.keyboard.type("Obsolete");
  await ana.keyboard.press("Enter");
  for (const { id } of [third, fourth]) await expect.poll(async () => state(server, id)).toBe("cancelled");
});

test("without scripts a group is decided by a plain form", async ({ signIn, server }) => {
  const ben = await signIn("Ben", { javaScriptEnabled: false });
  const asked = [];
  for (const n of [1, 2, 3]) asked.push(await server.ask(push(`fix-${n}`)));
  await ben.goto(server.url);
  await ben.locator(".row a").first().click();
  await ben.locator(".group-line").nth(0).getByRole("checkbox").press("Enter");
  await expect(ben).toHaveURL(/\/$/);
  for (const { id } of asked) expect(await state(server, id)).toBe("pending");
  await ben.locator(".row a").first().click();
  await ben.locator(".group-line").nth(1).getByRole("checkbox").uncheck();
  await ben.getByRole("button", { name: "Deny" }).click();
  await expect(ben).toHaveURL(/\/$/);
  expect(await state(server, asked[0]!.id)).toBe("denied");
  expect(await state(server, asked[1]!.id)).toBe("pending");
  expect(await state(server, asked[2]!.id)).toBe("denied");
});

test("a long list is drawn as far as it is seen", async ({ ana, server }) => {
  for (let n = 0; n < 120; n += 1) await server.ask({ prompt: `Question ${n}?` });
  await ana.goto(server.url);
  await live(ana);
  await expect(ana.locator(".count").first()).toHaveText("120");
  expect(await ana.locator(".row").count()).toBeLessThan(120);
  const html = await (await ana.request.get(server.url)).text();
  expect(html.match(/class="row"/g)).toHaveLength(40);
  await expect(async () => {
    await ana.locator(".row").last().scrollIntoViewIfNeeded();
    await expect(ana.locator(".row")).toHaveCount(120, { timeout: 500 });
  }).toPass();
  await expect(row(ana, "Question 119?")).toBeVisible();
});
