import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** How far a keyed request had come when its runtime was killed, by what the disk holds. */
export interface Remains {
  /** The id its link has, or is to have; undefined if the gate knows nothing of the request. */
  claimedId: string | undefined;
  /** The gate holds the response for replay. */
  settled: boolean;
  /** The ids of the links in the database that lead where the request said. */
  linkIds: string[];
}

/** Reads the storage of a killed runtime from a copy: its logs are left for the next start. */
export function readRemains(storage: string, idempotencyKey: string, destination: string): Remains {
  const claim = query(
    join(storage, "do/signpost-WorkspaceGate"),
    "SELECT resource_id AS id, state = 'done' AS settled FROM idempotency_claims WHERE idempotency_key = ?",
    idempotencyKey,
  )[0];
  const links = query(
    join(storage, "d1/miniflare-D1DatabaseObject"),
    "SELECT id FROM links WHERE destination = ?",
    destination,
  );
  return {
    claimedId: claim && String(claim.id),
    settled: claim?.settled === 1,
    linkIds: links.map(({ id }) => String(id)),
  };
}

/** How many visits of a link the ledgers hold: added up, or still in an inbox, once each. */
export function countClicks(storage: string, linkId: string): number {
  const folder = join(storage, "do/signpost-WorkspaceLedger");
  const people = "SELECT people FROM subjects WHERE kind = 'link' AND id = ?";
  const added = queryEach(folder, "subjects", people, linkId).map((row) => Number(row.people));
  const lines = ["waiting", "waiting_4"]
    .flatMap((inbox) => queryEach(folder, inbox, `SELECT packets FROM ${inbox}`))
    .flatMap(({ packets }) => String(packets).split("\n"));
  const waiting = new Map(
    lines
      .map((id, at): [string, string | undefined] => [id, lines[at + 1]])
      .filter((_, at) => at % 2 === 0),
  );
  const ofLink = [...waiting.values()].flatMap((packet = "") => {
    const { texts, hits } = JSON.parse(packet) as { texts: string[]; hits: number[][] };
    return hits.filter(([, id = 0, subject]) => subject === 0 && texts[id] === linkId);
  });
  return [...added, ...ofLink.map((of) => Number(of[6]))].reduce((all, one) => all + one, 0);
}

/** Reads the one database of a folder from a copy, whether it is in use or was left by a kill. */
export function query(folder: string, sql: string, ...parameters: string[]) {
  return read(folder, (databases) => {
    const [database] = databases;
    if (!database || databases.length > 1) throw new Error(`Not one database in ${folder}`);
    return database.prepare(sql).all(...parameters);
  });
}

/** The same of all databases of a folder that have a table by now, their rows in one list. */
export function queryEach(folder: string, table: string, sql: string, ...parameters: string[]) {
  if (!existsSync(folder)) return [];
  const hasTable = "SELECT 1 FROM sqlite_master WHERE name = ?";
  return read(folder, (databases) =>
    databases
      .filter((database) => database.prepare(hasTable).get(table))
      .flatMap((database) => database.prepare(sql).all(...parameters)),
  );
}

function read<Rows>(folder: string, ask: (databases: DatabaseSync[]) => Rows): Rows {
  const copy = mkdtempSync(join(tmpdir(), "signpost-remains-"));
  try {
    cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith("-shm") });
    const isData = (file: string) => file.endsWith(".sqlite") && file !== "metadata.sqlite";
    const files = readdirSync(copy).filter(isData);
    const databases = files.map((file) => new DatabaseSync(join(copy, file)));
    try {
      return ask(databases);
    } finally {
      for (const database of databases) database.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
