/** The questions that a JSON Schema of AG-UI makes, and what their answers are by it. */

import { HandraiseError } from "../errors.js";
import { REMARKS } from "./flat_schema.js";
import type { FormAnswer, Json, Option, Question } from "../models.js";

/** What people said is none of the values that the schema allows. The message is for those who are asked again. */
export class DoesNotFit extends HandraiseError {}

/** How people are asked, and how their answers are read. */
export interface Form {
  readonly questions: readonly Question[];
  /** Throws `DoesNotFit`. */
  read(answers: Readonly<Record<string, FormAnswer>>): Json;
}

type Schema = Readonly<Record<string, unknown>>;

interface Field {
  readonly question: Question;
  read(said: string): Json;
}

/** As many as a form has. */
const MOST_FIELDS = 10;
const MOST_OPTIONS = 25;
const LEFT_OUT = "-";

/** What is understood of each. Anything else could narrow what fits, unnoticed. `format` narrows nothing by itself. */
const OF_ANY = ["type", "title", "description", "format"];
const OF_OBJECT = ["properties", "required", "additionalProperties"];
const OF_LIST = ["enum", "oneOf", "const"];
const OF_TEXT = ["minLength", "maxLength", "pattern"];
const OF_NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/**
 * One question for each property of a flat object; one for any other value; free text without a schema.
 *
 * Throws `HandraiseError` for a schema that is more than that, by `name`.
 */
export function formOf(schema: Schema | undefined, name: string): Form {
  if (schema?.["type"] !== "object") {
    const field = fieldOf("answer", "Your answer", schema ?? { type: "string" }, true, name);
    return { questions: [field.question], read: (answers) => field.read(textOf(answers["answer"])) };
  }
  expectOnly(schema, OF_OBJECT, name);
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  if (properties.length === 0 || properties.length > MOST_FIELDS) {
    throw new HandraiseError(`${name} wants ${properties.length} values: people are asked 1 to ${MOST_FIELDS}`);
  }
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  for (const key of required) {
    if (!properties.some(([known]) => known === key)) throw new HandraiseError(`${name} wants \`${String(key)}\` and does not say what that is`);
  }
  const fields = properties.map(([key, one], index) => {
    const isRequired = required.has(key);
    return { key, isRequired, ...fieldOf(`q${index + 1}`, key, one, isRequired, `\`${key}\` of ${name}`) };
  });
  return {
    questions: fields.map(({ question }) => question),
    read: (answers) =>
      Object.fromEntries(
        fields.flatMap(({ key, isRequired, question, read }) => {
          const said = textOf(answers[question.id]);
          return !isRequired && said.trim() === LEFT_OUT ? [] : [[key, read(said)]];
        }),
      ),
  };
}

function fieldOf(id: string, key: string, schema: Schema, isRequired: boolean, name: string): Field {
  const title = [schema["title"] ?? key, schema["description"]].filter((one) => typeof one === "string").join(": ");
  const label = key === "" ? title : `**${key}**`;
  const prompt = isRequired ? title : `${title} (\`${LEFT_OUT}\` leaves it out)`;
  const values = valuesOf(schema);
  if (values !== null) {
    expectOnly(schema, OF_LIST, name);
    if (values.length + 1 > MOST_OPTIONS) throw new HandraiseError(`${name} has more than ${MOST_OPTIONS - 1} options`);
    const options: Option[] = values.map(({ label }, index) => ({ value: `${index}`, label }));
    const left = isRequired && options.length > 1 ? [] : [{ value: LEFT_OUT, label: "None of these" }];
    const read = (said: string) => {
      const value = /^\d+$/.test(said) ? values[Number(said)] : undefined;
      if (value === undefined) throw new DoesNotFit(`${label} is none of its options`);
      return value.value;
    };
    return { question: { id, prompt: title, options: [...options, ...left] }, read };
  }
  const read = readerOf(schema, label);
  if (read === null) throw new HandraiseError(`${name} is more than a text, a number, a flag or one of some values`);
  expectOnly(schema, schema["type"] === "string" ? OF_TEXT : OF_NUMBER, name);
  return { question: { id, prompt }, read };
}

/** The values of which one is chosen; `null` where they are not listed. */
function valuesOf(schema: Schema): { value: Json; label: string }[] | null {
  if (schema["type"] === "boolean") {
    return [
      { value: true, label: "Yes" },
      { value: false, label: "No" },
    ];
  }
  if ("const" in schema) return [{ value: schema["const"] as Json, label: textFor(schema["const"] as Json) }];
  if (Array.isArray(schema["enum"])) return (schema["enum"] as Json[]).map((value) => ({ value, label: textFor(value) }));
  const listed = schema["oneOf"];
  if (!Array.isArray(listed) || !listed.every((one) => "const" in (one as object))) return null;
  return (listed as { const: Json; title?: string }[]).map((one) => ({ value: one.const, label: one.title ?? textFor(one.const) }));
}

function readerOf(schema: Schema, label: string): ((said: string) => Json) | null {
  const { type } = schema;
  if (type === "string") {
    const pattern = patternOf(schema, label);
    return (said) => {
      if (pattern?.test(said) === false) throw new DoesNotFit(`${label} has the form \`${pattern.source}\``);
      expectWithin([...said].length, " characters", schema, ["minLength", "maxLength"], label);
      return said;
    };
  }
  if (type !== "number" && type !== "integer") return null;
  return (said) => {
    const value = Number(said.trim());
    const isOne = said.trim() !== "" && (type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value));
    if (!isOne) throw new DoesNotFit(`${label} is a${type === "integer" ? "n integer" : " number"}`);
    expectWithin(value, "", schema, ["minimum", "maximum"], label);
    const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
    if (typeof above === "number" && value <= above) throw new DoesNotFit(`${label} is more than ${above}`);
    if (typeof below === "number" && value >= below) throw new DoesNotFit(`${label} is less than ${below}`);
    if (typeof step === "number" && !isMultiple(value, step)) throw new DoesNotFit(`${label} is a multiple of ${step}`);
    return value;
  };
}

function patternOf({ pattern }: Schema, label: string): RegExp | null {
  if (typeof pattern !== "string") return null;
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    throw new HandraiseError(`the pattern of ${label} cannot be read`, { cause: error });
  }
}

/** As good as numbers of JavaScript are: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function expectWithin(
  size: number,
  unit: string,
  schema: Schema,
  [least, most]: readonly [string, string],
  label: string,
): void {
  const [from, to] = [schema[least], schema[most]];
  if (typeof from === "number" && size < from) throw new DoesNotFit(`${label} is at least ${from}${unit}`);
  if (typeof to === "number" && size > to) throw new DoesNotFit(`${label} is at most ${to}${unit}`);
}

function expectOnly(schema: Schema, known: readonly string[], name: string): void {
  const other = Object.keys(schema).find((keyword) => !keyword.startsWith("x-") && ![...OF_ANY, ...known, ...REMARKS].includes(keyword));
  if (other !== undefined) throw new HandraiseError(`${name} is narrowed by \`${other}\`, by which no answer of people can be held`);
}

function textOf(answer: FormAnswer | undefined): string {
  return typeof answer === "string" ? answer : (answer?.[0] ?? "");
}

function textFor(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
