/**
 * What Cloudflare's Workers Paid plan costs beyond its US$ 5 a month, in US$ a million, and how many
 * millions are in it: developers.cloudflare.com, the pages `platform/pricing` of Workers, Queues,
 * Durable Objects, D1 and KV, as looked up on 2026-11-23.
 */
export interface Price {
  what: string;
  includedMillions: number;
  perMillion: number;
}

const price = (what: string, includedMillions: number, perMillion: number): Price => ({
  what,
  includedMillions,
  perMillion,
});

export const PRICES = {
  requests: price("Workers: requests", 10, 0.3),
  processor: price("Workers: ms of CPU", 30, 0.02),
  queue: price("Queues: operations", 1, 0.4),
  objectRequests: price("Ledgers: calls and alarms", 1, 0.15),
  objectRowsWritten: price("Ledgers: rows written", 50, 1),
  objectRowsRead: price("Ledgers: rows read", 25_000, 0.001),
  databaseRowsRead: price("D1: rows read", 25_000, 0.001),
  databaseRowsWritten: price("D1: rows written", 50, 1),
  saltReads: price("KV: reads", 10, 0.5),
} as const;

export type Priced = keyof typeof PRICES;

/** US$ for so many of one kind in a month; `isFirst`: what is in the plan is not used up otherwise. */
export function costOf(priced: Priced, amount: number, isFirst: boolean): number {
  const { includedMillions, perMillion } = PRICES[priced];
  return Math.max(0, amount / 1e6 - (isFirst ? includedMillions : 0)) * perMillion;
}
