import {
  type Ledger,
  type LedgerQuestion,
  SLOT_MILLISECONDS,
} from "../src/features/biolinks/analytics/ledger-shapes.ts";
import type { Contestant } from "./contestant.ts";
import { sleep } from "./rounds.ts";

const WAIT_SECONDS = 120;

/**
 * The clicks in the ledgers of all workspaces, which add up what waits when they are asked: as soon as
 * there are as many as expected, or two minutes later.
 */
export async function countedClicks(contestant: Contestant, expected: number): Promise<number> {
  for (let waited = 0; ; waited++) {
    const clicks = await clicksNow(contestant);
    if (clicks >= expected || waited === WAIT_SECONDS) return clicks;
    await sleep(1);
  }
}

async function clicksNow({ runtime }: Contestant): Promise<number> {
  const database = await runtime.getD1Database("DB");
  const { results } = await database.prepare("SELECT id FROM workspaces").all<{ id: string }>();
  const ledgers = await runtime.getDurableObjectNamespace("LEDGER");
  const question: LedgerQuestion = {
    metrics: ["clicks"],
    groupBy: [],
    buckets: [0, Math.floor(Date.now() / SLOT_MILLISECONDS) + 1],
    traffic: "all",
    filters: [],
  };
  let clicks = 0;
  for (const { id } of results) {
    const ledger = ledgers.get(ledgers.idFromName(id)) as unknown as Ledger;
    const { rows } = await ledger.answer(question);
    clicks += rows[0]?.counts[0] ?? 0;
  }
  return clicks;
}
