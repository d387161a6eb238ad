// Cookies know no ports: what else listens on this machine must not get ours.
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";

import { acceptLink, expect, live, test } from "./handraise";

test("the printed link signs in, and its cookie goes to no other server on the machine", async ({
  openBrowser,
  server,
}) => {
  const printed = await server.invite("Vic", "viewer");
  const page = await openBrowser();
  await acceptLink(page, printed.replace(server.url, server.printedUrl()));
  await live(page);
  const held = await page.context().cookies(server.printedUrl());
  expect(held.map((cookie) => cookie.domain)).toContain("handraise.localhost");
  // The address itself has no session.
  expect(await page.context().cookies(server.url)).toEqual([]);

  // A page that an agent may serve: it writes down the cookies it is sent.
  const sent: string[] = [];
  const neighbour = createServer((request, response) => {
    sent.push(request.headers.cookie ?? "");
    response.end("<!doctype html><title>Neighbour</title>");
  });
  await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = neighbour.address() as AddressInfo;
    // Not one of our pages, so its faults are not watched.
    const other = await page.context().newPage();
    for (const host of ["127.0.0.1", "localhost", "other.localhost"]) {
      await other.goto(`http://${host}:${port}/`);
    }
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(sent.filter((cookies) => cookies.includes("session"))).toEqual([]);
  } finally {
    neighbour.closeAllConnections();
    neighbour.close();
  }
});
