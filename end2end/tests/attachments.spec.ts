// Files that go with a question: whole on the page before a yes, and never approved unseen.
import { expect, live, test, type Server } from "./handraise.ts";

/** Two by two pixels. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4IScHRAwQCgAfJgQRoo8irwAAAABJRU5ErkJggg==",
  "base64",
);
const approval = { kind: "approval", prompt: "Deploy?", action: { tool: "shell", arguments: { command: "make deploy" } } };

async function asked(server: Server, more: object, files: [string, string, Buffer | string][]): Promise<string> {
  const attachments = [];
  for (const file of files) attachments.push(await server.attach(...file));
  return (await server.ask({ ...more, attachments })).id;
}

test("what stands whole on the page is approved", async ({ ana, server }) => {
  const id = await asked(server, approval, [
    ["screen.png", "image/png", png],
    ["run.log", "text/plain", "it works\r\nall of it\r\n"],
  ]);
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  await expect(ana.locator(".attached-picture")).toBeVisible();
  await expect(ana.locator(".attached-text")).toContainText("it works");
  await expect(ana.locator(".attached-text")).toContainText("each ends with CR LF");
  await expect(ana.locator(".read-to-end")).toHaveAttribute("data-seen", "all");
  await ana.getByRole("button", { name: "Approve" }).click();
  await expect.poll(async () => (await server.poll(id)).approved).toBe(true);
});

for (const [what, file] of [
  ["text", ["run.log", "text/plain", "rm -rf /"]],
  ["picture", ["screen.png", "image/png", png]],
] as [string, [string, string, Buffer | string]][]) {
  test(`a ${what} that was not there is not approved once it is back, and can be denied`, async ({ ana, server, watch }) => {
    // The picture that never comes.
    watch.allow(/status of 409|status of 503/);
    const id = await asked(server, approval, [file]);
    await server.withoutFiles(async () => {
      await ana.goto(`${server.url}/blockers/${id}`);
      await live(ana);
      await expect(ana.locator(".attached-missing")).toContainText("This file is missing");
    });
    const approve = ana.getByRole("button", { name: "Approve" });
    await expect(approve).toBeEnabled();
    await approve.click();
    await expect(ana.locator(".read-to-end")).toHaveAttribute("data-seen", "part");
    expect((await server.poll(id)).state).toBe("pending");
    await ana.getByRole("button", { name: "Deny" }).click();
    await expect.poll(async () => (await server.poll(id)).outcome).toBe("denied");
  });
}

test("a question whose picture is lost is answered without it", async ({ ana, server }) => {
  const id = await asked(server, {}, [["screen.png", "image/png", png]]);
  await server.withoutFiles(async () => {
    await ana.goto(`${server.url}/blockers/${id}`);
    await live(ana);
    await expect(ana.locator(".attached-missing")).toContainText("This file is missing");
  });
  await ana.getByLabel("Your answer").fill("8080");
  await ana.getByRole("button", { name: "Send answer" }).click();
  await expect.poll(async () => (await server.poll(id)).answer?.text).toBe("8080");
});

test("from the dialog an answer goes on with files, and what was typed comes along", async ({ ana, server }) => {
  const { id } = await server.ask();
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  await ana.getByLabel("Your answer").fill("as in the picture");
  const link = ana.getByRole("link", { name: "With files…" });
  await link.focus();
  await ana.keyboard.press("Enter");
  await expect(ana).toHaveURL(`${server.url}/q/${id}?files=`);
  await expect(ana.getByLabel("Your answer")).toHaveValue("as in the picture");
  await ana.getByLabel("A picture or a text").setInputFiles({ name: "screen.png", mimeType: "image/png", buffer: png });
  await ana.getByRole("button", { name: "Send the file" }).click();
  await expect(ana.getByText("One file goes with it.")).toBeVisible();
  await expect(ana.getByLabel("Your answer")).toHaveValue("as in the picture");
  await ana.getByRole("button", { name: "Send answer" }).click();
  await expect(ana.getByText("You answered")).toBeVisible();
  expect((await server.poll(id)).answer).toMatchObject({ text: "as in the picture", attachments: [{ name: "screen.png" }] });
});

test("what was picked comes along with files too", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "choice", prompt: "Which regions?", multiple: true, options: ["eu & us", "ap", "=x"] });
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  for (const name of ["eu & us", "=x"]) await ana.getByRole("checkbox", { name }).check();
  await ana.getByRole("link", { name: "With files…" }).click();
  const picked = async () => {
    await expect(ana.getByRole("checkbox", { name: "eu & us" })).toBeChecked();
    await expect(ana.getByRole("checkbox", { name: "ap" })).not.toBeChecked();
    await expect(ana.getByRole("checkbox", { name: "=x" })).toBeChecked();
  };
  await picked();
  await ana.getByLabel("A picture or a text").setInputFiles({ name: "run.log", mimeType: "text/plain", buffer: Buffer.from("ok\n") });
  await ana.getByRole("button", { name: "Send the file" }).click();
  await expect(ana.getByText("One file goes with it.")).toBeVisible();
  await picked();
  await ana.getByRole("button", { name: "Send answer" }).click();
  await expect(ana.getByText("You answered")).toBeVisible();
  expect((await server.poll(id)).answer).toMatchObject({ selected: ["eu & us", "=x"], attachments: [{ name: "run.log" }] });
});
