/** Operands: the files that an action names without containing them, and whether they are still what they were. */

import { createHash } from "node:crypto";
import { type Stats, constants } from "node:fs";
import { open, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { snapshot } from "./canonical.js";
import { OperandChanged } from "./errors.js";
import type { Operand } from "./models.js";

/** A path, or the `file:` URL of one. */
export type AnyPath = string | URL;

/** What a regular file holds now, to be shown and approved with an action. Throws for what is something else. */
export async function hashFile(path: AnyPath): Promise<Operand> {
  const name = pathOf(path);
  // What is no file may hold its reader for ever, and a device may do something.
  expectRegular(name, await stat(name));
  const file = await open(name, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    expectRegular(name, await file.stat());
    const digest = createHash("sha256");
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      digest.update(chunk as Buffer);
      size += (chunk as Buffer).length;
    }
    return { name: snapshot(name, "operands") as string, sha256: digest.digest("hex"), size };
  } finally {
    await file.close();
  }
}

/** `hashFile` of each, and of each once. */
export async function hashFiles(paths: readonly AnyPath[]): Promise<Operand[]> {
  return Promise.all([...new Set(paths.map(pathOf))].map(hashFile));
}

/** Throws `OperandChanged` when these are not the same files, with the same content. */
export async function expectUnchanged(before: readonly Operand[], paths: readonly AnyPath[]): Promise<void> {
  const names = new Set(paths.map(pathOf));
  for (const name of names) {
    if (!before.some((one) => one.name === name)) throw new OperandChanged(name, "it was no file then");
  }
  for (const one of before) {
    if (!names.has(one.name)) throw new OperandChanged(one.name, "it is no file any more");
    let now: Operand;
    try {
      now = await hashFile(one.name);
    } catch (error) {
      throw new OperandChanged(one.name, `it cannot be read any more: ${String(error)}`);
    }
    if (now.sha256 !== one.sha256 || now.size !== one.size) {
      throw new OperandChanged(one.name, `its SHA-256 was ${one.sha256}, and is ${now.sha256}`);
    }
  }
}

/** Where a path leads. */
export interface Place {
  /** The working directory, if the path is relative; empty otherwise. */
  readonly folder: string;
  /** Without the links on the way, whether anything is there or not. */
  readonly target: string;
  /** What its last part says, if that is a link: what is put in its place goes elsewhere than what is written through
   * it. */
  readonly link: string | null;
  /** Empty if nothing is there; its kind; and of a folder which one, since another may be put in its place. */
  readonly what: string;
}

/** Where each leads now. Throws when that cannot be known. */
export async function placesOf(paths: readonly AnyPath[]): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>();
  for (const name of new Set(paths.map(pathOf))) places.set(name, await placeOf(name));
  return places;
}

/** Throws `OperandChanged` when a path leads elsewhere: what runs would open another file than was shown. */
export async function expectSamePlaces(before: ReadonlyMap<string, Place>): Promise<void> {
  for (const [name, place] of before) {
    let now: Place;
    try {
      now = await placeOf(name);
    } catch (error) {
      throw new OperandChanged(name, `where it leads cannot be known any more: ${String(error)}`);
    }
    if (now.folder !== place.folder) {
      throw new OperandChanged(name, `the working directory was ${place.folder}, and is ${now.folder}`);
    }
    if (now.target !== place.target) {
      throw new OperandChanged(name, `it led to ${place.target}, and leads to ${now.target}`);
    }
    if (now.link !== place.link) throw new OperandChanged(name, "another link, or none, is in its place");
    if (now.what !== place.what) throw new OperandChanged(name, "something else is in its place");
  }
}

/**
 * Whether something else than a folder is there, which `hashFile` refuses if it is no file: what will come out of a
 * pipe or a device cannot be approved. What cannot be looked at may be anything.
 */
export async function mayBeRead(path: AnyPath): Promise<boolean> {
  try {
    return !(await stat(pathOf(path))).isDirectory();
  } catch (error) {
    return !isAbsent(error);
  }
}

export function pathOf(path: AnyPath): string {
  return typeof path === "string" ? path : fileURLToPath(path);
}

function expectRegular(name: string, status: Stats): void {
  if (!status.isFile()) throw new TypeError(`${name} is no regular file, and nothing else can be an operand`);
}

async function placeOf(name: string): Promise<Place> {
  const link = await readlink(name).catch(() => null);
  return { folder: isAbsolute(name) ? "" : process.cwd(), target: await targetOf(name), link, what: await whatIsAt(name) };
}

/** `realpath`, which knows only what is there, for as much of the path as is there. */
async function targetOf(name: string, links = 0): Promise<string> {
  const path = resolve(name);
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  const target = join(await targetOf(dirname(path), links), basename(path));
  const next = await readlink(target).catch(() => null);
  if (next === null) return target;
  if (links > 40) throw new TypeError(`${name} leads in circles`);
  return targetOf(resolve(dirname(target), next), links + 1);
}

async function whatIsAt(name: string): Promise<string> {
  try {
    const status = await stat(name);
    const kind = status.mode & constants.S_IFMT;
    return status.isDirectory() ? `${kind} ${status.dev} ${status.ino}` : `${kind}`;
  } catch {
    return "";
  }
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
