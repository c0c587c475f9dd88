import { getTableColumns } from "drizzle-orm";
import { overfullRefusal } from "../../../access/usage/usage.ports.ts";
import {
  findWanted,
  IS_KIND_WANTED,
  IS_WANTED,
  insertEventsFrom,
  insertManyEventsFrom,
  MANY_EVENTS,
} from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { isMissing, isUniqueConflict } from "../../../platform/db/faults.ts";
import { filesExist } from "../files/files.ports.ts";
import type { ProductRow } from "./products.repository.ts";
import { products } from "./products.table.ts";

/** A product as it is to be, and the one that it replaces as that was read. */
export interface ProductWrite {
  before: ProductRow | undefined;
  after: ProductRow;
  event: EventRow;
}

/** What stands beside the writes of one batch. */
interface Beside {
  workspaceId: string;
  /** Statements of the same transaction: they are to add no answers of events. */
  follows?: D1PreparedStatement[];
}

const COLUMNS = Object.entries(getTableColumns(products)).map(
  ([name, column]): [string, string] => [name, column.name],
);
const FIXED = ["id", "workspaceId", "createdAt"];
/** Columns that indexes hold. Setting one costs a row written for each such index. */
const INDEXED = ["externalId", "availability", "brand", "productType"] as const;
const JSON_COLUMNS = ["image", "additionalImages", "labels"];
/** Of one parameter; a row of D1 may have 2 MB. */
const MOST_JSON_CHARACTERS = 400_000;

function fieldOf(name: string): string {
  const isJson = JSON_COLUMNS.includes(name);
  return isJson ? `nullif(row.value -> '$.${name}', 'null')` : `row.value ->> '$.${name}'`;
}

function updateOf(names: readonly string[]): string {
  const set = COLUMNS.filter(([name]) => names.includes(name));
  return `UPDATE products SET ${set.map(([name, column]) => `${column} = ${fieldOf(name)}`).join(", ")}
    FROM json_each(?1) AS row
    WHERE products.id = row.value ->> '$.id' AND +products.workspace_id = ?2
      AND products.revision = row.value ->> '$.replaces'`;
}

const INSERT = `INSERT INTO products (${COLUMNS.map(([, column]) => column).join(", ")})
  SELECT ${COLUMNS.map(([name]) => fieldOf(name)).join(", ")} FROM json_each(?1) AS row
  WHERE row.value ->> '$.workspaceId' = ?2`;
const UPDATE_INDEXED = updateOf(INDEXED);
// Sets the revision too, so it comes last.
const UPDATE = updateOf(
  COLUMNS.flatMap(([name]) =>
    FIXED.includes(name) || INDEXED.some((one) => one === name) ? [] : [name],
  ),
);
/** Aborts the batch unless each product has the revision that was to be written. */
const REFUSE_IF_CHANGED = `INSERT INTO product_files (product_id, file_id)
  SELECT NULL, '' WHERE EXISTS (SELECT 1 FROM json_each(?1) AS row WHERE NOT EXISTS (
    SELECT 1 FROM products WHERE products.id = row.value ->> 0
      AND products.workspace_id = ?2 AND products.revision = row.value ->> 1))`;
const REFUSE_IF_FILE_GONE = `INSERT INTO product_files (product_id, file_id)
  SELECT '', NULL WHERE NOT (${filesExist("?1", "?2")})`;
const INSERT_EVENTS = insertEventsFrom(`json_each(?1) AS event WHERE ${IS_WANTED}`);
const INSERT_MANY_EVENTS = insertManyEventsFrom(
  "json_each(?1) AS event",
  `WHERE ${IS_KIND_WANTED}`,
);
const eventInsertion = (count: number) =>
  count < MANY_EVENTS ? INSERT_EVENTS : INSERT_MANY_EVENTS;
const DELETE = `DELETE FROM products WHERE +products.workspace_id = ?2 AND products.id IN (
  SELECT row.value ->> 0 FROM json_each(?1) AS row)`;

/** Lists of JSON of at most so many characters, each with at least one row. */
function* jsonParts(rows: readonly unknown[]): Generator<string> {
  let part: string[] = [];
  let length = 0;
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (part.length > 0 && length + json.length > MOST_JSON_CHARACTERS) {
      yield `[${part.join(",")}]`;
      [part, length] = [[], 0];
    }
    part.push(json);
    length += json.length;
  }
  if (part.length > 0) yield `[${part.join(",")}]`;
}

/** The ids of the files that are a product's pictures. */
export function fileIdsOf({ image, additionalImages }: ProductRow): string[] {
  return [image, ...additionalImages].flatMap((one) => (one && "file" in one ? one.file : []));
}

/**
 * Writes products with their events, all or nothing: new ones, and others only if each still has the
 * revision that it replaces. Some hundred at a time. The event that somebody wants.
 * @throws a unique conflict when an id stands or an external id is taken, what `isStale`,
 * `isImageGone` and `isProductLimit` know
 */
export async function writeProducts(
  db: Database,
  writes: readonly ProductWrite[],
  { workspaceId, follows = [] }: Beside,
): Promise<string | undefined> {
  const d1 = db.$client;
  const run = (sql: string, rows: readonly unknown[]) =>
    [...jsonParts(rows)].map((json) => d1.prepare(sql).bind(json, workspaceId));
  const made = writes.flatMap(({ before, after }) => (before ? [] : [after]));
  const changed = writes.flatMap(({ before, after }) =>
    before ? [{ before, row: { ...after, replaces: before.revision } }] : [],
  );
  const moved = changed.filter(({ before, row }) =>
    INDEXED.some((name) => before[name] !== row[name]),
  );
  const files = [...new Set(writes.flatMap(({ after }) => fileIdsOf(after)))];
  const events = [...jsonParts(writes.map(({ event }) => event))];
  const answers = await d1.batch([
    overfullRefusal(db, workspaceId),
    ...run(REFUSE_IF_FILE_GONE, files),
    ...run(
      UPDATE_INDEXED,
      moved.map(({ row }) => row),
    ),
    ...run(
      UPDATE,
      changed.map(({ row }) => row),
    ),
    ...run(INSERT, made),
    ...run(
      REFUSE_IF_CHANGED,
      writes.map(({ after }) => [after.id, after.revision]),
    ),
    ...events.map((json) => d1.prepare(eventInsertion(writes.length)).bind(json)),
    ...follows,
  ]);
  return findWanted(answers);
}

/**
 * Deletes products, if all of them have still the revisions that were read, with the events of that.
 * @throws what `isStale` knows
 */
export async function deleteProducts(
  db: Database,
  rows: readonly ProductRow[],
  events: readonly EventRow[],
  { workspaceId, follows = [] }: Beside,
): Promise<string | undefined> {
  const d1 = db.$client;
  const versions = JSON.stringify(rows.map(({ id, revision }) => [id, revision]));
  const answers = await d1.batch([
    d1.prepare(REFUSE_IF_CHANGED).bind(versions, workspaceId),
    d1.prepare(eventInsertion(events.length)).bind(JSON.stringify(events)),
    d1.prepare(DELETE).bind(versions, workspaceId),
    ...follows,
  ]);
  return findWanted(answers);
}

/** Whether a batch was aborted as a product changed after it was read, or another took its external id. */
export function isStale(error: unknown): boolean {
  return isMissing(error, "product_files.product_id") || isUniqueConflict(error);
}

/** Whether a batch was aborted as a picture is no file of the workspace. */
export function isImageGone(error: unknown): boolean {
  return isMissing(error, "product_files.file_id");
}
