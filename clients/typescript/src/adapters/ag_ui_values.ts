/** How people are asked for a value that an interrupt has a schema for, and whether what they say fits it. */

import { HandraiseError } from "../errors.js";
import type { Answer, JsonObject } from "../models.js";
import type { Fields } from "../options.js";
import { there } from "../steps.js";
import type { Interrupt } from "./ag_ui_shapes.js";
import { flatSchema, isObject } from "./flat_schema.js";

/** How a value is asked for, and read. */
export interface Asking {
  readonly kind: "question" | "choice" | "form";
  readonly fields: Fields;
  /** The value; what does not fit is said in `faults`. */
  read(answer: Answer, faults: string[]): unknown;
}

const LEFT_OUT = "(leave out)";
const MOST = 10;

/** Throws `HandraiseError` when people cannot be asked for this. */
export function askingFor(interrupt: Interrupt): Asking {
  const schema = interrupt.responseSchema;
  if (schema === undefined) return { kind: "question", fields: {}, read: ({ text }) => there(text) };
  if (schema["type"] !== "object") {
    const flat = flatSchema({ type: "object", properties: { value: schema } }, { isCheckedLater: false });
    const member = memberIn(flat, "value", interrupt);
    const options = optionsOf(member);
    if (options === undefined) return { kind: "question", fields: {}, read: ({ text }, faults) => value(there(text), member, "the answer", faults) };
    if (options.length < 2) return misfit(interrupt, "has one value alone, so there is nothing to choose");
    const read = ({ selected }: Answer, faults: string[]) => value(there(there(selected)[0] ?? null), member, "the answer", faults);
    return { kind: "choice", fields: { options }, read };
  }
  return form(interrupt, flatSchema(schema, { isCheckedLater: false }));
}

function form(interrupt: Interrupt, flat: JsonObject | null): Asking {
  const properties = flat?.["properties"];
  if (!isObject(properties)) return misfit(interrupt, "is not a flat object of texts, numbers and flags");
  const required = flat?.["required"];
  const members = Object.keys(properties).map((name) => ({
    name,
    member: memberIn(flat, name, interrupt),
    isRequired: Array.isArray(required) && required.includes(name),
  }));
  if (members.length > MOST) return misfit(interrupt, `has ${members.length} members, and a form has ${MOST} at most`);
  const questions = members.map(({ name, member, isRequired }, at) => {
    const said = [member["title"] ?? name, member["description"]].filter((one) => one !== undefined).join(": ");
    const options = optionsOf(member);
    if (options !== undefined) return { id: `q${at}`, prompt: said, options: isRequired && options.length > 1 ? options : [...options, LEFT_OUT] };
    return { id: `q${at}`, prompt: isRequired ? said : `${said} (may be empty)` };
  });
  const read = ({ answers }: Answer, faults: string[]) => {
    const given = there(answers);
    const read = members.map(({ name, member, isRequired }, at) => {
      const text = given[`q${at}`];
      if (typeof text !== "string") throw new HandraiseError("this form lacks an answer");
      const isThere = text !== LEFT_OUT && (text !== "" || (isRequired && member["type"] === "string"));
      if (!isThere && isRequired) faults.push(`\`${name}\` is required`);
      return isThere ? [[name, value(text, member, `\`${name}\``, faults)] as const] : [];
    });
    return Object.fromEntries(read.flat());
  };
  return { kind: "form", fields: { questions }, read };
}

function memberIn(flat: JsonObject | null, name: string, interrupt: Interrupt): JsonObject {
  const properties = flat?.["properties"];
  const member = isObject(properties) ? properties[name] : undefined;
  return isObject(member) ? member : misfit(interrupt, "is none that people can be asked for: texts, numbers, flags, or a flat object of them");
}

function optionsOf(member: JsonObject): readonly string[] | undefined {
  if (member["type"] === "boolean") return ["true", "false"];
  return member["enum"] as readonly string[] | undefined;
}

function value(text: string, member: JsonObject, name: string, faults: string[]): unknown {
  if (member["type"] === "boolean") return text === "true";
  const least = (keyword: string) => (member[keyword] as number | undefined) ?? -Infinity;
  const most = (keyword: string) => (member[keyword] as number | undefined) ?? Infinity;
  if (member["type"] === "string") {
    const length = [...text].length;
    if (length < least("minLength")) faults.push(`${name} must have ${least("minLength")} characters at least`);
    if (length > most("maxLength")) faults.push(`${name} must have ${most("maxLength")} characters at most`);
    return text;
  }
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) faults.push(`${name} must be a number`);
  else if (member["type"] === "integer" && !Number.isInteger(number)) faults.push(`${name} must be a whole number`);
  else if (number < least("minimum")) faults.push(`${name} must be ${least("minimum")} or more`);
  else if (number > most("maximum")) faults.push(`${name} must be ${most("maximum")} or less`);
  return number;
}

export function misfit({ id }: Interrupt, why: string): never {
  throw new HandraiseError(`people cannot answer the interrupt ${id}: its responseSchema ${why}`);
}
