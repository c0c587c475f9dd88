/**
 * SQL of the next up to ?2 targets that have deliveries, from ?1 on, as `walked (target)`: a row each
 * is read, however many deliveries it has. One without a target says that there are no more.
 */
export const WALKED_TARGETS = `WITH RECURSIVE walked (target) AS (
    SELECT (SELECT target_id FROM target_deliveries
      WHERE target_id >= ?1 ORDER BY target_id LIMIT 1)
    UNION ALL SELECT (SELECT target_id FROM target_deliveries
      WHERE target_id > walked.target ORDER BY target_id LIMIT 1)
    FROM walked WHERE walked.target IS NOT NULL LIMIT ?2
  )`;
