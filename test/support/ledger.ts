import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { DayCombinations } from "../../src/features/biolinks/analytics/ledger-combinations.ts";
import {
  KEY_UNIT,
  OTHER_VALUES,
  VISITORS,
} from "../../src/features/biolinks/analytics/ledger-counts.ts";
import {
  type CountedHits,
  type LedgerPacket,
  type LedgerQuestion,
  type LedgerRow,
  PROPERTIES,
  SLOT_MILLISECONDS,
  TRAFFIC,
} from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { OTHER } from "../../src/features/biolinks/analytics/referrer.ts";
import type { WorkspaceLedger } from "../../src/features/biolinks/analytics/workspace-ledger.ts";
import type { Env } from "../../src/platform/config.ts";
import { newId } from "../../src/platform/ids.ts";

const env = bindings as unknown as Env;

export function ledgerAt(workspaceId: string) {
  return env.LEDGER.getByName(workspaceId);
}

export function newLedger() {
  return ledgerAt(crypto.randomUUID());
}

export type LedgerStub = ReturnType<typeof ledgerAt>;

export const slotOf = (time: number) => Math.floor(time / SLOT_MILLISECONDS);

/** One person's click on a link now, but for what is given. */
export function hit(given: Partial<CountedHits> = {}): CountedHits {
  return {
    subject: "link",
    id: "link-1",
    slot: slotOf(Date.now()),
    count: "clicks",
    traffic: "human",
    properties: {},
    hits: 1,
    visitors: [],
    ...given,
  };
}

export function packet(hits: CountedHits[], id = newId()): LedgerPacket {
  return { id, hits };
}

/** What a ledger answers to a question about people's clicks of all time, but for what is given. */
export async function ask(
  ledger: LedgerStub,
  given: Partial<LedgerQuestion> = {},
): Promise<LedgerRow[]> {
  await countWaiting(ledger);
  const { rows } = await ledger.answer({
    metrics: ["clicks"],
    groupBy: [],
    buckets: [0, slotOf(Date.now()) + 1],
    traffic: "human",
    filters: [],
    ...given,
  });
  return rows;
}

/** Has a ledger count all that waits, of which each question does a second's work. */
export async function countWaiting(ledger: LedgerStub): Promise<void> {
  do await ledger.totals("link", []);
  while ((await insideLedger(ledger, countInboxes)) > 0);
}

/** Works inside a ledger, with its own SQLite. */
export function insideLedger<Result>(
  ledger: LedgerStub,
  work: (ledger: WorkspaceLedger, state: DurableObjectState) => Result | Promise<Result>,
): Promise<Result> {
  return runInDurableObject(ledger, (instance, state) => work(instance as WorkspaceLedger, state));
}

/** Has a ledger split when it adds up the next time, whatever its size. */
export function splitNext(ledger: LedgerStub): Promise<void> {
  const splitBounds = { bytes: 0, behindMilliseconds: Number.POSITIVE_INFINITY };
  return insideLedger(ledger, (instance) => void Object.assign(instance, { splitBounds }));
}

/** The first day that a ledger counts in shards; undefined while it has none. */
export function splitDayOf(ledger: LedgerStub): Promise<number | undefined> {
  return insideLedger(
    ledger,
    (_, { storage }) => storage.kv.get<{ firstDay: number }>("split")?.firstDay,
  );
}

/** A ledger's shards. */
export function shardsOf(workspaceId: string): LedgerStub[] {
  return Array.from({ length: 16 }, (_, shard) => ledgerAt(`${workspaceId}/${shard}`));
}

/** Rows that wait to be counted. */
function countInboxes(_: WorkspaceLedger, state: DurableObjectState): number {
  return countIn(state, "waiting") + countIn(state, "waiting_4");
}

export function countIn({ storage }: DurableObjectState, table: string): number {
  return storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
}

interface Counted {
  kind: string;
  country: string;
  device: string;
  referrer: string;
  clicks: number;
}

/** How a ledger tells a link's clicks apart, its slots added up; in the order of kinds and devices. */
export async function countedOf(workspaceId: string, linkId: string): Promise<Counted[]> {
  const ledger = ledgerAt(workspaceId);
  await ledger.totals("link", []);
  return insideLedger(ledger, (_, { storage: { sql } }) => {
    const terms = new Map<number, string>([[OTHER_VALUES, OTHER]]);
    for (const { id, text } of sql.exec<{ id: number; text: string }>("SELECT id, text FROM terms"))
      terms.set(id, text);
    const bodies = sql.exec<{ body: ArrayBuffer }>(
      `SELECT body FROM counts, subjects WHERE subjects.kind = 'link' AND subjects.id = ?
         AND key % 32 = 0 AND key / 32 % 16777216 = subjects.number`,
      linkId,
    );
    const rows = new Map<string, Counted>();
    for (const { body } of bodies) {
      DayCombinations.read(new Uint8Array(body)).each((values, key, hits) => {
        const [country, device, referrer] = (["country", "device", "referrer"] as const).map(
          (property) => terms.get(values[PROPERTIES.indexOf(property)] ?? 0) ?? "",
        );
        // Behind the hits, by count and traffic, people are counted too.
        if (key % KEY_UNIT >= VISITORS) return;
        const kind = TRAFFIC[(key % KEY_UNIT) % TRAFFIC.length] ?? "";
        const name = [kind, device, country, referrer].join();
        const row = rows.get(name) ?? ({ kind, country, device, referrer, clicks: 0 } as Counted);
        row.clicks += hits;
        rows.set(name, row);
      });
    }
    return [...rows].sort(([one], [two]) => (one < two ? -1 : 1)).map(([, row]) => row);
  });
}
