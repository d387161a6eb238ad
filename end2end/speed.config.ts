// `cargo xtask page-speed`: Lighthouse with the browser of the tests, one page at a time.
import tests, { chromium } from "./playwright.config.ts";

export default { ...tests, ...chromium, testDir: "./speed", workers: 1, timeout: 20 * 60_000 };
