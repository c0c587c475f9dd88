import type { Database } from "../platform/db/client.ts";
import { jobPlaceSaving } from "../platform/db/job-places.ts";
import { leastIdAt } from "../platform/ids.ts";
import { WALKED_TARGETS } from "./walked-targets.repository.ts";

interface Share {
  job: string;
  /** The last target that was looked at. */
  place: string;
  targets: number;
  limit: number;
  /** The place of a job that has come to the end. */
  atEnd: string;
}

/**
 * Deletes up to `limit` deliveries made before a time, as their ids say, of the next up to `targets`
 * targets behind `place`, and saves how far it came. They lie by target: what each has is not read,
 * but its oldest.
 */
export async function deleteOldDeliveries(
  db: Database,
  before: number,
  { job, place, targets, limit, atEnd }: Share,
): Promise<{ deleted: number; place: string }> {
  const d1 = db.$client;
  const { results: walked } = await d1
    .prepare(`${WALKED_TARGETS} SELECT target FROM walked WHERE target IS NOT NULL`)
    .bind(place, targets)
    .all<{ target: string }>();
  const { results: old } = await d1
    .prepare(
      `SELECT target_id AS target, old.id FROM json_each(?1) AS walked
         CROSS JOIN target_deliveries AS old ON old.target_id = walked.value AND old.id < ?2
       LIMIT ?3`,
    )
    .bind(JSON.stringify(walked.map(({ target }) => target)), leastIdAt(before), limit)
    .all<{ target: string; id: string }>();
  const isFull = old.length === limit;
  const isEnd = walked.length < targets;
  // Behind the last: no id has such an end.
  const last = isFull ? old.at(-1)?.target : `${walked.at(-1)?.target}~`;
  const next = isEnd && !isFull ? atEnd : (last ?? atEnd);
  await d1.batch([
    d1
      .prepare(
        `DELETE FROM target_deliveries WHERE (target_id, id) IN (
           SELECT value ->> 'target', value ->> 'id' FROM json_each(?1))`,
      )
      .bind(JSON.stringify(old)),
    jobPlaceSaving(db, job, next),
  ]);
  return { deleted: old.length, place: next };
}
