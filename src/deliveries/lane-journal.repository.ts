import type { BegunAttempt, FinishedAttempt } from "./delivery-attempt.ts";

type Row = Record<"entry", string>;
type FormerRow = { attempt: string; is_over: number };

/** What one write says: attempts that are over, that begin, and deliveries of which nothing is left to say. */
interface Entry {
  ended?: FinishedAttempt[];
  begun?: BegunAttempt[];
  gone?: string[];
}

/** So much of an entry is in one row, which takes 2 MB: a character may have three bytes. */
const MOST_CHARACTERS = 300_000;
/** When something is forgotten with so many rows, what is left is written anew. */
const MOST_ROWS = 50;

/**
 * What a lane has under way, in its own SQLite: an attempt is written here before its POST leaves
 * (nothing leaves a Durable Object before what it wrote is on disk), and stays until the database
 * has it, or until it is taken back. So a lane that dies knows what it may have begun. Each write is
 * one row that is added at the end: with a row for each attempt, SQLite took a seventh of a burst's time.
 */
export class LaneJournal {
  readonly #storage: DurableObjectStorage;
  /** What the rows say together, by the delivery's id; undefined: they were not read yet. */
  #known: Map<string, Known> | undefined;
  #rows = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, entry TEXT NOT NULL)",
    );
    // Of before 2026-11-28, a row for each attempt: what a lane of then has left is taken over.
    storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS attempts (
         delivery_id TEXT PRIMARY KEY, attempt TEXT NOT NULL, is_over INTEGER NOT NULL DEFAULT 0
       ) WITHOUT ROWID`,
    );
  }

  /** Writes that some attempts are over and that others begin, all or none. */
  write(ended: FinishedAttempt[], begun: BegunAttempt[]): void {
    if (ended.length + begun.length === 0) return;
    const known = this.#read();
    this.#add({ ended, begun });
    note(known, { ended, begun });
  }

  /** Forgets attempts that the database has now. */
  forget(attempts: { id: string }[]): void {
    const known = this.#read();
    const gone = [...new Set(attempts.map(({ id }) => id))].filter((id) => known.has(id));
    if (gone.length === 0) return;
    if (gone.length === known.size) this.#clear();
    else this.#add({ gone });
    note(known, { gone });
    if (this.#rows > MOST_ROWS) this.#writeAnew(known);
  }

  /** What a lane that died had begun, or written ahead, and what it had not brought to the database yet. */
  left(): { begun: BegunAttempt[]; finished: FinishedAttempt[] } {
    // By what is stored, as the lane that comes next would.
    this.#known = undefined;
    const known = [...this.#read().values()];
    return {
      begun: known.filter((one) => !isOver(one)),
      finished: known.filter(isOver),
    };
  }

  #read(): Map<string, Known> {
    if (this.#known) return this.#known;
    const known = new Map<string, Known>();
    const { sql } = this.#storage;
    this.#rows = 0;
    for (const { entry } of sql.exec<Row>("SELECT entry FROM entries ORDER BY id")) {
      note(known, JSON.parse(entry));
      this.#rows++;
    }
    const former = sql.exec<FormerRow>("SELECT attempt, is_over FROM attempts").toArray();
    for (const { attempt, is_over } of former) {
      const one = JSON.parse(attempt);
      note(known, is_over ? { ended: [one] } : { begun: [one] });
    }
    if (former.length > 0) this.#writeAnew(known);
    this.#known = known;
    return known;
  }

  #add(entry: Entry): void {
    const rows = inRows(entry);
    this.#storage.transactionSync(() => {
      for (const row of rows) this.#storage.sql.exec("INSERT INTO entries (entry) VALUES (?)", row);
    });
    this.#rows += rows.length;
  }

  #clear(): void {
    this.#storage.sql.exec("DELETE FROM entries");
    this.#rows = 0;
  }

  #writeAnew(known: Map<string, Known>): void {
    const left = [...known.values()];
    this.#storage.transactionSync(() => {
      this.#clear();
      this.#storage.sql.exec("DELETE FROM attempts");
      this.#add({ ended: left.filter(isOver), begun: left.filter((one) => !isOver(one)) });
    });
  }
}

type Known = BegunAttempt | FinishedAttempt;

function isOver(attempt: Known): attempt is FinishedAttempt {
  return "endedAt" in attempt;
}

/** Of a delivery, what was written last is what there is. */
function note(known: Map<string, Known>, { ended = [], begun = [], gone = [] }: Entry): void {
  for (const attempt of [...ended, ...begun]) known.set(attempt.id, attempt);
  for (const id of gone) known.delete(id);
}

/** JSON of an entry, in as few rows as there is room in. */
function inRows({ ended = [], begun = [], gone = [] }: Entry): string[] {
  if (gone.length > 0) return [JSON.stringify({ gone })];
  const rows: string[] = [];
  let parts: { ended: string[]; begun: string[] } = { ended: [], begun: [] };
  let left = MOST_CHARACTERS;
  const close = () => {
    rows.push(`{"ended":[${parts.ended.join(",")}],"begun":[${parts.begun.join(",")}]}`);
    parts = { ended: [], begun: [] };
    left = MOST_CHARACTERS;
  };
  for (const [kind, attempts] of [
    ["ended", ended],
    ["begun", begun],
  ] as const) {
    for (const attempt of attempts) {
      const json = JSON.stringify(attempt);
      if (json.length > left && left < MOST_CHARACTERS) close();
      parts[kind].push(json);
      left -= json.length;
    }
  }
  close();
  return rows;
}
