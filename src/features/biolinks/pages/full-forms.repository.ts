import type { Database } from "../../../platform/db/client.ts";

/** A form that takes so many accepted submissions and no more. */
export interface LimitedForm {
  block: string;
  limit: number;
}

/** Those of some forms, at most a page's, that have taken as many as they may. */
export async function findFull(
  db: Database,
  workspaceId: string,
  forms: readonly LimitedForm[],
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT page_blocks.id FROM json_each(?2) AS form
         CROSS JOIN form_counts ON form_counts.block_id = form.value ->> 'block'
           AND form_counts.accepted >= form.value ->> 'limit'
         CROSS JOIN page_blocks ON page_blocks.id = form_counts.block_id
           AND +page_blocks.workspace_id = ?1`,
    )
    .bind(workspaceId, JSON.stringify(forms))
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}
