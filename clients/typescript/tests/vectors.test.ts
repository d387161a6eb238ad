/** What this client and that in Python read alike: `clients/vectors`, of which each has a test like this one. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { addressOf, isNormal, serverUrl } from "../src/address.js";
import { expectNoted, noteOf } from "../src/consumption.js";
import { NotVerified, actionDigest, canonicalJson } from "../src/index.js";
import type { Attachment } from "../src/models.js";
import { type Claim, verified, wasAskedUnder } from "../src/receipts.js";
import type { Body } from "./serving.js";

function vectors(name: string): Body {
  return JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), "utf8")) as Body;
}

const CANONICAL = vectors("canonical");
const SIGNED = vectors("receipts");
const ADDRESSES = vectors("addresses");

/** `it.says` in the error, or no error. */
async function expectSaid(says: string | null, check: () => Promise<unknown>): Promise<void> {
  if (says === null) {
    await check();
    return;
  }
  await assert.rejects(check, (error) => {
    assert.ok(error instanceof NotVerified, String(error));
    assert.ok(error.message.includes(says), error.message);
    return true;
  });
}

function claimOf(said: Body): Claim {
  return {
    interactionId: said["interaction_id"], agentId: said["agent_id"], kind: said["kind"], outcome: said["outcome"],
    digest: said["digest"], maxAge: said["max_age"], key: said["key"], timeout: said["timeout"], amended: said["amended"],
    approvers: said["approvers"], attachments: said["attachments"],
    askedSince: said["asked_since"] && new Date(said["asked_since"]),
  };
}

describe("the canonical form", () => {
  it("writes numbers as the RFC does", () => {
    for (const { bits, text } of CANONICAL["numbers"]) {
      assert.equal(canonicalJson(Buffer.from(bits, "hex").readDoubleBE()), text);
    }
  });
  it("has one text for each value and one digest for each action", () => {
    for (const { value, text } of CANONICAL["values"]) assert.equal(canonicalJson(value), text);
    for (const { tool, arguments: args, operands, attachments, digest } of CANONICAL["actions"]) {
      const files = attachments.map((one: Attachment) => ({ ...one, id: "9" }));
      assert.equal(actionDigest(tool, args, operands, files), digest);
    }
  });
});

describe("a receipt", () => {
  for (const { what, receipt, claim, now, says } of SIGNED["receipts"]) {
    it(`holds or is void for the same reason: ${what}`, () =>
      expectSaid(says, () => verified(receipt, claimOf(claim), new Date(now))));
  }
  it("has an id that tells under which key it was asked", () => {
    const [agent, id] = ["019a7c3f-0a11-7c02-b1d4-2f0a6b1c9e55", "019a7c41-5d0e-738a-9b0e-2873e5f8df66"];
    assert.ok(wasAskedUnder(id, agent, "deploy-1"));
    assert.ok(!wasAskedUnder(id, agent, "deploy-2"));
    for (const other of [id.toUpperCase(), id.replace("-7", "-4"), `{${id}}`, "1", ""]) {
      assert.ok(!wasAskedUnder(other, agent, "deploy-1"), other);
    }
  });
});

describe("a use", () => {
  for (const { what, note, run, interaction_id: id, now, says } of SIGNED["uses"]) {
    it(`is proven or not for the same reason: ${what}`, () =>
      expectSaid(says, async () => {
        const found = noteOf({ consumed: note }, run);
        await expectNoted(found.note, id, found.key, new Date(now));
      }));
  }
});

describe("an address", () => {
  it("has one form", () => {
    for (const [url, address] of ADDRESSES["addresses"]) {
      assert.equal(addressOf(serverUrl(url)), address);
      assert.ok(isNormal(address), address);
    }
  });
  it("is in the file only in that form", () => {
    for (const [url] of ADDRESSES["ambiguous"]) assert.ok(!isNormal(url), url);
  });
});
