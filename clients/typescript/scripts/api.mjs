// Makes src/api.ts of docs/openapi.json. A test compares the two.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const UNKNOWN = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);

/** The text of src/api.ts, as the API is now. */
export async function apiTypes() {
  const document = await readFile(new URL("../../../docs/openapi.json", import.meta.url), "utf8");
  const types = await openapiTS(JSON.parse(document), {
    // Any JSON there is, which this tool would write as a type of itself.
    transform: (_, { path }) => (path === "#/components/schemas/ExactJson" ? UNKNOWN : undefined),
  });
  return `// Made of docs/openapi.json by scripts/api.mjs: \`npm run api\`.\n\n${astToString(types)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(new URL("../src/api.ts", import.meta.url), await apiTypes());
}
