const BYTES = 8;

/** Different numbers of 64 bits in as few bytes: visitors of a day, packets of a time. */
export class HashSet {
  readonly #known: Set<bigint>;

  constructor(body?: Uint8Array) {
    const whole = body ? body.slice() : new Uint8Array();
    this.#known = new Set(new BigUint64Array(whole.buffer, 0, Math.floor(whole.length / BYTES)));
  }

  get size(): number {
    return this.#known.size;
  }

  has(hash: bigint): boolean {
    return this.#known.has(hash);
  }

  /** Whether it was not there before. */
  add(hash: bigint): boolean {
    if (this.#known.has(hash)) return false;
    this.#known.add(hash);
    return true;
  }

  write(): Uint8Array {
    return new Uint8Array(BigUint64Array.from(this.#known).buffer);
  }
}

const SCRATCH = new DataView(new ArrayBuffer(BYTES));
const VISITOR = /^[A-Za-z0-9_-]{11}$/;

/** A visitor's hash as a number; undefined for what is none. */
export function visitorHash(text: string): bigint | undefined {
  if (!VISITOR.test(text)) return undefined;
  const binary = atob(`${text.replaceAll("-", "+").replaceAll("_", "/")}=`);
  for (let at = 0; at < BYTES; at++) SCRATCH.setUint8(at, binary.charCodeAt(at));
  return SCRATCH.getBigUint64(0);
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const FNV_PRIME = 0x100000001b3n;
const FNV_START = 0xcbf29ce484222325n;

/**
 * A packet's id as a number, and when it was made if it says so: of a UUIDv7 its random bits, of
 * anything else a hash.
 */
export function packetHash(id: string): { hash: bigint; madeAt: number | undefined } {
  if (UUID_V7.test(id)) {
    const hex = id.replaceAll("-", "");
    return { hash: BigInt(`0x${hex.slice(16)}`), madeAt: Number.parseInt(hex.slice(0, 12), 16) };
  }
  let hash = FNV_START;
  for (const character of id) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * FNV_PRIME);
  }
  return { hash, madeAt: undefined };
}
