/**
 * The file of known servers: the keys that each had at the first contact, or has announced since.
 *
 * `docs/receipts.md` says what is in it. All of our programs write it, so a program that changes it holds the lock
 * beside it.
 */

import { randomUUID } from "node:crypto";
import { type Stats, constants } from "node:fs";
import { lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

import { isNormal } from "./address.js";
import { HandraiseError } from "./errors.js";
import { withLock } from "./file_lock.js";
import { publicKey } from "./signatures.js";

const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

type Pin = readonly [address: string, key: string];

/** HANDRAISE_KNOWN_SERVERS, else `handraise/known_servers` where this user has settings. */
export function defaultPath(): string {
  const named = process.env["HANDRAISE_KNOWN_SERVERS"];
  if (named) return named;
  const settings = process.env["XDG_CONFIG_HOME"] ?? "";
  // The specification of these folders has relative ones ignored.
  return join(isAbsolute(settings) ? settings : join(homedir(), ".config"), "handraise", "known_servers");
}

/** A line is an address, a space, and a key in base64. An address may have several. */
export class KnownServers {
  constructor(readonly path: string) {}

  /** The keys of a server. Throws `HandraiseError` when the file cannot be read, understood or believed. */
  async find(address: string): Promise<string[]> {
    const pins = (await this.lines()).map((line) => this.pinIn(line));
    return pins.filter((pin) => pin?.[0] === address).map((pin) => (pin as Pin)[1]);
  }

  /** Pins keys at the first contact, unless another program was faster. */
  async add(address: string, keys: readonly string[]): Promise<void> {
    await this.change((lines) =>
      lines.some((line) => this.pinIn(line)?.[0] === address)
        ? lines
        : [...lines, ...new Set(keys.map((key) => `${address} ${key}`))],
    );
  }

  /** Pins the successor of a key; nothing is changed if another program has done so meanwhile. */
  async replace(address: string, old: string, successor: string): Promise<void> {
    await this.change((lines) => {
      const is = (line: string, key: string): boolean => {
        const pin = this.pinIn(line);
        return pin !== null && pin[0] === address && pin[1] === key;
      };
      if (!lines.some((line) => is(line, old))) return lines;
      const kept = lines.filter((line) => !is(line, successor));
      return kept.map((line) => (is(line, old) ? `${address} ${successor}` : line));
    });
  }

  /** Address and key; `null` for an empty line and a comment. */
  private pinIn(line: string): Pin | null {
    const text = line.trimEnd();
    if (text === "" || text.startsWith("#")) return null;
    const space = text.indexOf(" ");
    const address = space < 0 ? text : text.slice(0, space);
    const key = space < 0 ? null : publicKey(text.slice(space + 1));
    if (key === null || !isNormal(address)) {
      // What was pinned here may be lost, so nothing is known.
      throw new HandraiseError(`${this.path} has a line that is no address and its public key: ${JSON.stringify(line)}`);
    }
    return [address, key];
  }

  private async lines(): Promise<string[]> {
    const folder = dirname(this.path);
    let text: string;
    try {
      const around = await stat(folder);
      expectOwn(folder, around);
      // Who may write there puts another file in the place of ours, but where the sticky bit is set.
      if (isShared(around) && !(around.mode & STICKY)) {
        throw new HandraiseError(`others may write into ${folder}: look at what is in it, and \`chmod go-w\` it`);
      }
      const file = await open(this.path, constants.O_RDONLY);
      try {
        const status = await file.stat();
        expectOwn(this.path, status);
        if (isShared(status)) {
          throw new HandraiseError(`others may write ${this.path}: \`chmod go-w\` it, and look at what is in it`);
        }
        text = new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof HandraiseError) throw error;
      if (codeOf(error) !== "ENOENT") throw new HandraiseError(`cannot read ${this.path}: ${told(error)}`, { cause: error });
      // What was pinned may be back tomorrow.
      if (await isLink(this.path)) {
        throw new HandraiseError(`cannot read ${this.path}: it is a link that leads nowhere`, { cause: error });
      }
      return [];
    }
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const line of lines) this.pinIn(line);
    return lines;
  }

  private async change(change: (lines: string[]) => string[]): Promise<void> {
    try {
      await mkdir(dirname(this.path), { mode: 0o700, recursive: true });
      await withLock(`${this.path}.lock`, async () => {
        const lines = await this.lines();
        const changed = change(lines);
        if (changed !== lines) await this.write(changed);
      });
    } catch (error) {
      if (error instanceof HandraiseError) throw error;
      throw new HandraiseError(`cannot note the key of the server in ${this.path}: ${told(error)}`, { cause: error });
    }
  }

  /** For its owner alone, never through a link, and put in its place whole. */
  private async write(lines: readonly string[]): Promise<void> {
    const draft = join(dirname(this.path), `.known_servers.${randomUUID()}`);
    const file = await open(draft, "wx", 0o600);
    try {
      try {
        await file.writeFile(lines.map((line) => `${line}\n`).join(""));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.path);
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  }
}

/** Throws `HandraiseError` when this is another user's, who may write there whatever its mode is now. */
function expectOwn(path: string, status: Stats): void {
  const own = process.geteuid?.();
  if (own !== undefined && status.uid !== 0 && status.uid !== own) {
    throw new HandraiseError(
      `${path} belongs to another user (${status.uid}), so what is pinned there is not believed`,
    );
  }
}

function isShared(status: Stats): boolean {
  return process.platform !== "win32" && (status.mode & OTHERS_MAY_WRITE) !== 0;
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (status) => status.isSymbolicLink(),
    () => false,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
