const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Encodes bytes as one big-endian number in base 62, left-padded with `0` to `length` characters. */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let rest = 0n;
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte);
  let text = "";
  for (; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(length, "0");
}

/** The inverse of {@link encodeBase62}; undefined for a foreign character or a number too large. */
export function decodeBase62(text: string, byteLength: number): Uint8Array | undefined {
  let rest = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    rest = rest * 62n + BigInt(digit);
  }
  const bytes = new Uint8Array(byteLength);
  for (let index = byteLength - 1; index >= 0; index--, rest >>= 8n) {
    bytes[index] = Number(rest & 0xffn);
  }
  return rest === 0n ? bytes : undefined;
}
