// The table adapter × case in docs/adapters.md, between its two marks.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const PAGE = join(HERE, "../../../docs/adapters.md");
const [BEGIN, END] = ["<!-- typescript: begin -->", "<!-- typescript: end -->"];

/** The version that is installed, which npm notes in the lock file. */
function version(framework) {
  const lock = JSON.parse(readFileSync(join(HERE, "package-lock.json"), "utf8"));
  return lock.packages[`node_modules/${framework}`].version;
}

/** Writes the table with WRITE_TABLE, else compares it with what passed. */
export function table(adapters, cases, passed) {
  const head = ["case", ...adapters.map(({ name, framework }) => `\`${name}\` (${framework} ${version(framework)})`)];
  const rows = cases.map((what) => [what, ...adapters.map(({ name }) => (passed.get(`${what}\n${name}`) ?? ["-"]).join(", "))]);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest.split(END)[1];
  const now = `${before}${BEGIN}\n${lines.join("\n")}\n${END}${after}`;
  if (process.env.WRITE_TABLE) writeFileSync(PAGE, now);
  else assert.equal(page, now, "the table in docs/adapters.md says something else: run with WRITE_TABLE=1");
}
