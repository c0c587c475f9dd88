import { countedAddress } from "../../access/limits/client-address.ts";
import { toBase64, toBytes } from "../../platform/bytes.ts";
import { type DaySalts, dayOf } from "./day-salts.ts";
import type { Person, SettledHits } from "./hit.ts";
import { SLOT_MILLISECONDS } from "./hit-names.ts";
import type { CountableHits } from "./hit-packet.ts";

const HASH_BYTES = 8;
/** Made in one go: visitors' requests wait meanwhile. */
const HASHES_AT_ONCE = 200;

/**
 * Puts hashes in the place of people: one for each workspace, day (UTC), address and user agent. Of a
 * day whose salt is not to be had, hits count without their visitors.
 */
export async function hashVisitors(
  all: SettledHits[],
  salts: DaySalts,
  store: KVNamespace,
): Promise<CountableHits[]> {
  const made = new Map<string, Hashes>();
  const countable: CountableHits[] = [];
  for (const { people, ...hits } of all) {
    const { workspaceId, slot } = hits;
    const day = dayOf(slot * SLOT_MILLISECONDS);
    const key = people.size > 0 ? await salts.find(store, day) : undefined;
    const visitors = new Set<string>();
    if (key) {
      const name = `${day} ${workspaceId}`;
      const hashes = made.get(name) ?? new Hashes(key, workspaceId);
      made.set(name, hashes);
      for (const person of people) visitors.add(hashes.find(person) ?? (await hashes.make(person)));
    }
    countable.push({ ...hits, visitors: [...visitors] });
  }
  salts.forgetPast();
  return countable;
}

/** Hashes of a workspace's people on a day. */
class Hashes {
  readonly #key: CryptoKey;
  readonly #workspaceId: string;
  readonly #made = new Map<Person, string>();

  constructor(key: CryptoKey, workspaceId: string) {
    this.#key = key;
    this.#workspaceId = workspaceId;
  }

  find(person: Person): string | undefined {
    return this.#made.get(person);
  }

  /** An IPv6 address counts by its /64: what one subscriber holds, and changes within. */
  async make(person: Person): Promise<string> {
    const { address, userAgent } = person;
    const text = `${this.#workspaceId}\n${countedAddress(address)}\n${userAgent}`;
    const bytes = await crypto.subtle.sign("HMAC", this.#key, toBytes(text));
    const base64 = toBase64(new Uint8Array(bytes, 0, HASH_BYTES));
    const hash = base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    if (this.#made.set(person, hash).size % HASHES_AT_ONCE === 0) await scheduler.wait(0);
    return hash;
  }
}
