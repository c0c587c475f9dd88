/** What other features' statements need of the deliveries. */

/** What a delivery takes without the responses kept of its attempts. */
export const DELIVERY_BYTES = 900;

/** SQL of what a delivery takes, by the SQL of its id, with the responses kept of its attempts. */
export function deliveryBytes(id: string): string {
  return `${DELIVERY_BYTES} + coalesce((SELECT sum(bytes) FROM delivery_attempts
    WHERE delivery_id = ${id}), 0)`;
}
