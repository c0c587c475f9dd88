import { jsonBytes } from "../../platform/bytes.ts";
import type { Decision } from "../decide/decide.ts";
import { type Asked, addressName, type Found } from "./address.ts";
import type { Change } from "./change-window.ts";
import { VisitedUrls } from "./visited-urls.ts";

/** An entry in memory. */
export interface Held extends Found {
  asked: Asked;
  /** What it does for a plain visit, decided once. */
  usual: Decision | undefined;
  bytes: number;
  /** Whether it was visited since it was last considered for dropping. */
  isUsed: boolean;
  /** What it is found by besides its name: see VisitedUrls. */
  url: string | undefined;
}

// What an entry takes at the most, as `npm run bench:addresses memory` measured it: a small one
// 431 bytes, one of 100 pixels 9 KB, one of 2,048 characters that a URL writes as twelve each 38 KB.
const ENTRY_BYTES = 400;
const TEXT_BYTES = 1.25;

const encoder = new TextEncoder();

export function toHeld(asked: Asked, found: Found): Held {
  const text = JSON.stringify(found).length + addressName(asked).length;
  const bytes = ENTRY_BYTES + TEXT_BYTES * text + writtenBytes(found);
  return { ...found, asked, usual: undefined, bytes, isUsed: false, url: undefined };
}

/** Besides: the second byte of what is not ASCII, and the decision, which writes it `%F0%9F%8E%88`. */
function writtenBytes({ link, page }: Found): number {
  // What was sent last stays ready to be sent again; text that is not ASCII takes two bytes a letter.
  if (page) return 2 * jsonBytes(page);
  if (!link) return 0;
  const text = [link.destination, ...Object.values(link.utm)].join("");
  const { length } = encoder.encode(text);
  const [wide, written] = length === text.length ? [0, length] : [text.length, 3 * length];
  // A decision that has pixels is made at each visit.
  return link.pixels.length > 0 ? wide : wide + written;
}

/** Of what may be held, pages take no more: a few large ones would push out all links, which cost more visits. */
const SHARE_OF_PAGES = 1 / 4;
/** Where that is less, as much as the largest page needs. */
const LEAST_OF_PAGES = 4 * 1024 * 1024;

/**
 * What an isolate holds of the address book, up to so many bytes: links may fill them, pages a share.
 * When there is no more room, those go that nobody visited for the longest time.
 */
export class HeldAddresses {
  readonly #urls = new VisitedUrls<Held>();
  readonly #links = new Pot(this.#urls);
  readonly #pages = new Pot(this.#urls);

  /** What was last visited under this URL. */
  getByUrl(url: string): Held | undefined {
    return this.#urls.get(url);
  }

  /** From now on it is found by this URL, and by none of before; nothing that is not held is. */
  nameByUrl(url: string, held: Held): void {
    if (this.get(addressName(held.asked)) === held) this.#urls.set(url, held);
  }

  get(name: string): Held | undefined {
    return this.#links.get(name) ?? this.#pages.get(name);
  }

  keep(asked: Asked, found: Found, mostBytes: number): Held {
    const name = addressName(asked);
    this.drop(name);
    const held = toHeld(asked, found);
    (held.page ? this.#pages : this.#links).add(name, held);
    const ofPages = Math.max(mostBytes * SHARE_OF_PAGES, LEAST_OF_PAGES);
    this.#pages.shrinkTo(Math.min(ofPages, mostBytes));
    this.#links.shrinkTo(mostBytes - this.#pages.bytes);
    return held;
  }

  drop(name: string): void {
    this.#links.drop(name);
    this.#pages.drop(name);
  }

  /** Drops what changed after it was read. A change of many addresses looks through all, once. */
  dropChanged(changes: Change[]): void {
    const hosts = new Map<string, number>();
    const workspaces = new Map<string | null, number>();
    for (const [id, scope, name] of changes) {
      if (scope === "host") hosts.set(name, id);
      else if (scope === "workspace") workspaces.set(name, id);
      else if ((this.get(name)?.asOf ?? id) < id) this.drop(name);
    }
    if (hosts.size + workspaces.size === 0) return;
    this.dropWhere(
      ({ asked: { host }, workspaceId, asOf }) =>
        (hosts.get(host) ?? 0) > asOf || (workspaces.get(workspaceId) ?? 0) > asOf,
    );
  }

  dropWhere(isToGo: (held: Held) => boolean): void {
    this.#links.dropWhere(isToGo);
    this.#pages.dropWhere(isToGo);
  }
}

/** Entries in the order of their visits, by second chance: a visit sets a mark and moves nothing. */
class Pot {
  readonly #urls: VisitedUrls<Held>;
  readonly #entries = new Map<string, Held>();
  bytes = 0;

  constructor(urls: VisitedUrls<Held>) {
    this.#urls = urls;
  }

  get(name: string): Held | undefined {
    return this.#entries.get(name);
  }

  add(name: string, held: Held): void {
    this.#entries.set(name, held);
    this.bytes += held.bytes;
  }

  drop(name: string): void {
    const held = this.#entries.get(name);
    if (!held) return;
    this.#entries.delete(name);
    this.bytes -= held.bytes;
    this.#urls.drop(held);
  }

  dropWhere(isToGo: (held: Held) => boolean): void {
    for (const [name, held] of this.#entries) if (isToGo(held)) this.drop(name);
  }

  shrinkTo(mostBytes: number): void {
    while (this.bytes > mostBytes) {
      const oldest = this.#entries.entries().next();
      if (oldest.done) return;
      const [name, held] = oldest.value;
      this.drop(name);
      if (!held.isUsed) continue;
      held.isUsed = false;
      this.add(name, held);
    }
  }
}
