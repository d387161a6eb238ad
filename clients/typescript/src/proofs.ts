/** How a decision and its use are proven: the server's key is known before, and what it has signed is read after. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

import { expectNoted, noteOf } from "./consumption.js";
import { NotVerified, Refused } from "./errors.js";
import { type Limits, type Patience, encoded, exchange, read } from "./exchange.js";
import { announced } from "./keys.js";
import type { Interaction, Receipt } from "./models.js";
import * as reading from "./reading.js";
import { type Claim, keyOf, verified } from "./receipts.js";
import { Steps, pathOf } from "./steps.js";

/** What the calls do before they say that something was approved, or may run. */
export class Proofs extends Steps {
  /**
   * Uses an approval for one run, right before that. `run` names it, up to 128 characters; left out, it gets a name
   * that is told from all others.
   *
   * A run that is not told from another one gets the approval twice: a name is for one run. Throws `AlreadyUsed`;
   * `NotVerified` when this server's key is not known yet (`approve` and `verify` see to that), and when it has not
   * signed, up to 5 minutes ago, that this run has it; `Refused` with the code `not_approved` (409), and as `get` does.
   *
   * Those 5 minutes keep an old use from being shown as that of a new run. A run that is the same after a restart, and
   * may do its work once more then, says with `maxAge` (seconds) how long ago it may have begun.
   */
  async consume(id: string, run: string = runName(), { maxAge = 0 }: { maxAge?: number } = {}): Promise<Interaction> {
    if ((await this.keys.trusted()).length === 0) {
      // Before it is used up: what cannot be verified would be used for nothing.
      throw new NotVerified("no key of this server is known, so nothing was used: `verify` the approval first");
    }
    const patience = this.patience();
    let body: unknown;
    try {
      const request = { method: "POST", path: pathOf(id, "consume"), body: encoded({ run }) } as const;
      body = await exchange(this.server.send, request, patience);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "already_consumed") throw error;
      throw read((problem) => reading.alreadyUsed(id, problem), error.problem);
    }
    const { note, key } = noteOf(body, run);
    await this.expectTrusted(key, patience);
    await expectNoted(note, id, key, this.clock.now(), maxAge * 1000);
    return read(reading.interaction, body);
  }

  /** Pins the server's keys at the first contact, so that nothing is asked that could not be proven. */
  async known(limits: Limits = {}): Promise<void> {
    if ((await this.keys.trusted()).length > 0) return;
    let body: unknown;
    try {
      body = await exchange(this.server.send, { method: "GET", path: "/keys" }, this.patience(limits));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new NotVerified(`the server does not say what its key is, so nothing was asked: ${error.message}`, {
        cause: error,
      });
    }
    await this.keys.pin(read(announced, body));
  }

  /** The receipt of what the server says. Throws `NotVerified`, and `KeyChanged` which is one. */
  protected async proven(claim: Claim, patience: Patience): Promise<Receipt> {
    let document: unknown;
    try {
      const request = { method: "GET", path: pathOf(claim.interactionId, "receipt") } as const;
      document = await exchange(this.server.send, request, patience);
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 401) throw error;
      throw new NotVerified(`the server says ${claim.outcome}, and shows no receipt: ${error.message}`, { cause: error });
    }
    await this.expectTrusted(keyOf(document), patience);
    return verified(document, claim, this.clock.now());
  }

  /** Throws `KeyChanged` unless this key is trusted, maybe since one that was has announced it. */
  private async expectTrusted(key: string, patience: Patience): Promise<void> {
    if (this.keys.mayChange && !(await this.keys.trusted()).includes(key)) {
      const body = await exchange(this.server.send, { method: "GET", path: "/keys" }, patience);
      await this.keys.follow(read(announced, body).rotations, key);
    }
    await this.keys.expect(key);
  }
}

/** The name of a run, told from all others, by which people find the process. */
export function runName(): string {
  return `${hostname().slice(0, 64) || "somewhere"} ${process.pid} ${randomUUID()}`;
}
