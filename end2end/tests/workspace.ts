// A workspace of Slack, as far as a story in browsers needs one: it keeps what it is told, and people press its buttons.
// How Handraise gets on with a Slack that is strict, slow or gone is tried by the Rust tests.
import { createHmac } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

type Block = { block_id?: string; elements?: Block[]; action_id?: string; type: string; value?: string; text?: unknown };
type Message = { channel: string; ts: string; text: string; blocks: Block[] };

const secret = "8f742231b10e8888abcd99yyyzzz85a5";
const scopes = "chat:write,channels:read,channels:history,groups:read,groups:history,users:read,users:read.email";

export class Workspace {
  readonly messages: Message[] = [];
  /** What it told one person alone. */
  readonly notes: { user: string; text: string }[] = [];

  private constructor(private readonly http: HttpServer) {}

  static async start(): Promise<Workspace> {
    const http = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const isJson = request.headers["content-type"]?.startsWith("application/json");
        const given = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
        const method = new URL(request.url!, "http://slack").pathname.split("/").pop()!;
        const headers = { "content-type": "application/json", "x-oauth-scopes": scopes };
        response.writeHead(200, headers).end(JSON.stringify(workspace.does(method, given)));
      });
    });
    const workspace = new Workspace(http);
    await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
    return workspace;
  }

  settings(): Record<string, string> {
    return {
      HANDRAISE_SLACK_API_URL: `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/api/`,
      HANDRAISE_SLACK_BOT_TOKEN: "xoxb-of-this-test",
      HANDRAISE_SLACK_SIGNING_SECRET: secret,
      HANDRAISE_SLACK_DEFAULT_CHANNEL: "C0EVERYONE",
    };
  }

  /** All that is written in a channel now. */
  words(channel: string): string {
    return JSON.stringify(this.messages.filter((message) => message.channel === channel));
  }

  card(channel: string, words: string): Message | undefined {
    return this.messages.find((message) => message.channel === channel && JSON.stringify(message).includes(words));
  }

  /** A user presses a button of a card. */
  async press(server: string, user: string, card: Message, action: string): Promise<void> {
    const row = card.blocks.find((block) => block.elements?.some((element) => element.action_id === action))!;
    const { type, text, value } = row.elements!.find((element) => element.action_id === action)!;
    const payload = {
      type: "block_actions",
      team: { id: "T0TEST", domain: "test" },
      user: { id: user, username: user, name: user, team_id: "T0TEST" },
      container: { type: "message", message_ts: card.ts, channel_id: card.channel, is_ephemeral: false },
      channel: { id: card.channel, name: card.channel },
      trigger_id: `trigger.${Math.random()}`,
      message: card,
      actions: [{ type, text, value, action_id: action, block_id: row.block_id, action_ts: `${Date.now() / 1000}` }],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const now = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", secret).update(`v0:${now}:${body}`).digest("hex");
    const response = await fetch(`${server}/slack/interactivity`, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": `${now}`,
        "X-Slack-Signature": `v0=${signature}`,
      },
      body,
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((done) => this.http.close(done));
  }

  private does(method: string, given: Record<string, any>): object {
    const about = { id: given.channel, name: given.channel, is_member: true, is_im: false, is_archived: false };
    const user = { id: given.user, team_id: "T0TEST", name: given.user, real_name: given.user };
    switch (method) {
      case "auth.test":
        return { ok: true, team_id: "T0TEST", team: "Test", user: "handraise", user_id: "U0BOT", bot_id: "B0BOT" };
      case "conversations.info":
        return { ok: true, channel: about };
      case "conversations.history":
      case "conversations.replies":
        return { ok: true, messages: [], has_more: false };
      case "users.info":
        return {
          ok: true,
          user: { ...user, deleted: false, is_bot: false, is_restricted: false, is_ultra_restricted: false },
        };
      case "chat.postMessage": {
        const ts = `${Math.floor(Date.now() / 1000)}.${String(this.messages.length + 1).padStart(6, "0")}`;
        this.messages.push({ channel: given.channel, ts, text: given.text, blocks: given.blocks });
        return { ok: true, channel: given.channel, ts };
      }
      case "chat.update": {
        const message = this.messages.find((one) => one.ts === given.ts);
        if (!message) return { ok: false, error: "message_not_found" };
        Object.assign(message, { text: given.text, blocks: given.blocks });
        return { ok: true, channel: given.channel, ts: given.ts };
      }
      case "chat.postEphemeral":
        this.notes.push({ user: given.user, text: given.text });
        return { ok: true, message_ts: "1.000001" };
      case "chat.getPermalink":
        return { ok: true, permalink: `https://test.slack.com/${given.channel}/${given.message_ts}` };
      default:
        return { ok: false, error: "unknown_method" };
    }
  }
}
