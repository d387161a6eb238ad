// `cargo xtask e2e` sets CHROMIUM, CHROMIUM_HEADLESS_SHELL where there is one, and SERVER_BINARY. There is no web server here: each
// test starts its own through a fixture, on a port and a database of its own.
import { defineConfig, devices } from "@playwright/test";

/** A browser that is not sandboxed and calls nowhere. */
const browser = (executablePath = process.env.CHROMIUM) => ({
  ...devices["Desktop Chrome"],
  launchOptions: {
    executablePath,
    args: [
      // Chromium refuses to run as root with its sandbox, as it has to in containers.
      "--no-sandbox",
      "--disable-gpu",
      // The rest keeps it from calling home, which on a closed network means waiting.
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  },
});

/** All of Chromium, one after the other: to measure, to take pictures, to watch. */
export const chromium = { projects: [{ name: "chromium", use: browser() }] };

export default defineConfig({
  testDir: "./tests",
  // Some take 40 s beside two others; machines are half as fast now and then.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  // One more than the machines this runs on have cores: a test waits for its server or its browser now and then.
  workers: 3,
  fullyParallel: true,
  // A test that passes at the second try is a bug in the test or in the page.
  retries: 0,
  forbidOnly: true,
  reporter: "list",
  use: {
    // Recording every test takes a sixth of the time; `--trace on` records those that are chosen.
    trace: "off",
  },
  projects: [
    // Two thirds of the time, but it denies every page to notify.
    { name: "headless shell", use: browser(process.env.CHROMIUM_HEADLESS_SHELL), grepInvert: /@notifications/ },
    { name: "chromium", use: browser(), grep: /@notifications/ },
  ],
});
