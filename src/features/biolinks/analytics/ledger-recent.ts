import type { LedgerStore } from "./ledger.repository.ts";
import { eachCount, KEY_UNIT, KeyedCounts, measureOf, VISITORS } from "./ledger-counts.ts";
import { packetHash } from "./ledger-hashes.ts";
import { WORKSPACE } from "./ledger-keys.ts";
import {
  COUNTS,
  type LedgerPacket,
  type RecentMinute,
  type SubjectKind,
  TOLD_APART,
  TRAFFIC,
} from "./ledger-shapes.ts";
import type { SubjectNumbers } from "./ledger-subjects.ts";

const MINUTE_MILLISECONDS = 60_000;
const KEPT_MINUTES = 60;
/** Different numbers that a minute may have; what is over is counted for the workspace only, a product's not at all. */
const MAX_COUNTS_A_MINUTE = 5000;
/** The measures of what is told apart lie behind the others, where code of before passes them by. */
const APART = VISITORS;

/** Counts packets, which are counted for the first time, in the minute that each was made in. */
export function countRecent(
  store: LedgerStore,
  subjects: SubjectNumbers,
  packets: LedgerPacket[],
  time: number,
): void {
  const present = Math.floor(time / MINUTE_MILLISECONDS);
  const oldest = present - KEPT_MINUTES + 1;
  const minutes = new Map<number, KeyedCounts>();
  for (const { id, hits } of packets) {
    const { madeAt } = packetHash(id);
    if (madeAt === undefined || madeAt < oldest * MINUTE_MILLISECONDS) continue;
    // A clock that is ahead.
    const minute = Math.min(Math.floor(madeAt / MINUTE_MILLISECONDS), present);
    const counts = minutes.get(minute) ?? KeyedCounts.read(store.body("recent", minute));
    minutes.set(minute, counts);
    for (const { subject, id: of, count, traffic, hits: added } of hits) {
      const number = subjects.of(subject, of);
      const isApart = subject === TOLD_APART;
      const measure = measureOf(count, traffic) + (isApart ? APART : 0);
      const isOver =
        counts.counts.size >= MAX_COUNTS_A_MINUTE &&
        !counts.counts.has(number * KEY_UNIT + measure);
      const counted = isOver ? WORKSPACE : number;
      // Its block's hit is the workspace's already: nobody asks for it there.
      if (isApart && counted === WORKSPACE) continue;
      counts.add(counted, measure, added);
    }
  }
  for (const [minute, counts] of minutes) store.putBody("recent", minute, counts.write());
  store.purge("recent", { before: oldest, limit: KEPT_MINUTES });
}

/** What was counted in each minute since one, of all or of some subjects. */
export function recentMinutes(
  store: LedgerStore,
  since: number,
  time: number,
  of?: { subject: SubjectKind; ids: string[] },
): RecentMinute[] {
  const wanted = of && new Set(of.ids.map((id) => store.findSubject(of.subject, id)));
  const first = of?.subject === TOLD_APART ? APART : 0;
  const present = Math.floor(time / MINUTE_MILLISECONDS);
  const told: RecentMinute[] = [];
  for (let minute = Math.max(since, present - KEPT_MINUTES + 1); minute <= present; minute++) {
    const body = store.body("recent", minute);
    if (!body) continue;
    const sums = new Array<number>(VISITORS).fill(0);
    eachCount(body, (key, hits) => {
      const measure = (key % KEY_UNIT) - first;
      const sum = sums[measure];
      if (sum === undefined || (wanted && !wanted.has(Math.floor(key / KEY_UNIT)))) return;
      sums[measure] = sum + hits;
    });
    for (const [at, hits] of sums.entries()) {
      const count = COUNTS[Math.floor(at / TRAFFIC.length)];
      const traffic = TRAFFIC[at % TRAFFIC.length];
      if (hits > 0 && count && traffic) told.push({ minute, count, traffic, hits });
    }
  }
  return told;
}
