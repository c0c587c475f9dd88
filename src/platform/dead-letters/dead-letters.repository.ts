import { desc, lt } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { newId } from "../ids.ts";
import { describeFault } from "../log.ts";
import { now } from "../time.ts";
import { deadLetters } from "./dead-letters.table.ts";

export type DeadLetterRow = typeof deadLetters.$inferSelect;

/** A queue takes no more a message; a row of D1 takes 2 MB. */
const MAX_BODY_CHARACTERS = 131_072;

export interface DeadLetter {
  /** The queue that it came from, or the job that met it. */
  source: string;
  workspaceId?: string | undefined;
  /** What names the record, or the message itself. */
  body: unknown;
  fault: unknown;
  attempts: number;
}

/** The statement that sets something aside which cannot be processed. */
export function deadLetterInsert(db: Database, letter: DeadLetter) {
  return db.insert(deadLetters).values(rowOf(letter));
}

/** The same where a condition in SQL holds, whose parameters are ?1, ?2 and so on. */
export function deadLetterInsertIf(
  db: Database,
  letter: DeadLetter,
  condition: string,
  parameters: unknown[],
): D1PreparedStatement {
  const { id, source, workspaceId, body, fault, attempts, createdAt } = rowOf(letter);
  const values = [id, source, workspaceId, body, fault, attempts, createdAt];
  const places = values.map((_, at) => `?${parameters.length + at + 1}`);
  return db.$client
    .prepare(
      `INSERT INTO dead_letters (id, source, workspace_id, body, fault, attempts, created_at)
       SELECT ${places.join(", ")} WHERE ${condition}`,
    )
    .bind(...parameters, ...values);
}

function rowOf(letter: DeadLetter): DeadLetterRow {
  return {
    id: newId(),
    source: letter.source,
    workspaceId: letter.workspaceId ?? null,
    body: (JSON.stringify(letter.body) ?? "").slice(0, MAX_BODY_CHARACTERS),
    fault: describeFault(letter.fault).message,
    attempts: letter.attempts,
    createdAt: now(),
  };
}

/** Newest first; one row more than the page holds. */
export async function listDeadLetters(
  db: Database,
  page: { limit: number; beforeId: string | undefined },
): Promise<DeadLetterRow[]> {
  return db
    .select()
    .from(deadLetters)
    .where(page.beforeId ? lt(deadLetters.id, page.beforeId) : undefined)
    .orderBy(desc(deadLetters.id))
    .limit(page.limit + 1);
}

/** The statement that counts them, up to `most`. By an index: their bodies are not read. */
export function deadLetterCount(db: Database, most: number): D1PreparedStatement {
  return db.$client
    .prepare("SELECT count(*) AS n FROM (SELECT 1 FROM dead_letters LIMIT ?1)")
    .bind(most);
}
