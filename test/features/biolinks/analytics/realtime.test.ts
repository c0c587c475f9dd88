import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LedgerStore } from "../../../../src/features/biolinks/analytics/ledger.repository.ts";
import {
  KEY_UNIT,
  KeyedCounts,
  VISITORS,
} from "../../../../src/features/biolinks/analytics/ledger-counts.ts";
import type { LedgerPacket } from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { hitAt, OTHER_LINK, SOME_LINK } from "../../../support/analytics.ts";
import { countIn, insideLedger, newLedger } from "../../../support/ledger.ts";

const NOW = Date.parse("2026-11-22T14:07:30Z");
const MINUTE = 60_000;
const THIS_MINUTE = Math.floor(NOW / MINUTE);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A packet made at a time, of a person's clicks on a link. */
function packetMadeAt(time: number, hits = 1, id = SOME_LINK): LedgerPacket {
  vi.setSystemTime(time);
  const made = { id: newId(), hits: [hitAt(time, { hits, id })] };
  vi.setSystemTime(NOW);
  return made;
}

const clicks = (minute: number, hits: number) => ({
  minute,
  count: "clicks",
  traffic: "human",
  hits,
});

it("counts a packet once, in the minute that it was made in, however late and often it comes", async () => {
  const ledger = newLedger();
  const late = packetMadeAt(NOW - 10 * MINUTE, 5);
  await ledger.append([packetMadeAt(NOW, 2), late, late]);
  expect((await ledger.recent(THIS_MINUTE - 29)).minutes).toEqual([
    clicks(THIS_MINUTE - 10, 5),
    clicks(THIS_MINUTE, 2),
  ]);
  await ledger.append([late, packetMadeAt(NOW - 10 * MINUTE, 1)]);
  expect((await ledger.recent(THIS_MINUTE - 29)).minutes).toEqual([
    clicks(THIS_MINUTE - 10, 6),
    clicks(THIS_MINUTE, 2),
  ]);
});

it("tells of the minutes and the subjects that it is asked for", async () => {
  const ledger = newLedger();
  await ledger.append([
    packetMadeAt(NOW - 5 * MINUTE, 1),
    packetMadeAt(NOW - 4 * MINUTE, 2),
    packetMadeAt(NOW, 3, OTHER_LINK),
  ]);
  const { minutes } = await ledger.recent(THIS_MINUTE - 4);
  expect(minutes).toEqual([clicks(THIS_MINUTE - 4, 2), clicks(THIS_MINUTE, 3)]);
  const of = async (...ids: string[]) =>
    (await ledger.recent(THIS_MINUTE - 59, { subject: "link", ids })).minutes;
  expect(await of(OTHER_LINK)).toEqual([clicks(THIS_MINUTE, 3)]);
  expect(await of(OTHER_LINK, SOME_LINK)).toHaveLength(3);
  expect(await of(newId())).toEqual([]);
});

it("tells of a product's clicks to who asks for the product: they are a block's too", async () => {
  const ledger = newLedger();
  const made = packetMadeAt(NOW, 3);
  const product = hitAt(NOW, { subject: "product", id: OTHER_LINK, hits: 2, traffic: "crawler" });
  await ledger.append([{ ...made, hits: [...made.hits, product] }]);
  expect((await ledger.recent(0)).minutes).toEqual([clicks(THIS_MINUTE, 3)]);
  const of = async (subject: "link" | "product", id: string) =>
    (await ledger.recent(0, { subject, ids: [id] })).minutes;
  expect(await of("product", OTHER_LINK)).toEqual([
    { ...clicks(THIS_MINUTE, 2), traffic: "crawler" },
  ]);
  expect(await of("product", SOME_LINK)).toEqual([]);
  expect(await of("link", OTHER_LINK)).toEqual([]);
});

it("keeps nothing of a product's clicks beyond those numbers, nor takes it for another count", async () => {
  expect(2 * VISITORS).toBeLessThanOrEqual(KEY_UNIT);
  const ledger = newLedger();
  const made = packetMadeAt(NOW);
  const last = { subject: "product", count: "submissions", traffic: "prefetch" } as const;
  const hits = Array.from({ length: 5100 }, () => hitAt(NOW, { id: newId() }));
  const [first, over] = [newId(), newId()];
  const products = [first, over].map((id) => hitAt(NOW, { ...last, id, hits: 3 }));
  await ledger.append([
    { ...made, hits: [...products.slice(0, 1), ...hits, ...products.slice(1)] },
  ]);
  expect((await ledger.recent(0)).minutes).toEqual([clicks(THIS_MINUTE, 5100)]);
  const of = async (id: string) =>
    (await ledger.recentNewer(0, { subject: "product", ids: [id] })).minutes;
  const { count, traffic } = last;
  expect(await of(first)).toEqual([{ minute: THIS_MINUTE, count, traffic, hits: 3 }]);
  expect(await of(over)).toEqual([]);
  const kept = await insideLedger(
    ledger,
    (_, { storage }) =>
      KeyedCounts.read(new LedgerStore(storage.sql).body("recent", THIS_MINUTE)).counts.size,
  );
  // The product, 4,999 links, and the workspace, which has the others'.
  expect(kept).toBe(5001);
});

it("keeps an hour, and no more of a minute than five thousand numbers", async () => {
  const ledger = newLedger();
  await ledger.append([packetMadeAt(NOW - 60 * MINUTE, 1), packetMadeAt(NOW - 59 * MINUTE, 2)]);
  const made = packetMadeAt(NOW);
  const hits = Array.from({ length: 5100 }, () => hitAt(NOW, { id: newId() }));
  await ledger.append([{ ...made, hits }]);
  expect((await ledger.recent(0)).minutes).toEqual([
    clicks(THIS_MINUTE - 59, 2),
    clicks(THIS_MINUTE, 5100),
  ]);
  const last = { subject: "link" as const, ids: [hits.at(-1)?.id ?? ""] };
  expect((await ledger.recent(0, last)).minutes).toEqual([]);
  vi.setSystemTime(NOW + 90 * MINUTE);
  await ledger.append([packetMadeAt(NOW + 90 * MINUTE)]);
  vi.setSystemTime(NOW + 90 * MINUTE);
  expect((await ledger.recent(0)).minutes).toEqual([clicks(THIS_MINUTE + 90, 1)]);
  expect(await insideLedger(ledger, (_, state) => countIn(state, "recent"))).toBe(1);
});
