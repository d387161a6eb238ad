/** Whose signature counts for a server: the keys that are named, else those pinned at the first contact. */

import { HandraiseError, KeyChanged } from "./errors.js";
import { KnownServers, defaultPath } from "./known_servers.js";
import { log } from "./log.js";
import { Unreadable, isObject } from "./reading.js";
import { isSigned, publicKey } from "./signatures.js";

/** All that a statement has: one with more may say something else. */
const STATEMENT = ["at", "new", "old", "signature", "statement", "version"];

/** More than any server has had. Longer lists are an attempt to keep a client busy. */
const MOST_ROTATIONS = 1_000;

/** What a server says about its keys, which proves nothing by itself. */
export interface Announced {
  /** Its own, and those of the other nodes. */
  readonly keys: readonly string[];
  readonly rotations: readonly Readonly<Record<string, unknown>>[];
}

/** Reads what `GET /keys` returns; throws as the functions of `reading` do. */
export function announced(body: unknown): Announced {
  if (!isObject(body)) throw new Unreadable("the keys are no object");
  const list = (name: string): unknown[] => (Array.isArray(body[name]) ? (body[name] as unknown[]) : []);
  const keys = [body["public_key"], ...list("trusted")].map((text) => {
    const key = publicKey(text);
    if (key === null) throw new Unreadable(`${JSON.stringify(text)} is no public key`);
    return key;
  });
  return { keys, rotations: list("rotations").filter(isObject) };
}

/** The keys of one server. */
export class Keys {
  constructor(
    readonly address: string,
    private readonly known: KnownServers,
    private readonly named: readonly string[] = [],
  ) {}

  /**
   * With the keys of the argument or of HANDRAISE_PUBLIC_KEY, separated by commas, else those pinned. An empty
   * variable counts as none; anything else that holds no key is a fault, and no first contact.
   */
  static of(address: string, named?: string): Keys {
    const text = named ?? (process.env["HANDRAISE_PUBLIC_KEY"] || undefined);
    const parts = text === undefined ? [] : text.split(",");
    const keys = parts.map((part) => {
      const key = publicKey(part.trim());
      if (key === null) throw new HandraiseError(`${JSON.stringify(part)} is no public key, which is 32 bytes in base64`);
      return key;
    });
    return new Keys(address, new KnownServers(defaultPath()), keys);
  }

  /** What counts now; nothing before the first contact. */
  async trusted(): Promise<readonly string[]> {
    return this.named.length > 0 ? this.named : this.known.find(this.address);
  }

  /** Trusts what the server says at the first contact. */
  async pin(first: Announced): Promise<void> {
    await this.known.add(this.address, first.keys);
    log.warn(
      `${this.address} is met for the first time; its key ${first.keys[0]} is believed from now on (${this.known.path})`,
    );
  }

  /** Whether a statement of the server may change what is trusted. What is named is all that is. */
  get mayChange(): boolean {
    return this.named.length === 0;
  }

  /** Trusts this key instead of its predecessor, if a chain of statements leads to it, each signed with the key
   * before. */
  async follow(rotations: Announced["rotations"], key: string): Promise<void> {
    for (const old of await this.trusted()) {
      if (this.mayChange && (await leadsTo(key, old, rotations.slice(0, MOST_ROTATIONS)))) {
        await this.known.replace(this.address, old, key);
        log.warn(
          `${this.address} has a new key, ${key}, which the one that was trusted has announced; it is believed from now on`,
        );
        return;
      }
    }
  }

  /** Throws `KeyChanged` unless this key is trusted. */
  async expect(key: string): Promise<void> {
    const trusted = await this.trusted();
    if (!trusted.includes(key)) throw new KeyChanged(this.address, trusted, key, !this.mayChange);
  }
}

/** Whether the statements, in their order, go from the old key to this one. */
async function leadsTo(key: string, old: string, rotations: Announced["rotations"]): Promise<boolean> {
  let reached = old;
  for (const one of rotations) {
    const successor = publicKey(one["new"]);
    if (successor !== null && publicKey(one["old"]) === reached && (await holds(one, reached))) reached = successor;
    if (reached === key) return true;
  }
  return false;
}

async function holds(rotation: Readonly<Record<string, unknown>>, old: string): Promise<boolean> {
  return (
    Object.keys(rotation).sort().join() === STATEMENT.join() &&
    rotation["version"] === 1 &&
    rotation["statement"] === "handraise key rotation" &&
    (await isSigned(rotation, old))
  );
}
