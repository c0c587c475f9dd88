/** What other features' statements need of the deliveries. */

/** What a delivery takes without the responses kept of its attempts. */
export const DELIVERY_BYTES = 900;

/** SQL of what a delivery takes, by the SQL of its id, with the responses kept of its attempts. */
export function deliveryBytes(id: string): string {
  return `${DELIVERY_BYTES} + coalesce((SELECT sum(length(CAST(response_body AS BLOB))) FROM delivery_attempts
    WHERE delivery_id = ${id} AND length(response_body) > 200), 0)`;
}

/** SQL of whether an attempt, by the SQL of its delivery's id and its number, has no end yet. */
export function hasNotEnded(deliveryId: string, number: string): string {
  return `NOT EXISTS (SELECT 1 FROM delivery_attempts WHERE delivery_id = ${deliveryId}
    AND number = ${number} AND duration_ms IS NOT NULL)`;
}

/** SQL that joins a delivery that has not come to its end, by the SQL of its id and workspace. */
export function joinOpenDelivery(id: string, workspaceId: string): string {
  return `JOIN deliveries ON deliveries.id = ${id} AND deliveries.workspace_id = ${workspaceId}
    AND deliveries.status IN ('pending', 'parked')`;
}
