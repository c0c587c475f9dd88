import { env } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import { type Database, sharedDatabase } from "../../src/platform/db/client.ts";

/** A database that notes the SQL of each query that is prepared on it. */
export function notingDatabase(): { db: Database; statements: string[] } {
  const statements: string[] = [];
  const d1 = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "prepare") {
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  return { db: sharedDatabase({ ...env, DB: d1 } as Env), statements };
}

/** The steps by which the database would run a statement. */
export async function planOf(statement: string, parameters: unknown[]): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .bind(...parameters)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

/** How many parameters a statement takes. */
export function parametersIn(statement: string): number {
  const numbered = [...statement.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number));
  return numbered.length > 0 ? Math.max(...numbered) : (statement.match(/\?/g) ?? []).length;
}

/** How many columns each unique index has, by its name. */
export const UNIQUE_INDEXES = `SELECT list.name,
    (SELECT count(*) FROM pragma_index_info(list.name)) AS columns
  FROM sqlite_master, pragma_index_list(sqlite_master.name) AS list
  WHERE sqlite_master.type = 'table' AND sqlite_master.name NOT LIKE '\\_cf%' ESCAPE '\\'
    AND list."unique" = 1`;

/** The same, of the database. */
export async function uniqueIndexes(): Promise<ReadonlyMap<string, number>> {
  const { results } = await env.DB.prepare(UNIQUE_INDEXES).all<{ name: string; columns: number }>();
  return new Map(results.map(({ name, columns }) => [name, columns]));
}
