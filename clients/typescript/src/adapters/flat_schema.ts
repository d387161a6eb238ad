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
const OBJECT = ["type", "title", "description", "properties", "required", "additionalProperties"];
/** What a schema may say besides, and narrows nothing by. */
export const REMARKS = ["$schema", "$id", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly"];
const [FIELDS, VALUES] = [50, 100];

/**
 * The part of a schema that the server takes; `null` when it is not flat. What narrows a member further, such as a
 * pattern, is left out: the framework looks at the arguments once more.
 */
export function flatSchema(schema: unknown): JsonObject | null {
  if (!isObject(schema) || schema["type"] !== "object" || !isObject(schema["properties"])) return null;
  const names = Object.entries(schema["properties"]);
  const properties = names.map(([name, member]) => [name, flatMember(member)] as const);
  const isClosed = schema["additionalProperties"] ?? true;
  const required = schema["required"] ?? [];
  const isNamed = Array.isArray(required) && required.every((name) => properties.some(([known]) => known === name));
  const isFlat = isNamed && names.length > 0 && names.length <= FIELDS && properties.every(([, member]) => member !== null);
  if (!isFlat || typeof isClosed !== "boolean") return null;
  return { ...kept(schema, OBJECT), properties: Object.fromEntries(properties) as JsonObject };
}

/** Whether the server takes all of it that narrows anything. */
export function isHeld(schema: unknown): boolean {
  if (!isObject(schema) || flatSchema(schema) === null || !hasOnly(schema, OBJECT)) return false;
  return Object.values(schema["properties"] as JsonObject).every((member) => {
    const known = isObject(member) ? KEYWORDS[member["type"] as string] : undefined;
    return hasOnly(member as JsonObject, [...EVERYWHERE, ...(known ?? [])]);
  });
}

/** Whether every object fits it. */
export function isAnyObject(schema: unknown): boolean {
  const isOpen = isObject(schema) && [true, undefined].includes(schema["additionalProperties"] as true | undefined);
  return isOpen && ["object", undefined].includes(schema["type"] as string | undefined) && hasOnly(schema, [...EVERYWHERE, "additionalProperties"]);
}

function hasOnly(schema: JsonObject, known: readonly string[]): boolean {
  return Object.keys(schema).every((name) => known.includes(name) || REMARKS.includes(name));
}

function flatMember(member: unknown): JsonObject | null {
  const type = isObject(member) ? member["type"] : undefined;
  const known = typeof type === "string" ? KEYWORDS[type] : undefined;
  if (!isObject(member) || known === undefined) return null;
  const values = member["enum"];
  const isListed = Array.isArray(values) && values.length > 0 && values.length <= VALUES;
  const isText = values === undefined || (isListed && values.every((one) => typeof one === "string"));
  return isText ? kept(member, [...EVERYWHERE, ...known]) : null;
}

/** Of these keywords alone. What people read has one line there; a longer one is left out. */
function kept(schema: JsonObject, known: readonly string[]): JsonObject {
  const isNote = (name: string) => name === "title" || name === "description";
  const isLine = (value: Json) => typeof value === "string" && /^\S[^\p{C}\u2028\u2029]{0,199}$/u.test(value);
  const entries = Object.entries(schema).filter(([name, value]) => known.includes(name) && (!isNote(name) || isLine(value)));
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
