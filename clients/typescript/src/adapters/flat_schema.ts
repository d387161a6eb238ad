/** The flat JSON Schemas by which the server holds a person's changes against a tool before they count, and which give
 * people a form: an object of texts, numbers and flags. */

import type { Json, JsonObject } from "../models.js";

/** What the server understands of a member, by its type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "enum"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
};
const EVERYWHERE = ["type", "title", "description"];
/** What says nothing of which values fit. */
const ANNOTATIONS = ["$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly", "format"];
const OBJECT = ["type", "title", "description", "properties", "required", "additionalProperties"];
const [FIELDS, VALUES] = [50, 100];

/**
 * The part of a schema that the server takes; `null` when it is not flat. What narrows a member further, such as a
 * pattern, is left out with `isCheckedLater`: a framework looks at the arguments once more. Else it is not flat.
 */
export function flatSchema(schema: unknown, { isCheckedLater }: { isCheckedLater: boolean }): JsonObject | null {
  if (!isObject(schema) || schema["type"] !== "object" || !isObject(schema["properties"])) return null;
  const own = kept(schema, OBJECT, isCheckedLater);
  const names = Object.entries(schema["properties"]);
  const properties = names.map(([name, member]) => [name, flatMember(member, isCheckedLater)] as const);
  const isClosed = schema["additionalProperties"] ?? true;
  const isFlat = names.length > 0 && names.length <= FIELDS && properties.every(([, member]) => member !== null);
  if (own === null || !isFlat || typeof isClosed !== "boolean") return null;
  return { ...withoutNotes(own), properties: Object.fromEntries(properties) as JsonObject };
}

function flatMember(member: unknown, isCheckedLater: boolean): JsonObject | null {
  const type = isObject(member) ? member["type"] : undefined;
  const known = typeof type === "string" ? KEYWORDS[type] : undefined;
  if (!isObject(member) || known === undefined) return null;
  const values = member["enum"];
  const isListed = Array.isArray(values) && values.length > 0 && values.length <= VALUES;
  const isText = values === undefined || (isListed && values.every((one) => typeof one === "string"));
  const flat = kept(member, [...EVERYWHERE, ...known], isCheckedLater);
  return isText && flat !== null ? withoutNotes(flat) : null;
}

/** What people read has one line there; a longer one is left out. */
function withoutNotes(member: JsonObject): JsonObject {
  const notes = ["title", "description"].filter((name) => !/^\S[^\p{C}\u2028\u2029]{0,199}$/u.test(String(member[name] ?? "-")));
  return Object.fromEntries(Object.entries(member).filter(([name]) => !notes.includes(name)));
}

function kept(schema: JsonObject, known: readonly string[], isCheckedLater: boolean): JsonObject | null {
  const others = Object.keys(schema).filter((name) => !known.includes(name) && !ANNOTATIONS.includes(name));
  if (others.length > 0 && !isCheckedLater) return null;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => known.includes(name)));
}

export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
