import type { Found } from "./address.ts";
import { addressName } from "./address.ts";

/** A row of the log: its number, what kind of thing changed, and its name. */
export type Change = [id: number, scope: "address" | "host" | "workspace", name: string];

/** As many changes are read at once. */
export const MOST_READ = 1000;
/** As many are held, and shared: as JSON 180 KB, 1.7 MB with the longest hosts and slugs there are. */
const MOST_HELD = 5000;

/** The end of the log: all that changed after `since`, up to `head`. Shared as it is. */
export interface ChangeWindow {
  since: number;
  head: number;
  changes: Change[];
  /** Names the reading of the database that it is from. */
  reading: string;
}

/** A window of what was read without regard to what came before. */
export function windowOf(changes: Change[], reading: string): ChangeWindow {
  const [first] = changes;
  return {
    since: first ? first[0] - 1 : 0,
    head: changes.at(-1)?.[0] ?? 0,
    changes,
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
  read: Change[],
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
    reading,
  };
}

/** The last change of each thing in a window. */
export class LastChanges {
  readonly #window: ChangeWindow;
  readonly #last = new Map<string, number>();

  constructor(window: ChangeWindow) {
    this.#window = window;
    for (const [id, scope, name] of window.changes) this.#last.set(`${scope} ${name}`, id);
  }

  /** Whether what was found may have changed since, as far as the window knows. */
  isOutdated(found: Found, asked: { host: string; slugKey: string }): boolean {
    const { asOf, workspaceId } = found;
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
