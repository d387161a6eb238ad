/** As much of an optional peer as is imported here: this package is checked without it. */
declare module "@langchain/langgraph" {
  export function interrupt(value: unknown): unknown;
  export class Command {
    constructor(options: { resume: Readonly<Record<string, unknown>> });
  }
}
