/** What a guard can hold back: a function whose work is done when it returns. What is returned and works later would
 * run after everything was checked, and maybe more than once. */

/** How deep in what is returned it looks. */
const DEPTH = 50;

/** Throws `TypeError` for a function that only begins its work when it is called. */
export function expectGuardable(work: unknown): void {
  if (typeof work !== "function") throw new TypeError("a guard needs the function that does the work");
  const kind = Object.prototype.toString.call(work);
  if (kind === "[object GeneratorFunction]" || kind === "[object AsyncGeneratorFunction]") {
    throw new TypeError(
      "calling it makes a generator, which would run after everything was checked: guard the function that does the work",
    );
  }
}

/** What a guarded function has returned. Throws `TypeError` if it, or something in it, works later. */
export function expectDone<T>(tool: string, result: T): T {
  expectPartDone(tool, result, 0);
  return result;
}

function expectPartDone(tool: string, part: unknown, depth: number): void {
  const later = laterKind(part);
  if (later !== null) throw new TypeError(`${tool} returned ${later}, which would run after everything was checked`);
  const parts = partsOf(part);
  if (parts.length > 0 && depth === DEPTH) {
    throw new TypeError(`${tool} returned more lists in each other than can be looked through`);
  }
  for (const one of parts) expectPartDone(tool, one, depth + 1);
}

function laterKind(value: unknown): string | null {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return null;
  if ("then" in value && typeof value.then === "function") return "a promise";
  return "next" in value && typeof value.next === "function" ? "an iterator" : null;
}

function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value) || value instanceof Set) return [...(value as Iterable<unknown>)];
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  const isPlain = typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
  return isPlain ? Object.values(value) : [];
}
