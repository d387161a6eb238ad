// What a screen reader is told of the list, of the overview and of each kind of dialog: the trees stand beside this file.
import { expect, live, notifications, row, test } from "./handraise.ts";

const options = [
  { value: "ttl", label: "TTL", description: "Ten seconds stale." },
  { value: "lru", label: "LRU in process" },
];
const push = (branch: string) => ({ kind: "approval", prompt: "May I?", action: { tool: "Bash", arguments: { command: `git push origin ${branch}` } } });

const asked: Record<string, object> = {
  question: { kind: "question", prompt: "Which **port**?", mode: "sync", priority: "urgent" },
  choice: { kind: "choice", prompt: "Which cache?", options, mode: "sync" },
  "choice of several": { kind: "choice", prompt: "Which caches?", options, multiple: true, mode: "async" },
  approval: push("main"),
  "plan review": { kind: "plan_review", prompt: "May I?", plan: "# Move\n\n1. Copy\n2. Delete" },
  acknowledgement: { kind: "acknowledgement", prompt: "The night's run is done.", mode: "async" },
  form: { kind: "form", prompt: "Two things", questions: [{ id: "a", prompt: "Which?", options }, { id: "b", prompt: "Why?" }] },
};

for (const [name, body] of Object.entries(asked)) {
  test(`of a dialog: ${name}`, async ({ ana, server }) => {
    const { id } = await server.ask(body);
    await ana.goto(`${server.url}/blockers/${id}`);
    await live(ana);
    await expect(ana.getByRole("dialog")).toMatchAriaSnapshot({ name: `${name}.aria.yml` });
  });
}

test("of an answer", async ({ ana, server }) => {
  const { id } = await server.ask({ kind: "choice", prompt: "Which cache?", options });
  await server.answer(id, { selected: ["lru"] });
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  await expect(ana.getByRole("dialog")).toMatchAriaSnapshot({ name: "answer.aria.yml" });
});

test("of several that are the same, of the list and of the overview", notifications, async ({ ana, server }) => {
  for (const branch of ["release-1", "release-2"]) await server.ask(push(branch));
  await server.ask({ prompt: "Which port?", timeout_seconds: 600, mode: "sync", priority: "urgent" });
  await expect(row(ana, "Which port?")).toBeVisible();
  await expect(ana.getByRole("complementary")).toMatchAriaSnapshot({ name: "list.aria.yml" });
  await expect(ana.getByRole("main")).toMatchAriaSnapshot({ name: "overview.aria.yml" });
  await row(ana, "git push").locator("a").click();
  await expect(ana.getByRole("dialog")).toContainText("git push origin release-2");
  await expect(ana.getByRole("dialog")).toMatchAriaSnapshot({ name: "group.aria.yml" });
});
