// `cargo xtask e2e` sets CHROMIUM and SERVER_BINARY. There is no web server here: each test starts
// its own through a fixture, on a port and a database of its own.
import { defineConfig, devices } from "@playwright/test";

export default defineConfig({
  testDir: "./tests",
  timeout: 60_000,
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
    {
      name: "chromium",
      use: {
        ...devices["Desktop Chrome"],
        launchOptions: {
          executablePath: process.env.CHROMIUM,
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
      },
    },
  ],
});
