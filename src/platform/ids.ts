import { uuidv7 } from "uuidv7";
import { toBytes } from "./bytes.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUIDv7: sorts by the time it was made, which is what lists are ordered and paged by. */
export function newId(): string {
  return uuidv7();
}

/**
 * The id of the n-th record (n below 4096) of a request whose own id is `base`: the same each time
 * it is asked for, a UUIDv7 of the same millisecond, in the order of n.
 */
export async function deriveId(base: string, n: number): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", toBytes(`${base}:${n}`));
  const bytes = new Uint8Array(hash, 0, 16);
  bytes.set(idToBytes(base).subarray(0, 6));
  bytes[6] = 0x70 | (n >> 8);
  bytes[7] = n & 0xff;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idFromBytes(bytes);
}

/** What no id that was made since a time, in milliseconds, sorts before. */
export function leastIdAt(time: number): string {
  const hex = Math.max(Math.floor(time), 0).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When an id was made, in milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** An opaque version token; changes on every write of a record. */
export function newRevision(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The 16 bytes of a UUID. */
export function idToBytes(id: string): Uint8Array {
  return Uint8Array.from(id.replaceAll("-", "").match(/../g) ?? [], (hex) =>
    Number.parseInt(hex, 16),
  );
}

/** The UUID of 16 bytes, in lower case. */
export function idFromBytes(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
