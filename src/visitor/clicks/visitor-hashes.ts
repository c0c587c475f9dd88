import { HMAC } from "@stablelib/hmac";
import { type SavedState, SHA256 } from "@stablelib/sha256";
import { countedAddress } from "../../access/limits/client-address.ts";
import { toBytes } from "../../platform/bytes.ts";
import type { DaySalts } from "./day-salts.ts";
import type { People, SettledHits } from "./hit.ts";
import { SLOT_MILLISECONDS } from "./hit-names.ts";
import type { CountableHits } from "./hit-packet.ts";
import { dayOf } from "./salt-days.ts";

/** Made in one go: visitors' requests wait meanwhile. */
const HASHES_AT_ONCE = 100;
/** Rests between: ten thousand hashes are spread over a fifth of a second, beside visitors' requests. */
const REST_MILLISECONDS = 2;
/** So many workspaces (4 KB each), and user agents of each (1 KB), are held begun; then all are begun anew. */
const MAX_BEGUN = 500;

/**
 * Puts hashes in the place of people: one for each workspace, day (UTC), user agent and address. Of a
 * day whose salt is not to be had, hits count without their visitors.
 */
export class VisitorHashes {
  readonly #salts: DaySalts;
  readonly #store: KVNamespace;
  readonly #made = new Map<string, Hashes>();
  #left = HASHES_AT_ONCE;

  constructor(salts: DaySalts, store: KVNamespace) {
    this.#salts = salts;
    this.#store = store;
  }

  /** Waits for a salt, and to let visitors' requests have their turn: for nothing else. */
  async hash(part: SettledHits[]): Promise<CountableHits[]> {
    const countable: CountableHits[] = [];
    for (const hits of part) {
      const { people } = hits;
      const hashes =
        people.length === 0 ? undefined : (this.#known(hits) ?? (await this.#begin(hits)));
      const visitors: string[] = [];
      for (let at = 0; hashes && at < people.length; ) {
        const end = Math.min(people.length, at + 2 * this.#left);
        hashes.makeAll(people, at, end, visitors);
        this.#left -= (end - at) / 2;
        at = end;
        if (this.#left > 0) continue;
        this.#left = HASHES_AT_ONCE;
        await scheduler.wait(REST_MILLISECONDS);
      }
      countable.push(toCountable(hits, people.length > 2 ? [...new Set(visitors)] : visitors));
    }
    return countable;
  }

  #known({ workspaceId, slot }: OfDay): Hashes | undefined {
    return this.#made.get(nameOf(workspaceId, slot));
  }

  async #begin({ workspaceId, slot }: OfDay): Promise<Hashes | undefined> {
    const salt = await this.#salts.find(this.#store, dayOf(slot * SLOT_MILLISECONDS));
    if (!salt) return undefined;
    const made = new Hashes(salt, workspaceId);
    if (this.#made.size >= MAX_BEGUN) this.#made.clear();
    this.#made.set(nameOf(workspaceId, slot), made);
    return made;
  }
}

/** Field by field: objects made by spreading take longer. */
function toCountable(hits: SettledHits, visitors: string[]): CountableHits {
  const { workspaceId, subject, id, count, slot, traffic, properties } = hits;
  return { workspaceId, subject, id, count, slot, traffic, properties, hits: hits.hits, visitors };
}

type OfDay = Pick<SettledHits, "workspaceId" | "slot">;

function nameOf(workspaceId: string, slot: number): string {
  return `${dayOf(slot * SLOT_MILLISECONDS)} ${workspaceId}`;
}

/**
 * Hashes of a workspace's people on a day: HMAC-SHA-256. Not by WebCrypto, whose promise takes
 * longer than the hash; and what all people of a user agent have in common is hashed once.
 */
class Hashes {
  readonly #hmac: HMAC;
  readonly #ofWorkspace: SavedState;
  readonly #ofAgents = new Map<string, SavedState>();
  /** A counted address is ASCII, and no longer than that. */
  readonly #text = new Uint8Array(64);
  readonly #digest: Uint8Array;

  constructor(salt: Uint8Array, workspaceId: string) {
    this.#hmac = new HMAC(SHA256, salt).update(toBytes(`${workspaceId}\n`));
    this.#ofWorkspace = this.#hmac.saveState();
    this.#digest = new Uint8Array(this.#hmac.digestLength);
  }

  /** Of people between two places. A function of its own: V8 optimises one that awaits less well. */
  makeAll(people: People, from: number, end: number, made: string[]): void {
    for (let at = from; at < end; at += 2)
      made.push(this.#make(people[at] ?? "", people[at + 1] ?? ""));
  }

  /** An IPv6 address counts by its /64: what one subscriber holds, and changes within. */
  #make(userAgent: string, address: string): string {
    const counted = countedAddress(address);
    // By hand: a call of the platform's encoder takes longer.
    for (let at = 0; at < counted.length; at++) this.#text[at] = counted.charCodeAt(at);
    const text = this.#text.subarray(0, counted.length);
    this.#hmac.restoreState(this.#ofAgent(userAgent)).update(text).finish(this.#digest);
    return firstBits(this.#digest);
  }

  #ofAgent(userAgent: string): SavedState {
    const known = this.#ofAgents.get(userAgent);
    if (known) return known;
    const begun: SavedState = this.#hmac
      .restoreState(this.#ofWorkspace)
      .update(toBytes(`${userAgent}\n`))
      .saveState();
    if (this.#ofAgents.size >= MAX_BEGUN) this.#ofAgents.clear();
    this.#ofAgents.set(userAgent, begun);
    return begun;
  }
}

const ALPHABET = Uint8Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  (character) => character.charCodeAt(0),
);

/** The first 64 bits in base64url: 11 characters. */
function firstBits(digest: Uint8Array): string {
  const six = (bit: number) => {
    const [byte = 0, next = 0] = [digest[bit >> 3], bit < 56 ? digest[(bit >> 3) + 1] : 0];
    return ALPHABET[(((byte << 8) | next) >> (10 - (bit & 7))) & 63] ?? 0;
  };
  return String.fromCharCode(
    six(0),
    six(6),
    six(12),
    six(18),
    six(24),
    six(30),
    six(36),
    six(42),
    six(48),
    six(54),
    six(60),
  );
}
