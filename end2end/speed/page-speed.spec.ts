// Measures, and judges nothing: how fast a page is depends on the machine.
import { createServer, type AddressInfo } from "node:net";

import { chromium, type BrowserContext } from "@playwright/test";
import lighthouse, { type Result } from "lighthouse";

import { acceptLink, live, test, type Server } from "../tests/handraise.ts";

const runs = 3;
const categories = ["performance", "accessibility", "best-practices", "seo"] as const;
const metrics = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"] as const;

test("how fast pages are on a phone", async ({ server }, { project }) => {
  const port = await freePort();
  const { executablePath, args = [] } = project.use.launchOptions ?? {};
  // Lighthouse's own tab has the session of this one.
  const browser = await chromium.launchPersistentContext("", {
    executablePath,
    args: [...args, `--remote-debugging-port=${port}`],
  });
  try {
    console.log(`| page | ${categories.join(" | ")} | ${metrics.join(" | ")} |`);
    console.log(`|---|${"---|".repeat(categories.length + metrics.length)}`);
    await measure("sign-in", `${server.url}/sign-in`, port);
    await signIn(server, browser);
    const { id } = await server.ask({ prompt: "Which **latency target** should I optimise for?", mode: "sync" });
    await measure("one question", `${server.url}/blockers/${id}`, port);
    await askUntil(server, 28);
    await measure("desk, 28 waiting", server.url, port);
    await askUntil(server, 400);
    await measure("desk, 400 waiting", server.url, port);
  } finally {
    await browser.close();
  }
});

/** The run in the middle, by its performance. */
async function measure(name: string, url: string, port: number): Promise<void> {
  const results: Result[] = [];
  while (results.length < runs) {
    // Applied, not reckoned from a run without limits: that takes what has arrived early for what is waited for.
    const run = await lighthouse(url, { port, logLevel: "error", throttlingMethod: "devtools" });
    if (run === undefined || run.lhr.runtimeError) throw new Error(`${name}: ${run?.lhr.runtimeError?.message}`);
    results.push(run.lhr);
  }
  const score = (result: Result, category: string) => Math.round((result.categories[category].score ?? 0) * 100);
  results.sort((one, other) => score(one, "performance") - score(other, "performance"));
  const median = results[Math.floor(runs / 2)];
  const scores = categories.map((category) => score(median, category));
  const times = metrics.map((metric) => median.audits[metric].displayValue);
  console.log(`| ${[name, ...scores, ...times].join(" | ")} |`);
  for (const category of categories.slice(1)) {
    for (const { id, weight } of median.categories[category].auditRefs) {
      const { score, title } = median.audits[id];
      if (weight > 0 && score !== null && score < 0.9) console.log(`  ${category}: ${title}`);
    }
  }
}

async function signIn(server: Server, browser: BrowserContext): Promise<void> {
  const page = await browser.newPage();
  await acceptLink(page, await server.invite("Ana"));
  await live(page);
  await page.close();
}

let asked = 1;

async function askUntil(server: Server, count: number): Promise<void> {
  for (; asked < count; asked += 1) {
    await server.ask({ prompt: `Question ${asked}: may I go on with part ${asked} of the move?`, session_id: `s${asked % 9}` });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((then) => server.listen(0, "127.0.0.1", then));
  const { port } = server.address() as AddressInfo;
  await new Promise((then) => server.close(then));
  return port;
}
