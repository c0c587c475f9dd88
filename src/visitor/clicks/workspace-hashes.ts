import { HMAC } from "@stablelib/hmac";
import { type SavedState, SHA256 } from "@stablelib/sha256";
import { countedAddress } from "../../access/limits/client-address.ts";
import { toBytes } from "../../platform/bytes.ts";
import type { People } from "./hit.ts";

/**
 * Hashes of a workspace's people on a day: HMAC-SHA-256. Not by WebCrypto, whose promise takes
 * longer than the hash; and what all people of a user agent have in common is hashed once.
 */
export class WorkspaceHashes {
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

  /** Of one whose user agent is remembered; what is new of it is held, after `onNew` was told. */
  make(userAgent: string, address: string, onNew: () => void): string {
    let begun = this.#ofAgents.get(userAgent);
    if (!begun) {
      onNew();
      begun = this.#begin(userAgent);
      this.#ofAgents.set(userAgent, begun);
    }
    return this.#finish(begun, address);
  }

  /**
   * Of people between two places, whoever they say they are: nothing of them is held. A function of
   * its own: V8 optimises one that awaits less well.
   */
  makeAll(people: People, from: number, end: number, made: string[]): void {
    let begun: SavedState | undefined;
    for (let at = from; at < end; at += 2) {
      const userAgent = people[at] ?? "";
      if (!begun || userAgent !== people[at - 2]) begun = this.#begin(userAgent);
      made.push(this.#finish(begun, people[at + 1] ?? ""));
    }
  }

  #begin(userAgent: string): SavedState {
    return this.#hmac
      .restoreState(this.#ofWorkspace)
      .update(toBytes(`${userAgent}\n`))
      .saveState();
  }

  /** An IPv6 address counts by its /64: what one subscriber holds, and changes within. */
  #finish(begun: SavedState, address: string): string {
    const counted = countedAddress(address);
    // By hand: a call of the platform's encoder takes longer.
    for (let at = 0; at < counted.length; at++) this.#text[at] = counted.charCodeAt(at);
    const text = this.#text.subarray(0, counted.length);
    this.#hmac.restoreState(begun).update(text).finish(this.#digest);
    return firstBits(this.#digest);
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
