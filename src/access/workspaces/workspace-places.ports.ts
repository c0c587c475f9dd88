/** Where things of a workspace are, as its deletion needs to know it. */
import type { Context } from "../../platform/context/context.ts";
import { isOverload } from "../../platform/overload.ts";

/** A place with things of workspaces. */
export interface WorkspacePlace {
  /** Kept while a deletion is there. */
  name: string;
  /**
   * Erases the next of a workspace's things, some hundred at most, and says how far it is; undefined:
   * there are no more. Called again with the same position it does no harm.
   */
  eraseNext(ctx: Context, position: string): Promise<string | undefined>;
}

/** Each row may have a dozen written, by triggers. */
const ROWS = 250;
/** So many rows of all workspaces are looked at, of a table that has no index by workspace. */
const LOOKED_AT = 5000;

/** Rows of a table that has an index by workspace. */
export function ownRows(table: string, limit = ROWS): WorkspacePlace {
  return {
    name: table,
    async eraseNext({ db, workspaceId }) {
      const { results } = await db.$client
        .prepare(
          `DELETE FROM ${table} WHERE rowid IN
             (SELECT rowid FROM ${table} WHERE workspace_id = ?1 LIMIT ?2) RETURNING 1`,
        )
        .bind(workspaceId, limit)
        .all();
      return results.length < limit ? undefined : "";
    },
  };
}

/** The one row of a table that has the workspace's id. */
export function ownRow(table: string): WorkspacePlace {
  return {
    name: table,
    async eraseNext({ db, workspaceId }) {
      await db.$client.prepare(`DELETE FROM ${table} WHERE id = ?1`).bind(workspaceId).run();
      return undefined;
    },
  };
}

/** Rows of a table that has such an index, with those that name them by a column: each by its own index. */
export function rowsWithChildren(
  table: string,
  child: { table: string; column: string },
  limit: number,
): WorkspacePlace {
  return {
    name: table,
    async eraseNext({ db, workspaceId }) {
      const d1 = db.$client;
      const { results } = await d1
        .prepare(`SELECT id FROM ${table} WHERE workspace_id = ?1 LIMIT ?2`)
        .bind(workspaceId, limit)
        .all<{ id: string }>();
      const ids = JSON.stringify(results.map(({ id }) => id));
      const named = "IN (SELECT value FROM json_each(?1))";
      await d1.batch([
        d1.prepare(`DELETE FROM ${child.table} WHERE ${child.column} ${named}`).bind(ids),
        d1
          .prepare(`DELETE FROM ${table} WHERE id ${named} AND +workspace_id = ?2`)
          .bind(ids, workspaceId),
      ]);
      return results.length < limit ? undefined : "";
    },
  };
}

/**
 * Rows of a table that has none, as nobody asks for a workspace's: all are gone through, in the order
 * in which they came. An index would cost everybody a row for each that is written.
 */
export function rowsAmongAll(table: string): WorkspacePlace {
  return {
    name: table,
    async eraseNext({ db, workspaceId }, position) {
      const d1 = db.$client;
      const after = position === "" ? 0 : Number(position);
      const looked = await d1
        .prepare(
          `SELECT max(rowid) AS last, count(*) AS count FROM
             (SELECT rowid FROM ${table} WHERE rowid > ?1 ORDER BY rowid LIMIT ?2)`,
        )
        .bind(after, LOOKED_AT)
        .first<{ last: number | null; count: number }>();
      if (!looked || looked.last === null) return undefined;
      const { results } = await d1
        .prepare(
          `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table}
             WHERE rowid > ?1 AND rowid <= ?2 AND workspace_id = ?3 LIMIT ?4) RETURNING 1`,
        )
        .bind(after, looked.last, workspaceId, ROWS)
        .all();
      if (results.length === ROWS) return position;
      // Or others, who write on and on, would keep it here.
      return looked.count < LOOKED_AT ? undefined : `${looked.last}`;
    },
  };
}

/** What is no table, but a Durable Object: one that has too much to do says nothing of the database. */
export function otherPlace(name: string, erase: (ctx: Context) => Promise<void>): WorkspacePlace {
  return {
    name,
    async eraseNext(ctx) {
      await erase(ctx).catch((fault: unknown) => {
        throw isOverload(fault) ? new Error(`The ${name} has too much to do.`) : fault;
      });
      return undefined;
    },
  };
}
