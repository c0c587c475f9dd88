/** What other features' statements need of the deliveries. */

/** SQL of what a delivery takes, by the SQL of its id, with the responses kept of its attempts. */
export function deliveryBytes(id: string): string {
  return `900 + coalesce((SELECT sum(bytes) FROM delivery_attempts WHERE delivery_id = ${id}), 0)`;
}
