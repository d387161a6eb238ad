/**
 * The place in the caller's trace at which it asks: W3C Trace Context, where OpenTelemetry is in use.
 *
 * Nothing is imported. Every copy of `@opentelemetry/api` 1.x in a program meets the others at one global symbol, and has the
 * span of a context under another: whoever has a span has put them there. A test asks the package itself.
 */

const API = Symbol.for("opentelemetry.js.api.1");
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

interface Api {
  context?: { active(): { getValue(key: symbol): { spanContext(): SpanContext } | undefined } };
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** The header that says so; none without a span. */
export function traceHeaders(): Record<string, string> {
  try {
    const api = (globalThis as { [API]?: Api })[API];
    const place = api?.context?.active().getValue(SPAN)?.spanContext();
    if (place === undefined || !isThere(place.traceId, 32) || !isThere(place.spanId, 16)) return {};
    const flags = (place.traceFlags & 3).toString(16).padStart(2, "0");
    return { traceparent: `00-${place.traceId}-${place.spanId}-${flags}` };
  } catch {
    // That a trace cannot be followed is no reason not to ask people.
    return {};
  }
}

function isThere(id: unknown, length: number): boolean {
  return typeof id === "string" && id.length === length && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);
}
