/** What other features' statements need of the deliveries. */

/** SQL that joins a delivery by the SQL of its target's id and its own. */
export function joinDelivery(targetId: string, id: string): string {
  return `JOIN target_deliveries AS deliveries
    ON deliveries.target_id = ${targetId} AND deliveries.id = ${id}`;
}

/**
 * SQL of whether an attempt has no end yet, by the SQL of its delivery and of its number, which D1
 * binds as 1.0.
 */
export function hasNotEnded(targetId: string, deliveryId: string, number: string): string {
  return `NOT EXISTS (SELECT 1 FROM target_deliveries AS attempted
    WHERE attempted.target_id = ${targetId} AND attempted.id = ${deliveryId}
      AND attempted.attempts ->> ('$."' || CAST(${number} AS INTEGER) || '".durationMs') IS NOT NULL)`;
}

/** SQL that joins a delivery of a workspace that has not come to its end. */
export function joinOpenDelivery(targetId: string, id: string, workspaceId: string): string {
  return `${joinDelivery(targetId, id)} AND deliveries.workspace_id = ${workspaceId}
    AND deliveries.status IN ('pending', 'parked')`;
}
