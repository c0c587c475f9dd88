import { type Asked, addressName, type Found, type Position } from "./address.ts";

/** A row of the log: its number, what kind of thing changed, and its name. */
export type Change = [id: number, scope: "address" | "host" | "workspace", name: string];

/** What is known of an address up to a change. */
export type KnownAsOf = Pick<Found, "asOf" | "workspaceId">;

/** As many changes are read at once. */
export const MOST_READ = 1000;
/** As many are held, and shared: as JSON 180 KB, 1.7 MB with the longest hosts and slugs there are. */
const MOST_HELD = 5000;

/** Some of the log. Whoever reads not before the bookmark reads what knows of all of these. */
export interface ReadChanges {
  changes: Change[];
  /** Not in windows that code of before has shared. */
  bookmark?: string | null | undefined;
}

/** The end of the log: all that changed after `since`, up to `head`. Shared as it is. */
export interface ChangeWindow extends ReadChanges {
  since: number;
  head: number;
  /** Names the reading of the database that it is from. */
  reading: string;
  /** The reading before, mostly some seconds ago: all that changed since is in this window. */
  before?: Pick<ChangeWindow, "head" | "bookmark">;
}

/** A window of what was read without regard to what came before. */
export function windowOf({ changes, bookmark }: ReadChanges, reading: string): ChangeWindow {
  const [first] = changes;
  return {
    since: first ? first[0] - 1 : 0,
    head: changes.at(-1)?.[0] ?? 0,
    changes,
    bookmark,
    reading,
  };
}

/**
 * A window and what came after it: `read` begins with the window's own last change. Undefined when
 * it does not, or something is missing: the log was cleaned in between, or is that of a restored
 * backup.
 */
export function continued(
  { since, head, changes }: ChangeWindow,
  { changes: read, bookmark }: ReadChanges,
  reading: string,
): ChangeWindow | undefined {
  const first = Math.max(head, 1);
  const isContinuous =
    (head === 0 || read.length > 0) && read.every(([id], at) => id === first + at);
  if (!isContinuous) return undefined;
  const all = [...changes, ...(head === 0 ? read : read.slice(1))];
  const kept = all.slice(-MOST_HELD);
  return {
    since: kept.length < all.length ? (kept[0]?.[0] ?? 1) - 1 : since,
    head: read.at(-1)?.[0] ?? head,
    changes: kept,
    bookmark,
    reading,
  };
}

/** A window with the reading before it, if it has all that changed in between. */
export function withReadingBefore(
  window: ChangeWindow,
  before: ChangeWindow | undefined,
): ChangeWindow {
  // A higher number is one of a log that was put back: a backup was restored.
  if (!before || before.head < window.since || before.head > window.head) return window;
  return { ...window, before: { head: before.head, bookmark: before.bookmark } };
}

/** The last change of each thing in a window. */
export class LastChanges {
  readonly #window: ChangeWindow;
  readonly #last = new Map<string, number>();

  constructor(window: ChangeWindow) {
    this.#window = window;
    for (const [id, scope, name] of window.changes) this.#last.set(`${scope} ${name}`, id);
  }

  /** The primary knows of all of the window. */
  get atPrimary(): Position {
    return { asOf: this.#window.head, from: "primary" };
  }

  /** The reading before the last: a replica has had some seconds for that, and makes nobody wait. */
  get anywhere(): Position {
    const { before } = this.#window;
    if (!before?.bookmark) return this.atPrimary;
    return { asOf: before.head, from: { notBefore: before.bookmark } };
  }

  /** Whether what was found may have changed since, as far as the window knows. */
  isOutdated({ asOf, workspaceId }: KnownAsOf, asked: Asked): boolean {
    if (asOf < this.#window.since) return true;
    if (this.#window.changes.length === 0) return false;
    return (
      this.#isAfter(asOf, `address ${addressName(asked)}`) ||
      (asked.host !== "" && this.#isAfter(asOf, `host ${asked.host}`)) ||
      (workspaceId !== null && this.#isAfter(asOf, `workspace ${workspaceId}`))
    );
  }

  #isAfter(asOf: number, what: string): boolean {
    return (this.#last.get(what) ?? 0) > asOf;
  }
}
