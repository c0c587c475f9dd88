/** A client address of its own, so that limits by address count for one test alone. */
export function newAddress(): string {
  const [a, b, c] = crypto.getRandomValues(new Uint8Array(3));
  return `10.${a}.${b}.${c}`;
}
