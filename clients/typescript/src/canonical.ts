/** The one form of a JSON value (RFC 8785), and the digests of what is decided on. What runs an approved action relies
 * on it. */

import { createHash } from "node:crypto";

import { NotJson } from "./errors.js";
import type { Attachment, Json, JsonObject, Operand } from "./models.js";

/** Far more than the server takes, and far less than the stack: what is nested deeper contains itself. */
const DEEPEST = 100;

/** The RFC 8785 form of a JSON value. Throws `NotJson` for what JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  return written(snapshot(value));
}

/** `sha256:` and the hex of SHA-256 over the canonical form of the action, as the server makes it. Throws `NotJson`. */
export function actionDigest(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  operands: readonly Operand[] = [],
  attachments: readonly Attachment[] = [],
): string {
  const action: Record<string, unknown> = { tool, arguments: args };
  if (operands.length > 0) action["operands"] = operands.map(({ name, sha256, size }) => ({ name, sha256, size }));
  if (attachments.length > 0) action["attachments"] = attachments.map(kept);
  return digest(canonicalJson(action));
}

/** `sha256:` and the hex of SHA-256 over the plan's bytes. */
export function planDigest(plan: string): string {
  return digest(plan);
}

/** `sha256:` and the hex of SHA-256 over the canonical form of their list; `null` of none. */
export function attachmentsDigest(attachments: readonly Attachment[]): string | null {
  return attachments.length > 0 ? digest(canonicalJson(attachments.map(kept))) : null;
}

/** What is decided of a file: not its id, which another try would change. */
function kept({ name, type, size, sha256 }: Attachment): JsonObject {
  return { name, type, size, sha256 };
}

function digest(content: string): string {
  return `sha256:${createHash("sha256").update(content, "utf8").digest("hex")}`;
}

/**
 * A copy that nobody else holds, of plain JSON types alone; `replace` may turn other objects into JSON first.
 *
 * Each member is read once. Objects of classes are refused, and so is what has a `toJSON` of its own: they would be
 * shown as one thing and run as another. A member that is `undefined` is none. Throws `NotJson`, with the place.
 */
export function snapshot(value: unknown, path = "$", replace: (value: object) => unknown = (it) => it): Json {
  return copied(value, path, replace, 0);
}

/** `snapshot` of an object. */
export function snapshotObject(
  value: unknown,
  path: string,
  replace: (value: object) => unknown = (it) => it,
): JsonObject {
  const copy = snapshot(value, path, replace);
  if (typeof copy !== "object" || copy === null || Array.isArray(copy)) {
    throw new NotJson(`${path} is no object with a member for each argument`);
  }
  return copy as JsonObject;
}

function copied(value: unknown, path: string, replace: (value: object) => unknown, depth: number): Json {
  if (depth > DEEPEST) throw new NotJson(`${path} is nested too deeply, or contains itself`);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return text(value, path);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new NotJson(`${path}: JSON has no ${value}`);
    // JSON has no negative zero that every program keeps.
    return value === 0 ? 0 : value;
  }
  if (typeof value !== "object") {
    const hint = typeof value === "bigint" ? "; make it a string" : "";
    throw new NotJson(`${path} is of the type ${typeof value}, which JSON does not have${hint}`);
  }
  const plain = replace(value);
  if (plain !== value) return copied(plain, path, (it) => it, depth);
  if (Array.isArray(value)) {
    if (Object.getPrototypeOf(value) !== Array.prototype) throw refusedClass(value, path);
    return Array.from({ length: value.length }, (_, n) => copied(value[n], `${path}[${n}]`, replace, depth + 1));
  }
  return copiedObject(value, path, replace, depth);
}

function copiedObject(value: object, path: string, replace: (value: object) => unknown, depth: number): JsonObject {
  if (!isPlain(value)) throw refusedClass(value, path);
  const members: [string, Json][] = [];
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key !== "string") throw new NotJson(`${path} has the key ${String(key)}; JSON has strings as keys`);
    if (!Object.prototype.propertyIsEnumerable.call(value, key)) continue;
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) {
      members.push([text(key, path), copied(member, `${path}.${key}`, replace, depth + 1)]);
    }
  }
  // Unlike an assignment this makes a member of `__proto__`, too.
  return Object.fromEntries(members);
}

/** Whether this is an object as `{}` makes it, also one of another realm, as frameworks have them. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refusedClass(value: object, path: string): NotJson {
  const kind = value.constructor?.name ?? "object";
  const hint = value instanceof Set || value instanceof Map ? "; make it a list" : "";
  return new NotJson(`${path} is of the type ${kind}, which JSON does not have${hint}`);
}

function text(value: string, path: string): string {
  if (/\p{Surrogate}/u.test(value)) throw new NotJson(`${path}: half a surrogate pair is no character`);
  return value;
}

function written(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = value as JsonObject;
    // RFC 8785, section 3.2.3: by UTF-16 code units, which is how JavaScript compares strings.
    const keys = Object.keys(members).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${written(members[key] as Json)}`).join(",")}}`;
  }
  // The RFC writes numbers and strings as this does.
  return JSON.stringify(value);
}
