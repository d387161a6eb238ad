// What was answered before: under a question, by a key, and by itself where its author lets it stand; and a grant that is offered.
import { expect, expectLegible, looks, submitByKey, test, type Server } from "./handraise.ts";

const port = "Which port should the cache listen on?";
const asking = (server: Server, prompt: string) => server.ask({ kind: "question", prompt });

test("an earlier answer is taken by a key, and sent only by its reader", async ({ server, ana }) => {
  const earlier = await asking(server, port);
  await server.answer(earlier.id, { text: "6380" });
  const asked = await asking(server, "What port should the cache listen on?");
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await expect(ana.getByText("Answered before")).toBeVisible();
  const area = ana.getByLabel("Your answer");
  await expect(area).toBeFocused();
  await ana.keyboard.press("Alt+u");
  await expect(area).toHaveValue("6380");
  // What was typed stays.
  await area.fill("Perhaps");
  await ana.getByRole("button", { name: "Use this answer" }).click();
  await expect(area).toHaveValue("Perhaps\n6380");
  await submitByKey(ana);
  await expect.poll(async () => (await server.poll(asked.id)).answer?.text, { timeout: 15_000 }).toBe("Perhaps\n6380");
});

test("an answer stands for the same question until it is revoked", async ({ server, ana }) => {
  const asked = await asking(server, port);
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await ana.getByLabel("Your answer").fill("6380");
  await ana.getByRole("button", { name: "Send answer" }).click();
  await expect.poll(async () => (await server.poll(asked.id)).state, { timeout: 15_000 }).toBe("resolved");
  await ana.goto(`${server.url}/blockers/${asked.id}`);
  await ana.getByRole("link", { name: "The same question" }).click();
  await ana.getByLabel("For how many days").fill("3");
  await ana.getByRole("button", { name: "Answer it by itself" }).click();
  await expect(ana.getByRole("status")).toContainText("It stands");
  const told = await asking(server, port);
  expect(told).toMatchObject({ state: "resolved", answer: { text: "6380", responder: { name: "Ana" } } });
  await ana.goto(`${server.url}/interactions/${told.id}`);
  await expect(ana.getByText(/Answered by Ana’s answer of/)).toBeVisible();
  await ana.goto(`${server.url}/settings/memories`);
  await expect(ana.getByText("used once in the last seven days")).toBeVisible();
  await ana.getByRole("button", { name: "Revoke" }).click();
  await expect(ana.getByRole("status")).toContainText("Nothing is answered by it any more");
  expect((await asking(server, port)).state).toBe("pending");
});

test("what was answered before is legible in both themes and on a phone", async ({ server, signIn }) => {
  const earlier = await asking(server, port);
  await server.answer(earlier.id, { text: "6380, and 6381 where two of them stand on one machine." });
  const asked = await asking(server, "What port should the cache listen on?");
  for (const [n, [colorScheme, width]] of looks.entries()) {
    const page = await signIn(`Ana ${n}`, { role: "responder", colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${server.url}/blockers/${asked.id}`);
    await expect(page.getByText("Answered before")).toBeVisible();
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`answered-before-${colorScheme}-${width}.png`), fullPage: true });
    await page.goto(`${server.url}/q/${asked.id}?files=`);
    await expect(page.getByText("Answered before")).toBeVisible();
    await expectLegible(page);
    await page.screenshot({ path: test.info().outputPath(`answered-before-quick-${colorScheme}-${width}.png`), fullPage: true });
  }
});
