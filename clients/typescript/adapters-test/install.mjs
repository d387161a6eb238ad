// Puts the client, as it is built, beside the frameworks: as npm does, a copy and no link, so that it finds them.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const client = fileURLToPath(new URL("..", import.meta.url));
const place = fileURLToPath(new URL("node_modules/handraise/", import.meta.url));
rmSync(place, { recursive: true, force: true });
mkdirSync(place);
for (const part of ["dist", "package.json"]) cpSync(`${client}${part}`, `${place}${part}`, { recursive: true });
