import { randomBytes } from "../../platform/bytes.ts";
import { decodeBase62, encodeBase62 } from "../../platform/crypto/base62.ts";
import { crc32 } from "../../platform/crypto/crc32.ts";
import { idFromBytes, idToBytes } from "../../platform/ids.ts";

const PREFIX = "osk_";
const BYTES = { workspace: 16, secret: 24, checksum: 4 };
const BODY_BYTES = BYTES.workspace + BYTES.secret;
const TOTAL_BYTES = BODY_BYTES + BYTES.checksum;
/** ceil(44 bytes × 8 ÷ log2 62) */
const TEXT_LENGTH = 60;

/**
 * Makes a key: `osk_` + base62 of (workspace id, 24 random bytes, CRC-32 of both). The id
 * routes a request to its workspace; the checksum refuses a mistyped key before any storage.
 */
export function generateApiKey(workspaceId: string): string {
  const bytes = new Uint8Array(TOTAL_BYTES);
  bytes.set(idToBytes(workspaceId));
  bytes.set(randomBytes(BYTES.secret), BYTES.workspace);
  checksumOf(bytes).setUint32(BODY_BYTES, crc32(bytes.subarray(0, BODY_BYTES)));
  return PREFIX + encodeBase62(bytes, TEXT_LENGTH);
}

/** The workspace that a key names; undefined for anything that no workspace was ever given. */
export function workspaceOfApiKey(key: string): string | undefined {
  if (!key.startsWith(PREFIX) || key.length !== PREFIX.length + TEXT_LENGTH) return undefined;
  const bytes = decodeBase62(key.slice(PREFIX.length), TOTAL_BYTES);
  if (!bytes) return undefined;
  if (checksumOf(bytes).getUint32(BODY_BYTES) !== crc32(bytes.subarray(0, BODY_BYTES))) {
    return undefined;
  }
  return idFromBytes(bytes.subarray(0, BYTES.workspace));
}

function checksumOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The key a request carries, in `Authorization: Bearer` or `x-api-key`; none without either.
 * Who sends both says the same in both: else a proxy may have judged one and we the other.
 */
export function presentedKey(headers: Headers): { key?: string; problem?: string } {
  const authorization = headers.get("Authorization")?.trim() || undefined;
  const bearer = authorization?.match(/^Bearer +(\S+)$/i)?.[1];
  const apiKey = headers.get("x-api-key")?.trim() || undefined;
  if (apiKey && authorization && bearer === undefined) {
    return { problem: "Beside x-api-key, Authorization must be left out or hold the same key." };
  }
  if (bearer && apiKey && bearer !== apiKey) {
    return { problem: "Two different API keys were sent." };
  }
  const key = bearer ?? apiKey;
  return key ? { key } : {};
}
