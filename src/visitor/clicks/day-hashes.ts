import { HMAC } from "@stablelib/hmac";
import { type SavedState, SHA256 } from "@stablelib/sha256";
import { countedAddress } from "../../access/limits/client-address.ts";
import { toBytes } from "../../platform/bytes.ts";
import type { People } from "./hit.ts";

/** So many workspaces, and user agents of them (1 KB each), are held begun; then all are begun anew. */
const MAX_BEGUN = 4000;

/** What all people of a workspace have in common, and of them those of a user agent. */
interface Begun {
  state: SavedState;
  agents: Map<string, SavedState>;
}

/**
 * Hashes of a day's people: HMAC-SHA-256. Not by WebCrypto, whose promise takes longer than the hash;
 * and what people have in common is hashed once.
 */
export class DayHashes {
  readonly #salt: Uint8Array;
  readonly #workspaces = new Map<string, Begun>();
  #begun = 0;
  /** Hashes what is remembered only: a state that it saves may have in it what it hashed before. */
  readonly #beginner: HMAC;
  readonly #keyed: SavedState;
  /** Hashes all else, and is replaced after each sending. */
  #finisher: HMAC;
  /** A counted address is ASCII, and no longer than that. */
  readonly #text = new Uint8Array(64);
  readonly #digest: Uint8Array;

  constructor(salt: Uint8Array) {
    this.#salt = salt;
    this.#beginner = new HMAC(SHA256, salt);
    this.#keyed = this.#beginner.saveState();
    this.#finisher = new HMAC(SHA256, salt);
    this.#digest = new Uint8Array(this.#finisher.digestLength);
  }

  /** Of one whose user agent is remembered, as is then what begins the hash. */
  make(workspaceId: string, userAgent: string, address: string): string {
    const { state, agents } = this.#ofWorkspace(workspaceId);
    let begun = agents.get(userAgent);
    if (!begun) {
      begun = beginFrom(state, userAgent, this.#beginner);
      agents.set(userAgent, begun);
      this.#begun++;
    }
    return this.#finish(begun, address);
  }

  /**
   * Of the people between two places of a list, whose user agents need not be known: nothing of them
   * is remembered. A function of its own, as V8 optimises async functions less well.
   */
  makeAll(workspaceId: string, people: People, from: number, end: number, made: string[]): void {
    const { state } = this.#ofWorkspace(workspaceId);
    let begun: SavedState | undefined;
    for (let at = from; at < end; at += 2) {
      const userAgent = people[at] ?? "";
      if (!begun || userAgent !== people[at - 2])
        begun = beginFrom(state, userAgent, this.#finisher);
      made.push(this.#finish(begun, people[at + 1] ?? ""));
    }
  }

  /** Lets go of whom it hashed last. */
  forgetLast(): void {
    this.#finisher = new HMAC(SHA256, this.#salt);
    this.#text.fill(0);
  }

  #ofWorkspace(workspaceId: string): Begun {
    if (this.#begun >= MAX_BEGUN) {
      this.#workspaces.clear();
      this.#begun = 0;
    }
    let begun = this.#workspaces.get(workspaceId);
    if (!begun) {
      const state = beginFrom(this.#keyed, workspaceId, this.#beginner);
      begun = { state, agents: new Map() };
      this.#workspaces.set(workspaceId, begun);
      this.#begun++;
    }
    return begun;
  }

  /** An IPv6 address counts by its /64: what one subscriber holds, and changes within. */
  #finish(begun: SavedState, address: string): string {
    const counted = countedAddress(address);
    // By hand: a call of the platform's encoder takes longer.
    for (let at = 0; at < counted.length; at++) this.#text[at] = counted.charCodeAt(at);
    const text = this.#text.subarray(0, counted.length);
    this.#finisher.restoreState(begun).update(text).finish(this.#digest);
    return firstBits(this.#digest);
  }
}

function beginFrom(state: SavedState, line: string, by: HMAC): SavedState {
  return by
    .restoreState(state)
    .update(toBytes(`${line}\n`))
    .saveState();
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
