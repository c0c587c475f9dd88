import type { PageRequest } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { now } from "../../../platform/time.ts";
import { letOthersIn } from "../../../platform/turns.ts";
import { BEFORE_ALL, type ContactScan, countSlice, selectSlice } from "./contact-scan.ports.ts";
import type { ContactRow } from "./contacts.repository.ts";

/** Microseconds, about, that one statement may take: see selection-weight.ts. */
const WORK_OF_A_STATEMENT = 20_000;
/** To read one contact, of 16 KB, before it is judged. */
const READING = 10;
const MOST_CONTACTS = 2000;
const FIRST_LOOK = 1000;
const GROWTH = 4;

/** When to stop: the statement that passes one of these is the last. */
export interface ScanBudget {
  rowsRead: number;
  milliseconds: number;
}

/** Of a request that looks for contacts, or counts them. */
export const REQUEST_BUDGET: ScanBudget = { rowsRead: 50_000, milliseconds: 100 };

/** Of a page of a list with a filter: two statements, which look at 3,000 contacts at most. */
export const LIST_BUDGET: ScanBudget = { rowsRead: 8000, milliseconds: 100 };

/** How far a count has come. `beforeId` null: to its end. */
export interface Counting {
  found: number;
  /** Microseconds of the database, about. */
  work: number;
  beforeId: string | null;
}

export const NOTHING_COUNTED: Counting = { found: 0, work: 0, beforeId: BEFORE_ALL };

/** How many contacts a statement may look at, the fewer the more is asked of each. */
function contactsOfASlice({ weight }: ContactScan): number {
  return Math.min(Math.ceil(WORK_OF_A_STATEMENT / (READING + weight)), MOST_CONTACTS);
}

/** Counts on until the end, the budget's end, or until `enough` are found; by how many queries. */
export async function countOn(
  { db, workspaceId }: Context,
  scan: ContactScan,
  from: Counting,
  { rowsRead, milliseconds }: ScanBudget,
  enough = Number.POSITIVE_INFINITY,
): Promise<Counting & { queries: number }> {
  const contacts = contactsOfASlice(scan);
  const endsAt = now() + milliseconds;
  let { found, work, beforeId } = from;
  let spent = 0;
  let queries = 0;
  while (beforeId !== null && spent < rowsRead && found < enough && now() <= endsAt) {
    if (spent > 0) await letOthersIn();
    const slice = await countSlice(db, workspaceId, scan, { beforeId, contacts });
    queries++;
    found += slice.found;
    work += slice.looked * (READING + scan.weight);
    spent += slice.rowsRead;
    beforeId = slice.looked < contacts ? null : slice.lastId;
  }
  return { found, work, beforeId, queries };
}

/**
 * A page, newest first. Where few contacts meet the conditions it may end early, and empty:
 * `lastId` is where it goes on; null at the end.
 */
export async function selectPage(
  { db, workspaceId }: Context,
  scan: ContactScan,
  page: PageRequest,
  { rowsRead, milliseconds }: ScanBudget = REQUEST_BUDGET,
): Promise<{ contacts: ContactRow[]; lastId: string | null }> {
  const most = contactsOfASlice(scan);
  const endsAt = now() + milliseconds;
  const found: ContactRow[] = [];
  let lastId: string | null = page.beforeId ?? BEFORE_ALL;
  let contacts = Math.min(scan.takesAll ? page.limit + 1 : FIRST_LOOK, most);
  let spent = 0;
  while (lastId !== null && spent < rowsRead && now() <= endsAt) {
    if (spent > 0) await letOthersIn();
    const wanted = page.limit + 1 - found.length;
    const slice = await selectSlice(db, workspaceId, scan, { beforeId: lastId, contacts }, wanted);
    found.push(...slice.found);
    if (found.length > page.limit) {
      const shown = found.slice(0, page.limit);
      return { contacts: shown, lastId: shown.at(-1)?.id ?? null };
    }
    spent += slice.rowsRead;
    lastId = slice.looked < contacts ? null : slice.lastId;
    contacts = Math.min(contacts * GROWTH, most);
  }
  return { contacts: found, lastId };
}
