const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  // Types of Workers and of Node differ in whether it says so: the buffer is never a shared one.
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}

/** How long a value is as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return toBytes(JSON.stringify(value)).length;
}

export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Decodes standard base64; undefined when the text is none. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
