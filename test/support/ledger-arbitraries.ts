import fc from "fast-check";
import {
  COUNTS,
  type CountedHits,
  type Dimension,
  type LedgerQuestion,
  PROPERTIES,
  SUBJECTS,
  TRAFFIC,
} from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { slotOf } from "./ledger.ts";

/** Objects that RPC takes. */
const plain = <Of>(of: { [Name in keyof Of]: fc.Arbitrary<Of[Name]> }) =>
  fc.record(of, { noNullPrototype: true });

export const SLOTS_A_DAY = 96;
export const IDS = ["a", "b", "c"];
const VALUES = ["", "x", "y", "z", "(other)"];
export const DIMENSIONS: Dimension[] = [...SUBJECTS, ...PROPERTIES];
/** 64 bits in base64url. */
const VISITORS = Array.from({ length: 8 }, (_, at) => `AAAAAAAAAA${"AEIMQUYc"[at]}`);

/**
 * Hits of the last four days and questions about them. Made anew by each file of tests, as files share
 * this module and a run may go on past midnight.
 */
export function ledgerArbitraries() {
  const newest = slotOf(Date.now());
  const today = Math.floor(newest / SLOTS_A_DAY);
  const SLOTS = fc.integer({ min: newest - 4 * SLOTS_A_DAY, max: newest });
  const Hits: fc.Arbitrary<CountedHits> = plain({
    subject: fc.constantFrom(...SUBJECTS),
    id: fc.constantFrom(...IDS),
    slot: SLOTS,
    count: fc.constantFrom(...COUNTS),
    traffic: fc.constantFrom(...TRAFFIC),
    properties: fc.dictionary(fc.constantFrom(...PROPERTIES), fc.constantFrom(...VALUES), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
    hits: fc.integer({ min: 1, max: 300 }),
    visitors: fc.uniqueArray(fc.constantFrom(...VISITORS), { maxLength: 4 }),
  });

  const Questions: fc.Arbitrary<LedgerQuestion> = plain({
    metrics: fc.uniqueArray(fc.constantFrom(...COUNTS, "visitors" as const), { minLength: 1 }),
    groupBy: fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { maxLength: 2 }),
    buckets: fc
      .uniqueArray(
        fc.oneof(
          SLOTS,
          fc.constantFrom(0, newest + 1, ...[0, 1, 2, 3].map((ago) => (today - ago) * SLOTS_A_DAY)),
        ),
        { minLength: 2, maxLength: 6 },
      )
      .map((slots) => slots.sort((one, two) => one - two)),
    traffic: fc.constantFrom("human", "crawler", "all"),
    filters: fc.array(
      plain({ dimension: fc.constantFrom(...DIMENSIONS), isExcluded: fc.boolean() }).chain((of) =>
        plain({
          dimension: fc.constant(of.dimension),
          isExcluded: fc.constant(of.isExcluded),
          values: fc.uniqueArray(fc.constantFrom(...IDS, ...VALUES, "never seen"), {
            minLength: 1,
            maxLength: 4,
          }),
        }),
      ),
      { maxLength: 2 },
    ),
  });

  const Packets = fc.array(fc.array(Hits, { maxLength: 12 }), { minLength: 1, maxLength: 6 });
  return { newest, today, Packets, Questions };
}
