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
