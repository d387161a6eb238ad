// Standing approvals: from an approval on the desk to what it approves, and its end.
import { expect, expectLegible, looks, test, type Server } from "./handraise.ts";

const asking = (server: Server, command: string) =>
  server.ask({
    kind: "approval",
    prompt: `May \`${command}\` run?`,
    session_id: "run-1",
    action: { tool: "Bash", arguments: { cwd: "/srv/shop", input: { command, description: "as it says" } } },
  });

test("the next ones like an approval are approved ahead, and not any more once that is revoked", async ({ server, ana }) => {
  const asked = await asking(server, "cargo test -p store");
  await server.answer(asked.id, { approved: true });
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await ana.getByRole("link", { name: "And the next ones like this" }).click();
  await ana.getByRole("radio", { name: "Others like it" }).last().check();
  await ana.getByRole("radio", { name: "7 days" }).check();
  await ana.getByRole("button", { name: "Approve them ahead" }).click();
  await expect(ana.getByRole("status")).toContainText("Approved ahead");

  const next = await asking(server, "cargo test -p domain");
  expect(next).toMatchObject({ state: "resolved", approved: true });
  const alike = await asking(server, "cargo test; rm -rf /");
  expect(alike.state).toBe("pending");
  await ana.goto(`${server.url}/interactions/${next.id}`);
  await expect(ana.getByText(/Approved by Ana’s grant of/)).toBeVisible();

  await ana.goto(`${server.url}/settings/grants`);
  await expect(ana.getByText("used once in the last seven days")).toBeVisible();
  await ana.getByRole("link", { name: "which" }).click();
  await expect(ana.getByRole("link", { name: "May `cargo test -p domain` run?" })).toBeVisible();
  await ana.getByRole("button", { name: "Revoke" }).click();
  await expect(ana.getByRole("status")).toContainText("Nothing is approved by it any more");
  expect((await asking(server, "cargo test -p domain")).state).toBe("pending");
});

test("what is approved ahead is legible in both themes and on a phone", async ({ server, signIn }) => {
  const denied = await asking(server, "cargo test slow");
  await server.answer(denied.id, { approved: false });
  const asked = await asking(server, "cargo test -p store");
  await server.answer(asked.id, { approved: true });
  for (const [n, [colorScheme, width]] of looks.entries()) {
    const page = await signIn(`Ana ${n}`, { role: "responder", colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${server.url}/settings/grants/new?from=${asked.id}`);
    await expect(page.getByText("One of them was denied.").first()).toBeVisible();
    for (const more of await page.locator("summary").all()) await more.click();
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`offers-${colorScheme}-${width}.png`), fullPage: true });
    await page.getByRole("radio", { name: "Exactly this again" }).check();
    await page.getByRole("button", { name: "Approve them ahead" }).click();
    await asking(server, "cargo test -p store");
    await page.goto(`${server.url}/settings/grants`);
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`grants-${colorScheme}-${width}.png`), fullPage: true });
  }
});
