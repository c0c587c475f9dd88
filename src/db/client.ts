import { drizzle } from "drizzle-orm/d1";

export type Database = ReturnType<typeof connect>;

function connect(binding: D1Database) {
  return drizzle(binding);
}

const connections = new WeakMap<D1Database, Database>();

/** The query builder over D1, made once per isolate. Reads and writes go to the primary. */
export function database(binding: D1Database): Database {
  let connection = connections.get(binding);
  if (!connection) {
    connection = connect(binding);
    connections.set(binding, connection);
  }
  return connection;
}
