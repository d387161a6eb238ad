// `cargo xtask firefox`: Firefox's own push client and service worker. It sets FIREFOX and SERVER_BINARY.
import tests, { chromium } from "./playwright.config.ts";

export default { ...tests, ...chromium, testDir: "./firefox", workers: 1, timeout: 2 * 60_000 };
