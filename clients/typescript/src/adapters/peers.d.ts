/** As much of the optional peers as is imported here: this package is checked without them. */
declare module "@langchain/langgraph" {
  export function interrupt(value: unknown): unknown;
  export class Command {
    constructor(options: { resume: Readonly<Record<string, unknown>> });
  }
}

declare module "@langchain/core/messages" {
  export class ToolMessage {
    constructor(fields: { content: string; tool_call_id: string; name: string; status: "error" });
  }
}

declare module "@langchain/core/utils/json_schema" {
  export function toJsonSchema(schema: unknown): unknown;
}

declare module "ai" {
  export function asSchema(schema: unknown): { readonly jsonSchema: unknown };
}
