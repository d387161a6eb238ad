/** Ed25519 signatures over the RFC 8785 form of a JSON object, all of it but the member `signature`. */

import { canonicalJson } from "./canonical.js";
import { NotJson } from "./errors.js";

const KEY_BYTES = 32;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A public key in base64, as it is written everywhere; `null` when it is none. */
export function publicKey(text: unknown): string | null {
  const key = decoded(text);
  return key?.length === KEY_BYTES ? btoa(String.fromCharCode(...key)) : null;
}

/** Whether the document's `signature` is that of this key over all the rest of it. */
export async function isSigned(document: Readonly<Record<string, unknown>>, key: string): Promise<boolean> {
  const { signature, ...signed } = document;
  const [bytes, said] = [decoded(key), decoded(signature)];
  if (bytes?.length !== KEY_BYTES || said === null) return false;
  try {
    const verifier = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", verifier, said, new TextEncoder().encode(canonicalJson(signed)));
  } catch (error) {
    // A key that is no point of the curve, or a document that has no canonical form: nothing is signed.
    if (error instanceof NotJson || (error instanceof DOMException && error.name === "DataError")) return false;
    throw error;
  }
}

function decoded(text: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof text !== "string" || !BASE64.test(text)) return null;
  return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
}
