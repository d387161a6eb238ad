/** The normal form of a server's URL, by which the file of known servers has it. */

import { HandraiseError } from "./errors.js";

/** Reads the URL of a server. Throws `HandraiseError`. */
export function serverUrl(text: string): URL {
  const told = JSON.stringify(text);
  // Which a browser takes for a slash, and other programs for a part of a name.
  if (text.includes("\\")) throw new HandraiseError(`the URL of the server has no backslashes, unlike ${told}`);
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    const hint = /^https?:\/\//i.test(text) ? "" : ": it begins with http:// or https://";
    throw new HandraiseError(`${told} is no URL${hint}`, { cause: error });
  }
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    throw new HandraiseError(`the URL of the server begins with http:// or https://, unlike ${told}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new HandraiseError("the URL of the server has no place for a password: pass the token as `token`");
  }
  return url;
}

/** Scheme and host in lower case, without the usual port, query, fragment, and slashes at the end. */
export function addressOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

/** Whether a line of the file has this address as it is always written. */
export function isNormal(address: string): boolean {
  try {
    return addressOf(serverUrl(address)) === address;
  } catch {
    return false;
  }
}
