// `cargo xtask screenshot`: the browser of the tests, set to take pictures.
import tests from "./playwright.config.ts";

export default { ...tests, testDir: "./screenshots" };
