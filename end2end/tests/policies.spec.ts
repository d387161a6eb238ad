// Policies: an admin writes rules on a page, tries them, puts them in force, and people see the reason before they decide.
import { expect, expectLegible, looks, test, type Server } from "./handraise.ts";

const rules = `
[[rules]]
name = "no force"
then = "forbid"
reason = "History that others have stays as it is."
when = { tools = ["Bash"], arguments = [{ has = { words = ["git", "push", "--force"] } }] }
match = [{ tool = "Bash", arguments = { command = "git push --force" } }]
not_match = [{ tool = "Bash", arguments = { command = "git push" } }]

[[rules]]
name = "data of customers"
destructive = true
reason = "It deletes what customers have."
when = { tools = ["Bash"], arguments = [{ has = { words = ["make", "seed"] } }] }
match = [{ tool = "Bash", arguments = { command = "make seed" } }]
not_match = [{ tool = "Bash", arguments = { command = "make test" } }]
`;

const asking = (server: Server, command: string) =>
  server.ask({
    kind: "approval",
    prompt: `May \`${command}\` run?`,
    action: { tool: "Bash", arguments: { command } },
  });

test("rules are tried, put in force, and said before a decision", async ({ server, signIn, watch }) => {
  watch.allow(/status of 422/);
  const before = await asking(server, "git push --force");
  await server.answer(before.id, { approved: true });
  const root = await signIn("Root", { role: "admin" });
  await root.goto(`${server.url}/settings/teams`);
  await root.getByRole("link", { name: "What is forbidden, asked and allowed" }).click();
  const text = root.getByLabel("All rules that are set here, in TOML");
  await text.fill(`${rules}\n[[rules]]\nname = "everything"\nthen = "forbid"\nreason = "No."\nwhen = {}\n`);
  await root.getByRole("button", { name: "Put in force" }).click();
  await expect(root.getByRole("alert")).toContainText("rules[2].when would match everything");
  await text.fill(rules);
  await root.getByRole("button", { name: "Try on the last 30 days" }).click();
  await expect(root.getByRole("status")).toContainText("A person decided the other way.");
  expect((await asking(server, "git push --force")).state).toBe("pending");
  await root.getByRole("button", { name: "Put in force" }).click();
  await expect(root.getByRole("status")).toContainText("In force, on all servers");

  const denied = await asking(server, "git push origin --force");
  expect(denied).toMatchObject({ state: "resolved", outcome: "denied", approved: false });
  expect(denied.answer?.text).toBe("History that others have stays as it is.");
  await root.goto(`${server.url}/interactions/${denied.id}`);
  await expect(root.getByText("Denied by the policy “no force”")).toBeVisible();

  const asked = await asking(server, "make seed");
  await root.goto(`${server.url}/blockers/${asked.id}`);
  await expect(root.getByText("It deletes what customers have.")).toBeVisible();
  await root.goto(`${server.url}/q/${asked.id}`);
  await expect(root.getByText("It deletes what customers have.")).toBeVisible();
});

test("policies are legible in both themes and on a phone", async ({ server, signIn }) => {
  for (const [n, [colorScheme, width]] of looks.entries()) {
    const page = await signIn(`Root ${n}`, { role: "admin", colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${server.url}/settings/policies`);
    await page.getByLabel("All rules that are set here, in TOML").fill(`${rules}# ${n}`);
    await page.getByRole("button", { name: "Put in force" }).click();
    await asking(server, "git push --force");
    await page.goto(`${server.url}/settings/policies`);
    await page.locator("summary").first().click();
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`policies-${colorScheme}-${width}.png`), fullPage: true });
    const asked = await asking(server, `make seed ${n}`);
    await page.goto(`${server.url}/blockers/${asked.id}`);
    await expect(page.getByText("It deletes what customers have.")).toBeVisible();
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`asked-${colorScheme}-${width}.png`), fullPage: true });
  }
});
