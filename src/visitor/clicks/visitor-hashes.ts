import { countedAddress } from "../../access/limits/client-address.ts";
import { toBase64, toBytes } from "../../platform/bytes.ts";
import { type DaySalts, dayOf } from "./day-salts.ts";
import { type Person, type SettledHits, SLOT_MILLISECONDS } from "./hit.ts";
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
  const made = new Map<string, string>();
  const countable: CountableHits[] = [];
  for (const { people, ...hits } of all) {
    const day = dayOf(hits.slot * SLOT_MILLISECONDS);
    const key = people.size > 0 ? await salts.find(store, day) : undefined;
    const visitors = new Set<string>();
    for (const person of people) {
      if (!key) break;
      const text = textOf(hits.workspaceId, person);
      let hash = made.get(`${day}\n${text}`);
      if (hash === undefined) {
        hash = await hashOf(key, text);
        made.set(`${day}\n${text}`, hash);
        if (made.size % HASHES_AT_ONCE === 0) await scheduler.wait(0);
      }
      visitors.add(hash);
    }
    countable.push({ ...hits, visitors: [...visitors] });
  }
  salts.forgetPast();
  return countable;
}

/** An IPv6 address counts by its /64: what one subscriber holds, and changes within. */
function textOf(workspaceId: string, { address, userAgent }: Person): string {
  return `${workspaceId}\n${countedAddress(address)}\n${userAgent}`;
}

/** 64 bits, in 11 characters. */
async function hashOf(key: CryptoKey, text: string): Promise<string> {
  const bytes = await crypto.subtle.sign("HMAC", key, toBytes(text));
  const base64 = toBase64(new Uint8Array(bytes, 0, HASH_BYTES));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
