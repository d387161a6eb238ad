import { expect, live, row, submitByKey, test, unreachable } from "./handraise.ts";

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`the page catches up after a restart (${signal})`, async ({ ana, server, watch }) => {
    watch.allow(unreachable);
    const gone = await server.ask({ prompt: "Asked before" });
    await expect(row(ana, "Asked before")).toBeVisible();
    await row(ana, "Asked before").click();
    await ana.getByLabel("Your answer").fill("typed while it was up");
    await server.stop(signal);
    await expect(ana.locator(".live")).toHaveText(/Reconnecting…|No answer from the server/);
    await expect(ana.locator(".live")).toHaveText(/No answer from the server for \d+ s/);
    // Sending does not work, and loses nothing.
    await submitByKey(ana, Promise.resolve());
    await expect(ana.getByRole("alert").first()).toContainText("cannot be reached");
    await expect(ana.getByLabel("Your answer")).toHaveValue("typed while it was up");

    await server.restart();
    await server.ask({ prompt: "Asked meanwhile" });
    await live(ana);
    await expect(ana.getByRole("alert").first()).not.toContainText("cannot be reached");
    await expect(row(ana, "Asked meanwhile")).toHaveCount(1);
    await expect(row(ana, "Asked before")).toHaveCount(1);
    await submitByKey(ana);
    await expect(ana.getByRole("dialog")).toContainText("Asked meanwhile");
    expect((await server.poll(gone.id)).answer?.text).toBe("typed while it was up");
    await expect(ana.locator(".row")).toHaveCount(1);
  });
}

test("without a socket the page polls and says so", async ({ server, signIn }) => {
  const ana = await signIn("Ana");
  await ana.routeWebSocket(/\/ws$/, (socket) => socket.close());
  await ana.reload();
  await expect(ana.locator(".live")).toHaveText("Polling every 5 s");
  await server.ask({ prompt: "Seen all the same" });
  await expect(row(ana, "Seen all the same")).toHaveCount(1, { timeout: 10_000 });
});
