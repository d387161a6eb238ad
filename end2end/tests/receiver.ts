// A receiver's address: takes what webhooks post, and answers as it is told to.
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Got = { headers: Record<string, string>; body: string };

export class Receiver {
  /** How it answers from now on. */
  status = 200;
  answer = "ok";
  /** What has come, first to last. */
  readonly got: Got[] = [];

  private constructor(private readonly server: HttpServer) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const headers = request.headers as Record<string, string>;
        receiver.got.push({ headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(receiver.status, { "content-type": "text/html" }).end(receiver.answer);
      });
    });
    const receiver = new Receiver(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  url(path = "/hook"): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
