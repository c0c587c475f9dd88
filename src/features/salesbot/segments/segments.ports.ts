/** What other features' statements need of segments. */

/** SQL: no segment names a tag or a stage, by the SQL of its id. */
export function unusedBySegments(kind: "tag" | "stage", id: string): string {
  return `NOT EXISTS (SELECT 1 FROM segment_uses WHERE ${kind}_id = ${id})`;
}
