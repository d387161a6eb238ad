/**
 * `flock(2)`, which all programs that change the file of known servers take, and which Node.js does not have.
 *
 * A lock belongs to the open file and not to the process, so the program `flock` (util-linux, BusyBox) locks the file
 * that this process has open and hands down. Deno locks by itself; Windows has no such lock.
 */

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";

interface DenoFile {
  lock(exclusive: boolean): Promise<void>;
  stat(): Promise<{ ino: number | null; dev: number }>;
  close(): void;
}

interface DenoRuntime {
  open(path: string, options: { read: boolean; write: boolean }): Promise<DenoFile>;
}

/** Runs while this process alone has the lock. The file is made if it is not there, and never through a link. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const noLinks = constants.O_NOFOLLOW ?? 0;
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | noLinks, 0o600);
  try {
    const release = await locked(file, path);
    try {
      return await work();
    } finally {
      release();
    }
  } finally {
    await file.close();
  }
}

async function locked(file: FileHandle, path: string): Promise<() => void> {
  if (process.platform === "win32") return () => undefined;
  const deno = (globalThis as { Deno?: DenoRuntime }).Deno;
  if (deno !== undefined) {
    const own = await deno.open(path, { read: true, write: true });
    const [opened, found] = [await own.stat(), await lstat(path)];
    if (opened.ino !== found.ino || opened.dev !== found.dev) {
      own.close();
      throw new Error(`${path} was replaced while it was opened`);
    }
    await own.lock(true);
    return () => own.close();
  }
  await new Promise<void>((done, fail) => {
    const child = spawn("flock", ["-x", "3"], { stdio: ["ignore", "ignore", "ignore", file.fd] });
    child.once("error", (cause) => {
      fail(new Error("the program `flock` is needed to lock it; or name the key with HANDRAISE_PUBLIC_KEY", { cause }));
    });
    child.once("exit", (code) => (code === 0 ? done() : fail(new Error(`flock ended with ${code}`))));
  });
  // It ends when the file is closed.
  return () => undefined;
}
