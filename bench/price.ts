/**
 * `npm run bench:price`: what 100 million visits a month cost at Cloudflare's prices, from what is
 * counted while visits come as often as that. BENCH_VISITS (50,000 by 38.6 a second: 22 minutes),
 * BENCH_ISOLATES (`1,40`: each of them alone) and BENCH_LINKS change it. Exits 1 when visits are not
 * all counted.
 */
import { makeDaySalt, migrate, startIsolates, stopAll } from "./contestant.ts";
import { countedClicks } from "./counted-clicks.ts";
import type { WorkDone } from "./database-work.ts";
import { LinkStore } from "./links.ts";
import { costOf, PRICES, type Priced } from "./price/prices.ts";
import { visitEvenly } from "./price/visitors.ts";
import { processorTime } from "./processor-time.ts";
import { sleep } from "./rounds.ts";
import { countingSignpost, difference, together, workOf } from "./statement-count.ts";
import { eachOnce, visits } from "./traffic.ts";

const MONTH_VISITS = 100_000_000;
const MONTH_SECONDS = 30 * 24 * 60 * 60;
const VISITS = Number(process.env.BENCH_VISITS ?? 50_000);
const LINKS = Number(process.env.BENCH_LINKS ?? 1000);
const ISOLATES = (process.env.BENCH_ISOLATES ?? "1,40").split(",").map(Number);
const PACE = MONTH_VISITS / MONTH_SECONDS;
const PREPARED_VISITS = 40_000;
/** Five in the isolate, two in the queue, and some more. */
const DRAIN_SECONDS = 10;

const slugOf = (link: number) => `Link-${link.toString(36).padStart(4, "0")}`;

interface Counted {
  isolates: number;
  /** In the run, by what has a price. */
  work: Record<Priced, number>;
  messages: number;
  bytes: number;
  isWhole: boolean;
}

/** Links that have been visited today: what is new once is not the price of a visit. */
async function prepare(isolates: number) {
  const started = await startIsolates(`${isolates}`, countingSignpost(), isolates, "any");
  await makeDaySalt(started.contestant);
  const store = await LinkStore.create(await migrate(started.contestant));
  await store.addLinks({ links: LINKS, slugOf });
  const [port = 0] = started.ports;
  await visitEvenly(eachOnce(LINKS, slugOf), [port], { count: LINKS, pace: 100 });
  return started;
}

async function run({ contestant, ports }: Awaited<ReturnType<typeof prepare>>): Promise<Counted> {
  await sleep(DRAIN_SECONDS);
  const before = await countedClicks(contestant, LINKS);
  const [first, used] = [await workOfAll(ports), processorTime(contestant.pid)];
  const traffic = visits(PREPARED_VISITS, LINKS, slugOf);
  await visitEvenly(traffic, ports, { count: VISITS, pace: PACE });
  await sleep(DRAIN_SECONDS);
  const processor = processorTime(contestant.pid) - used;
  const clicks = (await countedClicks(contestant, before + VISITS)) - before;
  const last = await workOfAll(ports);
  const { clicks: sent, ...done } = difference(last, first);
  const database = [done.requests, done.others, done.lanes];
  return {
    isolates: ports.length,
    messages: sent.messages,
    bytes: sent.bytes,
    isWhole: clicks === VISITS,
    work: {
      requests: VISITS + sent.batches,
      processor: processor / 1000,
      queue: sent.operations,
      objectRequests: done.ledgerCalls,
      objectRowsWritten: done.ledgerStorage.rowsWritten + done.ledgerStorage.keysWritten,
      objectRowsRead: done.ledgerStorage.rowsRead,
      databaseRowsRead: database.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      databaseRowsWritten: database.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
      saltReads: done.saltReads,
    },
  };
}

/** Of all isolates together. */
async function workOfAll(ports: number[]): Promise<WorkDone> {
  return together(await Promise.all(ports.map(workOf)));
}

function print({ isolates, work, messages, bytes, isWhole }: Counted): void {
  const scale = MONTH_VISITS / VISITS;
  console.log(
    `\n${isolates} isolates, ${VISITS} visits to ${LINKS} links at ${PACE.toFixed(1)} a second: ` +
      `${messages} messages, ${(VISITS / messages).toFixed(1)} visits and ` +
      `${Math.round(bytes / messages)} bytes each${isWhole ? "" : " (VISITS ARE MISSING)"}`,
  );
  console.table(
    (Object.keys(PRICES) as Priced[]).map((priced) => ({
      what: PRICES[priced].what,
      counted: Math.round(work[priced]),
      "of 100 M visits": `${((work[priced] * scale) / 1e6).toFixed(3)} M`,
      "US$ with what is in the plan": costOf(priced, work[priced] * scale, true).toFixed(2),
      "US$ without": costOf(priced, work[priced] * scale, false).toFixed(2),
    })),
  );
  const sum = (isFirst: boolean) =>
    (Object.keys(PRICES) as Priced[])
      .reduce((all, priced) => all + costOf(priced, work[priced] * scale, isFirst), 0)
      .toFixed(2);
  console.log(
    `US$ ${sum(true)} a month beside the plan's 5.00; without what is in it ${sum(false)}`,
  );
}

let isWhole = false;
try {
  const prepared = [];
  for (const isolates of ISOLATES) prepared.push(await prepare(isolates));
  // At the same time: each only waits for its visitors.
  const counted = await Promise.all(prepared.map(run));
  counted.forEach(print);
  isWhole = counted.every((one) => one.isWhole);
} finally {
  await stopAll();
}
process.exit(isWhole ? 0 : 1);
