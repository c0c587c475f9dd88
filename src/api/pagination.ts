import { z } from "@hono/zod-openapi";
import { isId } from "../platform/ids.ts";
import { isBlank, withDefault } from "./blank.ts";
import { queryInteger } from "./query-values.ts";

const CURSOR_PREFIX = "after:";

/** The id that a cursor stands for. Opaque to callers, so that paging may change. */
function idOfCursor(cursor: string, isKnown: (id: string) => boolean): string | undefined {
  try {
    const text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const id = text.slice(CURSOR_PREFIX.length);
    return text.startsWith(CURSOR_PREFIX) && isKnown(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function cursorOfId(id: string): string {
  return btoa(CURSOR_PREFIX + id)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The `cursor` of a list whose records are told apart by what `isKnown` knows: ids, mostly. */
export function cursorOf(isKnown: (id: string) => boolean) {
  return z
    .string()
    .transform((cursor, context) => {
      // Programs that page send it blank for the first page.
      if (isBlank(cursor)) return undefined;
      const id = idOfCursor(cursor, isKnown);
      if (id) return id;
      context.addIssue({
        code: "custom",
        message: "Unknown cursor: use a next_cursor as it was answered.",
      });
      return z.NEVER;
    })
    .optional()
    .openapi({
      type: "string",
      description: "The `next_cursor` of the page before; blank: the first page.",
    });
}

/** The query parameters of every list: newest first, at most `limit` records, those before `cursor`. */
export const PageQuery = z.object({
  limit: withDefault(queryInteger(1, 100), 25).openapi({
    description: "How many records to answer at most.",
    default: 25,
  }),
  cursor: cursorOf(isId),
});

/** The page that is asked for, as repositories take it: `beforeId` is the last id of the page before. */
export interface PageRequest {
  limit: number;
  beforeId: string | undefined;
}

export function toPageRequest(query: z.output<typeof PageQuery>): PageRequest {
  return { limit: query.limit, beforeId: query.cursor };
}

/** The answer of a list, of rows read with a limit of one more than the page's. */
export function toList<Row extends { id: string }, Item>(
  rows: Row[],
  page: PageRequest,
  present: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(present),
    next_cursor: rows.length > page.limit && last ? cursorOfId(last.id) : null,
  };
}

/** The answer of a list that may end a page early: `lastId` is what the next page begins after. */
export function toPart<Row, Item>(
  rows: Row[],
  lastId: string | null,
  present: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  return { data: rows.map(present), next_cursor: lastId === null ? null : cursorOfId(lastId) };
}

/** What is said of such a list. */
export const EARLY_END =
  "where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.";

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().openapi({
      description: "Null on the last page.",
      example: null,
    }),
  });
}
