import { randomBytes } from "../../../platform/bytes.ts";
import { CODE_PREFIX } from "../../../visitor/slug.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";
import { staticPayload } from "./static-payload.ts";

/** Crockford's base32: no I, L, O or U, which people take for something else. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 8;

/** A code nobody chose: 40 bits from a CSPRNG. */
export function generateCode(): string {
  // 32 divides 256: each character is equally likely.
  return Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** What the address book has a code under. */
export function codeKey(code: string): string {
  return `${CODE_PREFIX}${code.toLowerCase()}`;
}

/** What a code holds. In upper case, which QR codes write in half the room, and every host reads. */
export function payloadOf({
  code,
  origin,
  target,
  style,
}: Pick<QrCodeRow, "code" | "origin" | "target" | "style">): string {
  if (target.type !== "link" && target.type !== "page" && target.type !== "url")
    return staticPayload(target);
  const address = `${origin}/${CODE_PREFIX}${code}`;
  return style.compact ? address.toUpperCase() : address.toLowerCase();
}
