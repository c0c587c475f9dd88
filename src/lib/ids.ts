import { uuidv7 } from "uuidv7";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUIDv7: sorts by the time it was made, which is what lists are ordered and paged by. */
export function newId(): string {
  return uuidv7();
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
