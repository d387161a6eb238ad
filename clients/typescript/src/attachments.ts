/** Files that go with a question: pictures, texts and differences, sent before it. */

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";

import { HandraiseError } from "./errors.js";
import type { Request } from "./exchange.js";
import type { Attachment } from "./models.js";
import { type AnyPath, pathOf } from "./operands.js";

/** Bytes. */
export const LARGEST = 5 * 1024 * 1024;

const PICTURES: readonly (readonly [begins: string, mediaType: string])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
];

/** The name of a file without its path, and its bytes. */
export async function readAttachment(path: AnyPath): Promise<{ name: string; content: Uint8Array<ArrayBuffer> }> {
  const place = pathOf(path);
  // So that a large one is not in memory before it is refused.
  const { size } = await stat(place);
  if (size > LARGEST) throw new RangeError(`${place} has ${size} bytes, at most ${LARGEST} can be attached`);
  return { name: basename(place), content: Uint8Array.from(await readFile(place)) };
}

/** What a file is, by what is in it. Throws `TypeError` for what people cannot be shown. */
export function mediaTypeOf(name: string, content: Uint8Array): string {
  const begin = Buffer.from(content.subarray(0, 12));
  for (const [begins, mediaType] of PICTURES) {
    if (begin.toString("hex").startsWith(begins)) return mediaType;
  }
  if (begin.toString("latin1", 0, 4) === "RIFF" && begin.toString("latin1", 8, 12) === "WEBP") return "image/webp";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new TypeError(`${name} is neither a picture that people can be shown nor a text in UTF-8`);
  }
  return /\.(diff|patch)$/.test(name) ? "text/x-diff" : "text/plain";
}

/** The request that sends a file. */
export function sendingOf(name: string, content: Uint8Array<ArrayBuffer>, mediaType?: string): Request {
  return {
    method: "POST",
    path: `/attachments?${new URLSearchParams({ name })}`,
    body: content,
    headers: { "Content-Type": mediaType ?? mediaTypeOf(name, content) },
  };
}

/** What the server keeps of it. A text stays as it is; a picture is encoded anew, so it cannot be compared. Throws
 * `HandraiseError` when it is something else. */
export function expectKept(kept: Attachment, name: string, content: Uint8Array): Attachment {
  const isSame = kept.sha256 === createHash("sha256").update(content).digest("hex");
  if (kept.name !== name || !(isSame || kept.type.startsWith("image/"))) {
    throw new HandraiseError(`the server keeps something else than ${name}, so it is not attached`);
  }
  return kept;
}
