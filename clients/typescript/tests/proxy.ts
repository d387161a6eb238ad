/** A proxy that sees each request and can lose or forge its reply. */

import { EventEmitter, once } from "node:events";
import { type Server as HttpServer, createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";

type Rule = { start: string; reply: string | null; meanwhile: () => unknown };

export class Proxy {
  /** Method and path of each request, in the order they came. */
  readonly requests: string[] = [];
  private readonly rules: Rule[] = [];
  private readonly came = new EventEmitter();
  private readonly listener: HttpServer;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly upstream: () => number) {
    this.came.setMaxListeners(0);
    this.listener = createServer({ keepAliveTimeout: 1 }, (incoming, outgoing) => {
      const parts: Buffer[] = [];
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("end", () => {
        const head = `${incoming.method} ${incoming.url}`;
        const rule = this.rules.find((one) => head.startsWith(one.start));
        if (rule !== undefined) this.rules.splice(this.rules.indexOf(rule), 1);
        this.requests.push(head);
        this.came.emit("request");
        const socket = incoming.socket;
        if (rule !== undefined && rule.reply !== null) {
          socket.end(rule.reply);
          return;
        }
        const passed = request(
          { port: this.upstream(), host: "127.0.0.1", method: incoming.method, path: incoming.url, headers: incoming.headers, agent: false },
          (reply) => {
            if (rule !== undefined) {
              reply.resume().once("end", () => void Promise.resolve(rule.meanwhile()).then(() => socket.destroy()));
              return;
            }
            outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
            reply.pipe(outgoing);
            reply.once("error", () => socket.destroy());
          },
        );
        passed.once("error", () => socket.destroy());
        socket.once("close", () => passed.destroy());
        passed.end(Buffer.concat(parts));
      });
    });
    this.listener.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket)).once("error", () => undefined);
    });
  }

  static async to(server: { port: number }): Promise<Proxy> {
    const proxy = new Proxy(() => server.port);
    proxy.listener.listen(0, "127.0.0.1");
    await once(proxy.listener, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  /** The next request that begins like this is done, and its reply lost; `meanwhile` happens in between. */
  loseReply(start: string, meanwhile: () => unknown = () => undefined): void {
    this.rules.push({ start, reply: null, meanwhile });
  }

  /** The next request that begins like this is not passed on, and gets this reply. */
  forgeReply(start: string, reply: string): void {
    this.rules.push({ start, reply, meanwhile: () => undefined });
  }

  count(start: string): number {
    return this.requests.filter((one) => one.startsWith(start)).length;
  }

  /** Returns when so many requests that begin like this have come. */
  async awaitRequest(start: string, count = 1): Promise<void> {
    while (this.count(start) < count) await once(this.came, "request");
  }

  close(): void {
    this.listener.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
