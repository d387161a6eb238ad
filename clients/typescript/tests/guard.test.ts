/** Used once, and told what came of it: what the guard does, at a server in this process that may lie. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";

import {
  AlreadyUsed, ArgumentsChanged, Denied, type GuardOptions, type Handraise, KeyChanged, NotJson, NotVerified,
  OperandChanged, Refused, guarded, setLog,
} from "../src/index.js";
import { ANA, FakeServer, Key } from "./fakes.js";
import type { Body } from "./serving.js";

setLog({ warn: () => undefined, info: () => undefined });

let server: FakeServer;
let client: Handraise;
let ran: unknown[];
let folder: string;

beforeEach(() => {
  server = new FakeServer();
  client = server.client();
  ran = [];
  folder = mkdtempSync(join(tmpdir(), "guard-"));
});

type Args = Record<string, unknown>;

/** Guards a function that notes what it is run with. */
function guard(options: GuardOptions<Args> = {}): (args: Args) => Promise<string> {
  const work = (args: Args): string => {
    ran.push(args);
    return "ran";
  };
  return guarded(work, { tool: "shell", client, ...options });
}

async function refuses(
  call: Promise<unknown>,
  kind: new (...args: never[]) => Error,
  told: RegExp = /./,
): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof kind, String(error));
    assert.match(error.message, told);
    return true;
  });
  assert.deepEqual(ran, []);
}

it("asks, proves, uses, runs and reports", async () => {
  server.lost = ["consume", "report"];
  assert.equal(await guard()({ script: "x" }), "ran");
  assert.deepEqual(ran, [{ script: "x" }]);
  assert.deepEqual(server.requests, [
    "GET keys", "POST interactions", "GET receipt", "POST collect", "POST consume", "POST consume", "POST report",
    "POST report",
  ]);
  assert.deepEqual(server.reports, [["done", null]]);
});

it("runs nothing that was denied", async () => {
  server.decision = "denied";
  await refuses(guard()({ n: 1 }), Denied, /not approved \(denied\)/);
});

it("shows and runs a copy of the arguments, made before asking", async () => {
  const notes = ["the rent"];
  const work = async (args: { notes: string[]; none?: undefined }): Promise<void> => void ran.push(args);
  await guarded(work, { client })({ notes, none: undefined });
  notes.push("and the car");
  assert.deepEqual(ran, [{ notes: ["the rent"] }]);
  assert.deepEqual(server.asked[0]?.["action"], { tool: "work", arguments: { notes: ["the rent"] } });
});

it("refuses arguments that change while people look at them", async () => {
  for (const added of ["and the car", 1n]) {
    const notes: unknown[] = ["the rent"];
    server.before = { receipt: () => notes.push(added) };
    await refuses(guard()({ notes }), ArgumentsChanged);
  }
});

it("refuses what is no JSON before asking", async () => {
  class Sly {
    n = 1;
  }
  const endless: unknown[] = [];
  endless.push(endless);
  const values = [
    1n, NaN, Infinity, "\ud800", { "\udfff": 1 }, () => 1, Symbol("s"), new Date(), new Sly(), new Map(), [undefined],
    { [Symbol("k")]: 1 }, { toJSON: () => 1 }, endless, new URL("https://h.example"), Object.assign(Object.create(Sly.prototype), {}),
  ];
  for (const value of values) await refuses(guard()({ value }), NotJson, /^arguments\.value/);
  await refuses(guard()([1] as unknown as Args), NotJson);
  assert.deepEqual(server.requests, []);
});

it("refuses what works later, where it is written and after the call", async () => {
  assert.throws(() => guarded(function* () {}, { client }), /generator/);
  assert.throws(() => guarded(async function* () {}, { client }), /generator/);
  assert.throws(() => guarded(() => 1, { client }), /without a name/);
  assert.throws(() => guard({ idempotencyKey: "k" } as object), /good for one call/);
  assert.throws(() => guard({ colour: "red" } as object), /colour/);
  for (const later of [() => 1, [1].values(), { a: [new Set([() => 1])] }, [Promise.resolve(1)], new Map([[1, () => 1]])]) {
    await assert.rejects(guarded(() => later, { tool: "t", client })(undefined), /would run after everything was checked/);
  }
  assert.deepEqual(new Set(server.reports.map(String)), new Set(["failed,TypeError"]));
});

it("tells people the type of an error, or what it is described as", async () => {
  class Secret extends Error {}
  const fail = (): never => {
    throw new Secret("password 123");
  };
  await assert.rejects(guarded(fail, { client })(undefined), Secret);
  await assert.rejects(guarded(fail, { client, describe: (error) => `${String(error)}\n!` })(undefined), Secret);
  const odd = (): never => fail();
  await assert.rejects(guarded(odd, { client, describe: () => { throw new Error("no"); } })(undefined), Secret);
  assert.deepEqual(server.reports, [["failed", "Secret"], ["failed", "Error: password 123 !"], ["failed", "Secret"]]);
});

it("runs once under a key, whatever crashed in between", async () => {
  const keyed = guard({ key: ({ version }) => `release-${String(version)}` });
  assert.equal(await keyed({ version: 7 }), "ran");
  await assert.rejects(keyed({ version: 7 }), AlreadyUsed);
  assert.equal(await keyed({ version: 8 }), "ran");
  assert.deepEqual([ran.length, server.asked.length], [2, 2]);
});

describe("a server that says yes", () => {
  const lies: [string, (it: FakeServer) => (said: Body) => unknown, RegExp][] = [
    ["under another key", () => { const key = new Key(); return (said) => key.sign({ ...said, public_key: key.public }); }, /has CHANGED/],
    ["without a signature", () => (said) => ({ ...said, signature: "" }), /signature/],
    ["for another person", () => (said) => ({ ...said, responder: { ...ANA, name: "Eve" } }), /signature/],
    ["to another action", (it) => (said) => it.key.sign({ ...said, action_digest: `sha256:${"0".repeat(64)}` }), /void for this action/],
    ["a day later", (it) => (said) => it.key.sign({ ...said, asked_at: "2027-01-15T08:00:00Z", answered_at: "2020-01-15T08:00:00Z" }), /void now/],
  ];
  for (const [what, lie, told] of lies) {
    it(`and proves it ${what} runs nothing`, async () => {
      // The key is known before.
      await client.approve("?", "t", {});
      server.lies = { receipt: lie(server) };
      await refuses(guard()({}), NotVerified, told);
      assert.ok(!server.requests.includes("POST consume"));
    });
  }
  it("where a person said no is not believed", async () => {
    server.decision = "denied";
    server.lies = { interactions: (said) => ({ ...said, outcome: "approved", approved: true }) };
    await refuses(guard()({}), NotVerified, /its approval was denied/);
  });
  it("by an earlier approval of the same action is not believed", async () => {
    const earlier = (await client.approve("?", "shell", {})).interaction.id;
    server.decision = "denied";
    server.lies = { interactions: () => server.interactions.get(earlier) };
    await refuses(guard()({}), NotVerified, /answers another question/);
  });
  it("without a receipt is not believed", async () => {
    server.refusals = { receipt: [404, { code: "no_receipt" }] };
    await refuses(guard()({}), NotVerified, /shows no receipt/);
  });
  it("without keys is asked nothing", async () => {
    server.refusals = { keys: [404, { code: "no_such_address" }] };
    await refuses(guard()({}), NotVerified, /nothing was asked/);
    assert.deepEqual(server.asked, []);
  });
  it("with another digest runs nothing", async () => {
    for (const digest of [`sha256:${"0".repeat(64)}`, null]) {
      server.lies = { interactions: (said) => ({ ...said, action_digest: digest }) };
      await refuses(guard()({}), ArgumentsChanged);
    }
  });
  it("in other words than a yes runs nothing", async () => {
    for (const lie of [{ approved: "true" }, { approved: 1 }, { outcome: "approved_by_default" }, { state: "expired" }, { kind: "question" }, { erased: { at: "2027-01-15T08:00:00Z", by: "Ana" } }]) {
      server.lies = { interactions: (said) => ({ ...said, ...lie }) };
      await refuses(guard()({}), Denied);
    }
  });
  it("to arguments that a person changed is not believed where none may be changed", async () => {
    const changed = { arguments: { n: 9 }, digest: "sha256:0" };
    server.lies = { interactions: (said) => ({ ...said, amended: changed }) };
    assert.equal(await guard()({ n: 1 }), "ran");
    assert.deepEqual(ran, [{ n: 1 }]);
  });
});

describe("a server that has not signed for this run", () => {
  const at = (make: (it: FakeServer, id: string, run: string) => unknown) => (it: FakeServer) => (said: Body) => ({
    ...said, consumed: make(it, said["id"], said["consumed"].run),
  });
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const lies: [string, ReturnType<typeof at>, RegExp][] = [
    ["with no note", at(() => null), /lacks a signed note/],
    ["with one of another run", at((it, id) => it.note(id, "other")), /the run other has/],
    ["with one of another key", at((it, id, run) => it.note(id, run, {}, new Key())), /has CHANGED/],
    ["with one of another interaction", at((it, _, run) => it.note("x", run)), /not over/],
    ["with an old one", at((it, id, run) => it.note(id, run, { at: ago(6) })), /and here it is/],
    ["with one of tomorrow", at((it, id, run) => it.note(id, run, { at: ago(-6) })), /and here it is/],
    ["with another statement", at((it, id, run) => it.note(id, run, { statement: "handraise receipt" })), /not over/],
  ];
  for (const [what, lie, told] of lies) {
    it(`${what} lets nothing run`, async () => {
      server.lies = { consume: lie(server) };
      await refuses(guard()({}), NotVerified, told);
    });
  }
  it("lets it run with a note of a clock that differs by some minutes", async () => {
    server.lies = { consume: at((it, id, run) => it.note(id, run, { at: ago(4) }))(server) };
    assert.equal(await guard()({}), "ran");
  });
  it("lets a run that is the same after a restart have a note as old as it says", async () => {
    const id = (await client.approve("?", "t", {})).interaction.id;
    const noted = (minutes: number): void => {
      server.lies = { consume: at((it, one, run) => it.note(one, run, { at: ago(minutes) }))(server) };
    };
    noted(59);
    assert.ok((await client.consume(id, "r", { maxAge: 3_600 })).consumed);
    await refuses(client.consume(id, "r"), NotVerified, /and here it is/);
    for (const minutes of [61, -6]) {
      noted(minutes);
      await refuses(client.consume(id, "r", { maxAge: 3_600 }), NotVerified, /and here it is/);
    }
  });
  it("and does not let it be used lets nothing run", async () => {
    server.refusals = { consume: [409, { code: "not_approved" }] };
    await refuses(guard()({}), Refused, /not_approved/);
  });
  it("is not asked before its key is known", async () => {
    const id = (await client.approve("?", "t", {})).interaction.id;
    await refuses(server.client().consume(id), NotVerified, /no key of this server/);
    await refuses(server.client({ publicKey: new Key().public }).consume(id), KeyChanged);
  });
});

describe("a file", () => {
  const cwd = process.cwd();
  afterEach(() => process.chdir(cwd));
  const named: GuardOptions<Args> = { operands: ({ script }) => String(script) };

  function script(): string {
    const file = join(folder, "deploy.sh");
    writeFileSync(file, "make deploy");
    return file;
  }

  it("among the arguments is shown as its path, and hashed", async () => {
    const file = script();
    assert.equal(await guard()({ script: pathToFileURL(file) }), "ran");
    assert.deepEqual(ran, [{ script: file }]);
    assert.equal(server.asked[0]?.["action"].operands[0].name, file);
  });
  for (const when of ["interactions", "receipt", "collect", "consume"]) {
    it(`that changes before ${when} does not run`, async () => {
      const file = script();
      server.before = { [when]: () => writeFileSync(file, "rm -rf /") };
      await refuses(guard(named)({ script: file }), OperandChanged, /deploy\.sh/);
    });
    it(`whose path leads elsewhere before ${when} does not run`, async () => {
      for (const name of ["a", "b"]) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, "data"), "x");
      }
      const link = join(folder, "link");
      symlinkSync("a", link);
      server.before = { [when]: () => { unlinkSync(link); symlinkSync("b", link); } };
      await refuses(guard(named)({ script: join(link, "data") }), OperandChanged, /it led to .*\/a\/data, and leads to .*\/b\/data/);
    });
    it(`that is relative, in another working directory before ${when}, does not run`, async () => {
      for (const name of ["a", "b"]) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, "data"), "x");
      }
      process.chdir(join(folder, "a"));
      server.before = { [when]: () => process.chdir(join(folder, "b")) };
      await refuses(guard(named)({ script: "data" }), OperandChanged, /the working directory was/);
    });
  }
  it("that appears, goes, or becomes another meanwhile does not run", async () => {
    const late = pathToFileURL(join(folder, "late.sh"));
    server.before = { receipt: () => writeFileSync(late, "rm") };
    await refuses(guard()({ late }), OperandChanged, /something else is in its place/);
    server.before = { receipt: () => unlinkSync(late) };
    await refuses(guard()({ late }), OperandChanged, /something else is in its place/);
    writeFileSync(late, "rm");
    server.before = { receipt: () => { renameSync(late, `${folder}/x`); symlinkSync("x", late); } };
    await refuses(guard()({ late }), OperandChanged, /late\.sh/);
  });
  it("that is a pipe, a device or a circle is refused before asking", async () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    symlinkSync("/dev/zero", join(folder, "zero"));
    symlinkSync("circle", join(folder, "circle"));
    for (const name of ["pipe", "zero"]) {
      await refuses(guard()({ file: pathToFileURL(join(folder, name)) }), TypeError, /no regular file/);
    }
    await refuses(guard()({ file: pathToFileURL(join(folder, "circle")) }), Error);
    assert.deepEqual(server.requests, []);
    assert.equal(await guard({ hashPaths: false })({ file: pathToFileURL(join(folder, "zero")) }), "ran");
  });
});
