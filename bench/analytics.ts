/**
 * `npm run bench:analytics`: a ledger with the events of a year, how long it takes to answer, and
 * what a flood of visits with invented referrers and utm values makes of it. BENCH_EVENTS,
 * BENCH_LINKS, BENCH_DAYS and BENCH_FLOOD make it smaller. Before that, what of the processor a
 * ledger takes for BENCH_SPLIT events that it adds up, and that it hands on to shards. Of the days the last BENCH_MADE (30) are
 * made visit by visit, the others are copies of theirs. Exits 1 when a target is missed.
 */
import {
  type LedgerQuestion,
  SLOT_MILLISECONDS,
} from "../src/features/biolinks/analytics/ledger-shapes.ts";
import { benchWorker, type Contestant, start, stopAll } from "./contestant.ts";
import type { Asked, Copying, Filling } from "./ledger-filling.ts";
import { processorTime } from "./processor-time.ts";

const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000);
const LINKS = Number(process.env.BENCH_LINKS ?? 1000);
const DAYS = Number(process.env.BENCH_DAYS ?? 365);
const MADE = Math.min(DAYS, Number(process.env.BENCH_MADE ?? 30));
/** Compactions a day: two hundred and more where there are visits all day; each writes the same rows. */
const PARTS = Number(process.env.BENCH_PARTS ?? 1);
/** Visits with invented texts, half to one link and half to all. */
const FLOOD = Number(process.env.BENCH_FLOOD ?? 1_000_000);
const FLOOD_PART = 25_000;
/**
 * Of a flood's day: 20,000 texts of 120 characters, twice; 1.4 MB of a link, but at most 1 KB for
 * each of its visits.
 */
const FLOOD_BYTES = 20_000 * 2 * 150 + 1_400_000 + (FLOOD / 2) * 200;
const INVENTED = ["referrer", "utm_source", "utm_medium", "utm_campaign"] as const;
/** In packets of 500. */
const SPLIT = Number(process.env.BENCH_SPLIT ?? 100_000);
const REPEATS = 40;
const TARGET_MILLISECONDS = 100;
const MONTH_DAYS = 30;

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const SLOTS_A_DAY = DAY_MILLISECONDS / SLOT_MILLISECONDS;
const FIRST_DAY = Math.floor(Date.now() / DAY_MILLISECONDS) - DAYS;
const END = (FIRST_DAY + DAYS) * SLOTS_A_DAY;
/** As New York is behind UTC in winter. */
const BEHIND = 5 * 4;

/** Buckets of so many slots, back from the end of the last day. */
function buckets(count: number, slots: number, shift = 0): number[] {
  return Array.from({ length: count + 1 }, (_, at) => END + shift - (count - at) * slots);
}

const ofLink = (rank: number) => ({
  dimension: "link" as const,
  values: [`018f0000-0000-7000-8000-${rank.toString(16).padStart(12, "0")}`],
  isExcluded: false,
});

interface Case {
  name: string;
  asked: Partial<LedgerQuestion>;
  isNamed?: boolean;
}

const year = buckets(1, DAYS * SLOTS_A_DAY);
const yearThere = buckets(1, DAYS * SLOTS_A_DAY, BEHIND - SLOTS_A_DAY);
const month = Math.min(MONTH_DAYS, DAYS);
const CASES: Case[] = [
  { name: "year by day", asked: { buckets: buckets(DAYS, SLOTS_A_DAY) }, isNamed: true },
  {
    name: "year by day, New York",
    asked: { buckets: buckets(DAYS, SLOTS_A_DAY, BEHIND - SLOTS_A_DAY) },
    isNamed: true,
  },
  { name: "year by country", asked: { buckets: year, groupBy: ["country"] }, isNamed: true },
  {
    name: "year by country, New York",
    asked: { buckets: yearThere, groupBy: ["country"] },
    isNamed: true,
  },
  { name: "year by referrer", asked: { buckets: year, groupBy: ["referrer"] }, isNamed: true },
  {
    name: "year by referrer, New York",
    asked: { buckets: yearThere, groupBy: ["referrer"] },
    isNamed: true,
  },
  { name: "year by link", asked: { buckets: year, groupBy: ["link"] } },
  {
    name: "year by day and country",
    asked: { buckets: buckets(DAYS, SLOTS_A_DAY), groupBy: ["country"] },
  },
  {
    name: "first link, year by day",
    asked: { buckets: buckets(DAYS, SLOTS_A_DAY), filters: [ofLink(0)] },
  },
  {
    name: "first link, year by referrer",
    asked: { buckets: year, groupBy: ["referrer"], filters: [ofLink(0)] },
  },
  {
    name: "100th link, year by country and device",
    asked: { buckets: year, groupBy: ["country", "device"], filters: [ofLink(100)] },
  },
  {
    name: "month by country and device",
    asked: { buckets: buckets(1, month * SLOTS_A_DAY), groupBy: ["country", "device"] },
  },
  {
    name: "month by day in a country, New York",
    asked: {
      buckets: buckets(month, SLOTS_A_DAY, BEHIND - SLOTS_A_DAY),
      filters: [{ dimension: "country", values: ["C0"], isExcluded: false }],
    },
  },
  { name: "day by hour and country", asked: { buckets: buckets(24, 4), groupBy: ["country"] } },
];

async function post<Answer>(port: number, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.split("\n")[0]);
  return JSON.parse(text);
}

async function run(): Promise<boolean> {
  const durableObjects = { LEDGER: { className: "BenchLedger", useSQLite: true } };
  // Its alarm looks for scans to tell of, by the database.
  const bindings = { durableObjects, d1Databases: { DB: "DB" } };
  const ledger = await start("ledger", benchWorker("ledger.ts", bindings));
  const { port } = ledger;
  await compareSplit(ledger);
  const began = performance.now();
  const first = FIRST_DAY + DAYS - MADE;
  for (let at = 0; at < MADE; at++) {
    const day = (first + at) * DAY_MILLISECONDS;
    const filling: Filling = { day, events: EVENTS / DAYS, links: LINKS, parts: PARTS };
    await post(port, "/fill", filling);
    if (at % 10 === 9) process.stderr.write(`${at + 1} days, ${seconds(began)} s\n`);
  }
  for (let before = MADE; before < DAYS; before += MADE) {
    const missing = Math.max(0, MADE + before - DAYS);
    const copying: Copying = { first: first + missing, days: MADE - missing, before };
    await post(port, "/copy", copying);
  }
  const { bytes, rows } = await post<Size>(port, "/size", {});
  console.log(
    `${EVENTS} events of ${LINKS} links in ${DAYS} days, filled in ${seconds(began)} s: ` +
      `${(bytes / 1e6).toFixed(1)} MB, ${(bytes / EVENTS).toFixed(1)} bytes an event, ` +
      `${Math.round((bytes / LINKS / DAYS) * MONTH_DAYS)} bytes a link-month; ${JSON.stringify(rows)}`,
  );
  let isMet = true;
  for (const { name, asked, isNamed } of CASES)
    isMet = (await measure(ledger, name, asked, { isNamed })) && isMet;
  return (await flood(ledger)) && isMet;
}

/**
 * What one object does for an event before and after it splits, its shards adding up later; and for
 * a question, which all of them are asked then.
 */
async function compareSplit(ledger: Contestant): Promise<void> {
  const { port, pid } = ledger;
  // In the future, so that no alarm comes by itself.
  const day = (FIRST_DAY + DAYS + 2) * DAY_MILLISECONDS;
  for (const name of ["whole", "split", "whole", "split"]) {
    const filling: Filling = { day, events: SPLIT, links: LINKS, parts: 20 };
    await post(port, `/send?ledger=${name}`, filling);
    const before = processorTime(pid);
    await post(port, `/count?ledger=${name}`, {});
    const used = ((processorTime(pid) - before) / SPLIT).toFixed(1);
    console.log(`a ledger that is ${name}: ${used} µs of the processor an event`);
  }
  const asked = { buckets: [0, day / SLOT_MILLISECONDS + 1], groupBy: ["country" as const] };
  for (const name of ["whole", "split"]) {
    await measure(ledger, `${name}, a day by country`, asked, { ledger: name });
    const ofLink0 = { ...asked, filters: [ofLink(0)] };
    await measure(ledger, `${name}, one link's day by country`, ofLink0, { ledger: name });
  }
}

interface Size {
  bytes: number;
  rows: Record<string, number>;
}

/** A day after the others, of which each visit names what nobody has named before. */
async function flood(ledger: Contestant): Promise<boolean> {
  const { port } = ledger;
  const before = await post<Size>(port, "/size", {});
  const began = performance.now();
  const day = (FIRST_DAY + DAYS) * DAY_MILLISECONDS;
  let sent = 0;
  for (const links of [1, LINKS]) {
    const parts = Math.ceil(FLOOD / 2 / FLOOD_PART);
    for (let part = 0; part < parts; part++) {
      const events = Math.round(FLOOD / 2 / parts);
      sent += events;
      await post(port, "/fill", { day, events, links, parts: 1, isFlood: true } satisfies Filling);
    }
    const { bytes, rows } = await post<Size>(port, "/size", {});
    console.log(
      `a flood of ${FLOOD / 2} invented referrers and utm values to ${links} links: ` +
        `${((bytes - before.bytes) / 1e6).toFixed(1)} MB more than before, ` +
        `${(rows.terms ?? 0) - (before.rows.terms ?? 0)} texts, ${seconds(began)} s`,
    );
  }
  const { bytes, rows } = await post<Size>(port, "/size", {});
  console.log(`before: ${before.bytes} bytes, ${JSON.stringify(before.rows)}`);
  console.log(`after: ${bytes} bytes, ${JSON.stringify(rows)}`);
  const isExact = await countFlood(port, sent);
  const isBounded = isExact && bytes - before.bytes <= FLOOD_BYTES;
  console.log(`at most ${FLOOD_BYTES / 1e6} MB${isBounded ? " (target met)" : " (TARGET MISSED)"}`);
  const later = year.map((slot) => slot + SLOTS_A_DAY);
  const asked = { buckets: later, groupBy: ["referrer"] } satisfies Case["asked"];
  return (
    (await measure(ledger, "year by referrer, with the flood", asked, { isNamed: true })) &&
    isBounded
  );
}

/** How many different values the flood's day has of each property; whether each adds up to all visits. */
async function countFlood(port: number, sent: number): Promise<boolean> {
  const kept: string[] = [];
  let isExact = true;
  for (const dimension of INVENTED) {
    const question: LedgerQuestion = {
      metrics: ["clicks"],
      groupBy: [dimension],
      buckets: [END, END + SLOTS_A_DAY],
      traffic: "all",
      filters: [],
    };
    const { rows, total } = await post<Asked>(port, "/ask", question);
    kept.push(`${dimension} ${rows} values of ${total} visits`);
    isExact &&= total === sent;
  }
  console.log(`kept of ${sent}: ${kept.join(", ")}${isExact ? "" : " (SOME ARE MISSING)"}`);
  return isExact;
}

async function measure(
  { port, pid }: Contestant,
  name: string,
  asked: Partial<LedgerQuestion>,
  { isNamed = false, ledger = "bench" } = {},
): Promise<boolean> {
  const question = {
    metrics: ["clicks", "visitors"],
    groupBy: [],
    traffic: "human",
    filters: [],
    ...asked,
  };
  const times: number[] = [];
  let answered: Asked = { rows: 0, total: 0, rowsRead: 0 };
  const used = processorTime(pid);
  try {
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const startedAt = performance.now();
      answered = await post<Asked>(port, `/ask?ledger=${ledger}`, question);
      times.push(performance.now() - startedAt);
    }
  } catch (fault) {
    console.log(`${name}: refused: ${fault}`);
    return !isNamed;
  }
  const processor = (processorTime(pid) - used) / REPEATS / 1000;
  times.sort((one, two) => one - two);
  const [p50 = 0, p95 = 0] = [times[REPEATS / 2], times[Math.ceil(REPEATS * 0.95) - 1]];
  const isMissed = isNamed && p95 > TARGET_MILLISECONDS;
  console.log(
    `${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, processor ${processor.toFixed(1)} ms, ${answered.rows} rows of ${answered.rowsRead} read` +
      (isMissed ? " (TARGET MISSED)" : ""),
  );
  return !isMissed;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

let isMet = false;
try {
  isMet = await run();
} finally {
  await stopAll();
}
process.exit(isMet ? 0 : 1);
