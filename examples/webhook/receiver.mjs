// A callback: the agent asks and ends its turn; Handraise calls it back, and it believes a good signature alone.
// The server has to be allowed to call here: HANDRAISE_OUTBOUND_ALLOW=127.0.0.1
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

import { Handraise } from "handraise";

const { HANDRAISE_URL = "http://127.0.0.1:3000", HANDRAISE_TOKEN } = process.env;
const reply = await fetch(new URL("/api/v1/callback_secret", HANDRAISE_URL), { headers: { Authorization: `Bearer ${HANDRAISE_TOKEN}` } });
if (!reply.ok) throw new Error(`no secret: ${reply.status}`);
const { secret } = await reply.json();

/** Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; several while a secret is replaced. */
function isSigned(headers, body) {
  const [id, at, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name] ?? "");
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
  return signatures.split(" ").some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const people = new Handraise();
const receiver = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!isSigned(request.headers, body)) {
    response.writeHead(401).end();
    return;
  }
  const { kind, message, interaction } = JSON.parse(body);
  response.writeHead(204).end();
  console.log(`${kind}: ${message}`);
  // The call says that we were told; this, that we have it.
  await people.collect(interaction.id);
  receiver.close();
});
await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
await people.open("question", "Which port?", { mode: "async", callbackUrl: `http://127.0.0.1:${receiver.address().port}/` });
