// `cargo xtask screenshot`: the browser of the tests, set to take pictures.
import tests, { chromium } from "./playwright.config.ts";

export default { ...tests, ...chromium, testDir: "./screenshots" };
