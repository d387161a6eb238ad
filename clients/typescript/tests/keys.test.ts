/** Whose signature counts: named keys, pinned keys, and how one follows another. `docs/receipts.md` says why. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, it } from "node:test";

import { HandraiseError, KeyChanged, setLog } from "../src/index.js";
import { KnownServers, defaultPath } from "../src/known_servers.js";
import { ADDRESS, FakeServer, Key } from "./fakes.js";
import { newFolder, type Body } from "./serving.js";

setLog({ warn: () => undefined, info: () => undefined });

let server: FakeServer;
let folder: string;
let file: string;

beforeEach(() => {
  server = new FakeServer();
  folder = newFolder();
  file = join(folder, "known_servers");
});

const approve = async (publicKey?: string, at = folder): Promise<unknown> =>
  server.client(publicKey === undefined ? {} : { publicKey }, at).approve("?", "shell", { command: "make" });
const pinned = (): string => readFileSync(file, "utf8");

async function refused(told: RegExp): Promise<void> {
  await assert.rejects(approve(), (error) => error instanceof HandraiseError && told.test(error.message));
}

it("pins the keys of all nodes at the first contact, for their owner alone", async () => {
  const other = new Key();
  server.trusted = [other.public];
  const own = join(folder, "new", "handraise");
  await approve(undefined, own);
  const path = join(own, "known_servers");
  assert.equal(readFileSync(path, "utf8"), `${ADDRESS} ${server.key.public}\n${ADDRESS} ${other.public}\n`);
  assert.deepEqual([statSync(path).mode & 0o777, statSync(own).mode & 0o777], [0o600, 0o700]);
  server.key = other;
  await approve(undefined, own);
});

it("refuses a changed key, and does not pin it", async () => {
  await approve();
  const before = pinned();
  server.key = new Key();
  server.trusted = [server.key.public];
  await assert.rejects(approve(), (error) => error instanceof KeyChanged && error.found === server.key.public);
  assert.equal(pinned(), before);
});

it("goes from the pinned key to its successor by a chain of statements", async () => {
  await approve();
  writeFileSync(file, `# mine\n\nhttps://other.example ${server.key.public}\n${pinned()}`);
  const [first, second, third] = [server.key, new Key(), new Key()];
  server.key = third;
  server.rotations = [first.names(second), second.names(third)];
  await approve();
  assert.equal(pinned(), `# mine\n\nhttps://other.example ${first.public}\n${ADDRESS} ${third.public}\n`);
  server.key = first;
  await assert.rejects(approve(), KeyChanged);
});

const brokenChains: Record<string, (old: Key, next: Key) => unknown[]> = {
  "nothing is said": () => [],
  "another key has signed": (old, next) => [next.sign(old.names(next))],
  "its signature is gone": (old, next) => [{ ...old.names(next), signature: "" }],
  "a link is missing": (old, next) => [old.names(new Key()), new Key().names(next)],
  "it goes the other way": (old, next) => [next.names(old)],
  "it is no object": () => ["trust me", null],
  "it says more": (old, next) => [old.sign({ ...old.names(next), and: "all" })],
  "it says something else": (old, next) => [old.sign({ ...old.names(next), statement: "handraise receipt" })],
  "its version is another": (old, next) => [old.sign({ ...old.names(next), version: 2 })],
  "its successor is none": (old, next) => [old.sign({ ...old.names(next), new: "AAAA" })],
};
for (const [what, make] of Object.entries(brokenChains)) {
  it(`follows no chain where ${what}`, async () => {
    await approve();
    const [before, old] = [pinned(), server.key];
    server.key = new Key();
    server.rotations = make(old, server.key) as Body[];
    await assert.rejects(approve(), KeyChanged);
    assert.equal(pinned(), before);
  });
}

it("believes named keys alone", async () => {
  const [old, successor] = [server.key, new Key()];
  const named = ` ${new Key().public} , ${old.public}`;
  await approve(named);
  assert.ok(!server.requests.includes("GET keys"));
  server.key = successor;
  server.rotations = [old.names(successor)];
  await assert.rejects(approve(named), /HANDRAISE_PUBLIC_KEY/);
  assert.ok(!existsSync(file));
});

it("refuses everything when a line is not understood", async () => {
  const { public: key } = server.key;
  for (const line of [ADDRESS, `${ADDRESS} AAAA`, `${ADDRESS}  ${key}`, ` ${ADDRESS} ${key}`, `${ADDRESS}/ ${key}`, `https://desk.example:443 ${key}`, `HTTPS://desk.example ${key}`, `desk ${key}`, key, " # comment"]) {
    writeFileSync(file, `${ADDRESS} ${key}\n${line}\n`, { mode: 0o600 });
    await refused(/known_servers has a line/);
  }
  assert.deepEqual(server.requests, []);
});

it("refuses what others may write, or own", async () => {
  await approve();
  for (const mode of [0o620, 0o602]) {
    chmodSync(file, mode);
    await refused(/others may write/);
  }
  chmodSync(file, 0o600);
  for (const [mode, told] of [[0o775, /others may write into/], [0o757, /others may write into/]] as const) {
    chmodSync(folder, mode);
    await refused(told);
  }
  chmodSync(folder, 0o1777);
  await approve();
  chmodSync(folder, 0o700);
  if (process.geteuid?.() !== 0) return;
  chownSync(file, 12345, 0);
  await refused(/belongs to another user/);
  chownSync(file, 0, 0);
  chownSync(folder, 12345, 0);
  await refused(/belongs to another user/);
});

it("opens neither the lock nor a lost file through a link", async () => {
  const elsewhere = join(folder, "elsewhere");
  symlinkSync(elsewhere, `${file}.lock`);
  await refused(/cannot note the key/);
  assert.ok(!existsSync(elsewhere));
  const other = newFolder();
  symlinkSync(join(other, "away"), join(other, "known_servers"));
  await assert.rejects(approve(undefined, other), /leads nowhere/);
  assert.deepEqual(server.asked, []);
});

it("refuses everything when the file cannot be read or written", async () => {
  mkdirSync(file);
  await refused(/cannot read/);
  writeFileSync(join(folder, "plain"), "");
  await assert.rejects(approve(undefined, join(folder, "plain", "in_it")), /cannot/);
  assert.deepEqual(server.asked, []);
});

it("finds the file where it is said, or with the settings", () => {
  const before = { ...process.env };
  process.env["HANDRAISE_KNOWN_SERVERS"] = "/srv/known";
  assert.equal(defaultPath(), "/srv/known");
  delete process.env["HANDRAISE_KNOWN_SERVERS"];
  process.env["XDG_CONFIG_HOME"] = "/srv/settings";
  assert.equal(defaultPath(), "/srv/settings/handraise/known_servers");
  process.env["HOME"] = "/home/ana";
  for (const other of ["", "settings"]) {
    process.env["XDG_CONFIG_HOME"] = other;
    assert.equal(defaultPath(), "/home/ana/.config/handraise/known_servers");
  }
  process.env = before;
});

it("takes what is pinned when it comes second", async () => {
  const [known, first, second] = [new KnownServers(file), new Key().public, new Key().public];
  await known.add(ADDRESS, [first]);
  await known.add(ADDRESS, [second]);
  assert.deepEqual(await known.find(ADDRESS), [first]);
  await known.replace(ADDRESS, second, new Key().public);
  assert.deepEqual(await known.find(ADDRESS), [first]);
  await known.replace(ADDRESS, first, second);
  assert.deepEqual(await known.find(ADDRESS), [second]);
});

it("loses nothing when programs pin at once, and holds the lock that the others take", async () => {
  const module = new URL("../src/known_servers.js", import.meta.url).href;
  const keys = Array.from({ length: 10 }, () => new Key().public);
  const program = `import { KnownServers } from ${JSON.stringify(module)};
    for (const [n, key] of ${JSON.stringify(keys)}.entries()) {
      await new KnownServers(process.argv[1]).add(\`https://\${n}.example\`, [key]);
    }`;
  const programs = Array.from({ length: 4 }, () => spawn(process.execPath, ["--input-type=module", "-e", program, file]));
  for (const ended of await Promise.all(programs.map((one) => once(one, "exit")))) assert.deepEqual(ended, [0, null]);
  const addresses = pinned().trim().split("\n").map((line) => line.split(" ")[0]);
  assert.deepEqual(addresses.sort(), keys.map((_, n) => `https://${n}.example`).sort());
  assert.deepEqual(readdirSync(folder).sort(), ["known_servers", "known_servers.lock"]);
  // Another program has the lock: this one waits until it is gone.
  const holder = spawn("flock", ["-x", `${file}.lock`, "cat"], { stdio: ["pipe", "pipe", "ignore"] });
  holder.stdin?.write("held");
  await once(holder.stdout as NodeJS.ReadableStream, "data");
  let isAdded = false;
  const adding = new KnownServers(file).add(ADDRESS, [new Key().public]).then(() => (isAdded = true));
  await new Promise((done) => setImmediate(done));
  assert.ok(!isAdded);
  holder.stdin?.end();
  await adding;
  assert.match(pinned(), new RegExp(ADDRESS));
});
