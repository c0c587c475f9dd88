/**
 * `npm run bench:growth`: each operation of the API, each job and each queue's consumer over a
 * workspace's data and over ten times as much: the rows that it and all that it causes read and
 * write, and its time. Exits 1 when ten times the data cost more than 1.3 times as much.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createResolver } from "../test/support/node/resolver.ts";
import { chosen } from "./chosen.ts";
import { stopAll } from "./contestant.ts";
import { Bench, type Rows } from "./growth/bench.ts";
import { listOperations, type Operation } from "./growth/operations.ts";
import { type Sizes, store, TEN_TIMES } from "./growth/stored.ts";
import { median } from "./statistics.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SCALE = Number(process.env.BENCH_SCALE ?? 1);
const MAX_RATIO = 1.3;
/** Differences of less are noise: a job of the minute, a clock. */
const SLACK = { rows: 3, milliseconds: 3 };

type Figures = Rows & { milliseconds: number };

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function measure(bench: Bench, { prepare, run }: Operation): Promise<Figures> {
  const prepared = await prepare?.(bench);
  const before = await bench.untilQuiet();
  const began = performance.now();
  await run(bench, prepared);
  const milliseconds = performance.now() - began;
  const after = await bench.untilQuiet();
  return {
    milliseconds,
    read: after.read - before.read,
    written: after.written - before.written,
    gateRead: after.gateRead - before.gateRead,
    gateWritten: after.gateWritten - before.gateWritten,
  };
}

/** What was not measured (NaN) is no proof of anything. */
function isMore(once: number, tenTimes: number, slack: number): boolean {
  return !(tenTimes <= once * MAX_RATIO || tenTimes - once <= slack);
}

const receiver = await listen(
  createServer((request, response) =>
    request.resume().on("end", () => response.writeHead(204).end()),
  ),
);
const resolver = await listen(createResolver());
const scaled = (by: number) =>
  Object.fromEntries(
    Object.entries(TEN_TIMES).map(([what, count]) => [what, Math.max(Math.ceil(count * by), 10)]),
  ) as Sizes;

const benches = [
  await Bench.open("1x", `${resolver}dns-query`, receiver),
  await Bench.open("10x", `${resolver}dns-query`, receiver),
];
for (const [at, bench] of benches.entries()) {
  const began = performance.now();
  await bench.found(receiver);
  await store(bench, scaled(at === 0 ? SCALE / 10 : SCALE));
  console.error(`${bench.label} stored in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

const [one] = benches as [Bench, Bench];
let grown = 0;
console.log(
  "| What | rows read, 1× | 10× | written, 1× | 10× | gate read, 1× | 10× | ms, 1× | 10× | |",
);
console.log("| - | - | - | - | - | - | - | - | - | - |");
const operations = await listOperations(one);
const names = chosen(operations.map(({ name }) => name));
for (const operation of operations.filter(({ name }) => names.has(name))) {
  const figures: Figures[][] = [[], []];
  // The first round warms both up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, bench] of benches.entries()) {
      const measured = await measure(bench, operation);
      if (round > 0) figures[at]?.push(measured);
    }
  }
  const of = (what: keyof Figures) =>
    figures.map((all) => median(all.map((one) => one[what]))) as [number, number];
  const told = {
    read: of("read"),
    written: of("written"),
    gateRead: of("gateRead"),
    milliseconds: of("milliseconds"),
  };
  const more = [
    isMore(...told.read, SLACK.rows) && "reads more",
    isMore(...told.written, SLACK.rows) && "writes more",
    isMore(...told.gateRead, SLACK.rows) && "gate reads more",
    isMore(...told.milliseconds, SLACK.milliseconds) && "slower",
  ].filter(Boolean);
  if (more.length > 0) grown++;
  const { milliseconds, ...rows } = told;
  const cells = [
    operation.name,
    ...Object.values(rows).flat(),
    ...milliseconds.map((ms) => ms.toFixed(1)),
    more.join(", "),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
await stopAll();
console.log(grown === 0 ? "Nothing grew." : `${grown} grew.`);
process.exitCode = grown === 0 ? 0 : 1;
