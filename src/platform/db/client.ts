import { drizzle } from "drizzle-orm/d1";
import type { Env } from "../config.ts";

export type Database = ReturnType<typeof connect>;

function connect(binding: D1Database) {
  return drizzle(binding);
}

const connections = new WeakMap<D1Database, Database>();

/** The query builder over D1, made once per isolate. Reads and writes go to the primary. */
function connectionOf(binding: D1Database): Database {
  let connection = connections.get(binding);
  if (!connection) {
    connection = connect(binding);
    connections.set(binding, connection);
  }
  return connection;
}

/** The database that a workspace's records are in. Today that is one for all of them. */
export function databaseOf(env: Env, _workspaceId: string): Database {
  return connectionOf(env.DB);
}

/** Where workspaces themselves are listed, and what jobs look through for work that is due. */
export function sharedDatabase(env: Env): Database {
  return connectionOf(env.DB);
}

/**
 * From where the database is read. `primary`: not from a replica, which may be behind. `notBefore`: from
 * wherever it is at least as new as it was for the session that had this bookmark.
 */
export type ReadFrom = "primary" | "anywhere" | { notBefore: string };

/** A session that reads what is shared by all workspaces, or is looked up before one is known. */
export function sharedSession(env: Env, from: ReadFrom): D1DatabaseSession {
  const d1 = sharedDatabase(env).$client;
  if (typeof from === "object") return d1.withSession(from.notBefore);
  return d1.withSession(from === "primary" ? "first-primary" : "first-unconstrained");
}
