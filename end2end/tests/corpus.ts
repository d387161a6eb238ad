// The hostile texts that every surface is tested with.
import { readFileSync } from "node:fs";

type Part = string | { times: number; of: string };

export type Hostile = {
  name: string;
  text: string;
  shows: string[];
  marks: string[];
  /** The beginning of the text, where only one line without control characters is allowed. */
  line: (max: number) => string;
};

type Entry = { name: string; text: string | Part[]; shows: string[]; marks?: string[] };

const file = new URL("../../dev/fixtures/hostile_text.json", import.meta.url);
const { texts } = JSON.parse(readFileSync(file, "utf8")) as { texts: Entry[] };

export const corpus: Hostile[] = texts.map(({ name, text, shows, marks = [] }) => {
  const parts = typeof text === "string" ? [text] : text;
  const whole = parts.map((part) => (typeof part === "string" ? part : part.of.repeat(part.times))).join("");
  const line = (max: number) => [...whole].slice(0, max).join("").replace(/\p{Cc}/gu, " ");
  return { name, text: whole, shows, marks, line };
});
