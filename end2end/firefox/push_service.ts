// A push service for Firefox: browsers keep a WebSocket to it (Mozilla's autopush), and servers post to it what they have
// to say (RFC 8030). It is as strict as a real one, and remembers what the browser made of each message.
import { createPublicKey, randomUUID, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { WebSocketServer, type WebSocket } from "ws";

/** One message: why it was refused, or what the browser said to it: 100 is delivered, 101 cannot be read, 102 is something else. */
export type Passed = { refused?: string; bytes: number; topic?: string; at: number; code?: number };

type Channel = { id: string; key: string; browser: WebSocket };

const LONGEST = 4096;

export class PushService {
  readonly passed: Passed[] = [];
  private readonly channels = new Map<string, Channel>();
  private readonly waiting = new Map<string, Passed>();

  private constructor(private readonly server: HttpServer) {}

  static async start(): Promise<PushService> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const status = service.take(request.url ?? "", request.headers, Buffer.concat(chunks));
        response.writeHead(status, { location: `${service.url()}/message` }).end();
      });
    });
    const service = new PushService(server);
    new WebSocketServer({ server }).on("connection", (browser) => {
      browser.on("message", (data) => service.hear(browser, data.toString()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  url(scheme = "http"): string {
    return `${scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** What a server posts. */
  private take(path: string, headers: IncomingHttpHeaders, body: Buffer): number {
    const passed: Passed = { bytes: body.length, topic: headers.topic as string | undefined, at: Date.now() };
    this.passed.push(passed);
    const channel = this.channels.get(path);
    if (!channel) {
      passed.refused = "no such subscription";
      return 404;
    }
    passed.refused = this.whyNot(channel, headers, body);
    if (passed.refused) return 400;
    const version = randomUUID();
    this.waiting.set(version, passed);
    channel.browser.send(
      JSON.stringify({
        messageType: "notification",
        channelID: channel.id,
        version,
        data: body.toString("base64url"),
        headers: { encoding: "aes128gcm" },
      }),
    );
    return 201;
  }

  private whyNot(channel: Channel, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
    if (!/^\d+$/.test(headers.ttl as string)) return "no TTL";
    if (headers["content-encoding"] !== "aes128gcm") return "not encrypted as RFC 8291 has it";
    if (body.length > LONGEST) return "too long";
    if (headers.topic && !/^[\w-]{1,32}$/.test(headers.topic as string)) return "no topic";
    const [, token, key] = headers.authorization?.match(/^vapid t=([^,]+), ?k=(.+)$/) ?? [];
    if (key !== channel.key) return "signed by another key than it was subscribed for";
    const raw = Buffer.from(key, "base64url");
    const [x, y] = [raw.subarray(1, 33), raw.subarray(33)].map((half) => half.toString("base64url"));
    const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const [head, claims, signature] = token.split(".");
    const signed = Buffer.from(`${head}.${claims}`);
    const isReal = verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
    if (!isReal) return "the signature is wrong";
    const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: string; exp: number };
    if (aud !== this.url()) return `signed for ${aud}`;
    const left = exp - Date.now() / 1000;
    return left > 0 && left <= 24 * 60 * 60 ? undefined : "signed for too long, or not any more";
  }

  /** What a browser says. */
  private hear(browser: WebSocket, text: string): void {
    const said = JSON.parse(text) as {
      messageType?: string;
      channelID: string;
      key: string;
      updates: { version: string; code?: number }[];
    };
    const { messageType, channelID } = said;
    const say = (more: object) => browser.send(JSON.stringify({ messageType, status: 200, ...more }));
    switch (messageType) {
      case "hello":
        return say({ uaid: randomUUID().replaceAll("-", ""), use_webpush: true, broadcasts: {} });
      case "register": {
        const path = `/wpush/${randomUUID()}`;
        this.channels.set(path, { id: channelID, key: said.key.replace(/=+$/, ""), browser });
        return say({ channelID, pushEndpoint: this.url() + path });
      }
      case "unregister":
        for (const [path, { id }] of this.channels) if (id === channelID) this.channels.delete(path);
        return say({ channelID });
      case "ack":
        for (const { version, code } of said.updates) {
          const passed = this.waiting.get(version);
          if (passed) passed.code = code;
        }
        return;
      default:
        // Is anybody there?
        if (text === "{}") browser.send("{}");
    }
  }
}
