// MCP: what a model does with Handraise's tools, by the official SDK. `mcp.json` has the same for a client's settings.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { HANDRAISE_URL = "http://127.0.0.1:3000", HANDRAISE_TOKEN } = process.env;
const headers = { Authorization: `Bearer ${HANDRAISE_TOKEN}` };
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", HANDRAISE_URL), { requestInit: { headers } }));

let answer = await client.callTool({
  name: "ask_human",
  arguments: { kind: "choice", prompt: "Which cache?", options: ["redis", "in process"] },
});
// Its calls never take long: what is not answered yet is waited for by its id.
while (answer.structuredContent?.state === "pending") {
  answer = await client.callTool({ name: "wait_for_answer", arguments: { id: answer.structuredContent.id } });
}
console.log(answer.content[0].text);
await client.close();
