/**
 * `npm run bench:webhooks`: events published through the operator's API to local receivers in a
 * process of their own. The lag from publishing to receipt, also while one receiver of ten hangs;
 * bursts, what each delivery costs, and their share of what a Worker does that only signs and
 * POSTs; what neighbours feel of 100,000 deliveries for nobody. Exits 1 when a target is missed.
 */
import { chosen } from "./chosen.ts";
import {
  benchWorker,
  type Contestant,
  migrate,
  signpost,
  start,
  stopAll,
  type WorkerSetup,
} from "./contestant.ts";
import { countingSignpost } from "./statement-count.ts";
import { burst, burstWork } from "./webhooks/burst.ts";
import { besideTheDead, type Death } from "./webhooks/dead.ts";
import { Table } from "./webhooks/figures.ts";
import { floor, receiversLimit } from "./webhooks/floor.ts";
import { type SteadyRound, steadyRound } from "./webhooks/hanging.ts";
import { stopReceivers } from "./webhooks/receivers.ts";
import { steady } from "./webhooks/steady.ts";
import { addBursts, addDead, addSteady, type BurstRound, isRatioTold } from "./webhooks/telling.ts";
import { found, type Tenant } from "./webhooks/tenant.ts";

const RECEIVERS = 10;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const BURST_EVENTS = Number(process.env.BENCH_BURST ?? 1000);
const PENDING = Number(process.env.BENCH_PENDING ?? 100_000);
const PARTS = chosen(["steady", "burst", "dead"]);
/** At most so many turns of a steady stream, if it takes so many to judge what one that hangs does. */
const MOST_STEADY_ROUNDS = 5 * ROUNDS;
const WARM_UP_SECONDS = 3;
const WARM_UP_EVENTS = 50;
const DEATHS: Death[] = ["hangs", "refuses"];

interface Bench {
  floor: Contestant;
  ten: Tenant;
  three: Tenant;
  one: Tenant;
  /** Of a Signpost of its own, which counts what is asked of the database. */
  counted: Tenant;
}

const VARS = {
  ALLOW_PRIVATE_TARGETS: "true",
  KEY_RATE_LIMIT: "1000000",
  WEBHOOK_CHANGE_RATE_LIMIT: "1000000",
};

async function startSignpost(setup: WorkerSetup) {
  const started = await start("signpost", setup);
  const database = await migrate(started);
  // What a plan allows is no matter here.
  await database
    .prepare("UPDATE plan_limits SET deliveries_an_hour = 1e8, pending_deliveries = 1e8")
    .run();
  return { started, database };
}

async function prepare(): Promise<Bench> {
  const { started: counting } = await startSignpost(countingSignpost(VARS));
  const { started: plain } = await startSignpost(signpost(VARS));
  return {
    floor: await start("floor", benchWorker("sign-and-post.ts")),
    ten: await found(plain, "Ten", RECEIVERS),
    three: await found(plain, "Three", 3),
    one: await found(plain, "One", 1),
    counted: await found(counting, "Three", 3),
  };
}

async function burstRound(bench: Bench): Promise<BurstRound> {
  const { three, one } = bench;
  return {
    three: await burst(three, BURST_EVENTS),
    floorOfThree: await floor(bench.floor, three.receivers, BURST_EVENTS),
    one: await burst(one, BURST_EVENTS),
    floorOfOne: await floor(bench.floor, one.receivers, BURST_EVENTS),
    counted: await burstWork(bench.counted, BURST_EVENTS),
  };
}

/** In a runtime of its own, whose memory can be asked for. */
async function addDeaths(table: Table): Promise<void> {
  const setup = { ...signpost(VARS), inspectorPort: 0 };
  const { started, database } = await startSignpost(setup);
  const inspector = Number((await started.runtime.getInspectorURL()).port);
  const ten = await found(started, "Ten", RECEIVERS);
  await steady(ten, WARM_UP_SECONDS);
  const seconds = SECONDS * ROUNDS;
  for (const death of DEATHS) {
    const alone = await steady(ten, seconds);
    const order = { death, pending: PENDING, seconds };
    addDead(table, PENDING, alone, await besideTheDead(ten, database, inspector, order));
  }
}

async function run(): Promise<boolean> {
  const bench = await prepare();
  const { ten, three, one } = bench;
  const table = new Table();
  await steady(ten, WARM_UP_SECONDS);
  for (const tenant of [three, one]) await burst(tenant, WARM_UP_EVENTS);
  await burstWork(bench.counted, WARM_UP_EVENTS);
  await floor(bench.floor, three.receivers, WARM_UP_EVENTS);
  table.add(
    "the receivers take, POSTs a second of one process",
    await receiversLimit(three.receivers),
  );
  const steadyRounds: SteadyRound[] = [];
  const burstRounds: BurstRound[] = [];
  // In turn, so that a busy machine is busy for all.
  for (let round = 1; round <= ROUNDS; round++) {
    if (PARTS.has("steady")) steadyRounds.push(await steadyRound(ten, SECONDS));
    if (PARTS.has("burst")) burstRounds.push(await burstRound(bench));
    process.stderr.write(`round ${round} of ${ROUNDS}\n`);
  }
  if (steadyRounds.length > 0) {
    while (!isRatioTold(steadyRounds) && steadyRounds.length < MOST_STEADY_ROUNDS)
      steadyRounds.push(await steadyRound(ten, SECONDS));
    addSteady(table, steadyRounds);
  }
  if (burstRounds.length > 0) addBursts(table, BURST_EVENTS, burstRounds);
  if (PARTS.has("dead")) await addDeaths(table);
  return table.print();
}

const passed = await run().finally(async () => {
  stopReceivers();
  await stopAll();
});
process.exit(passed ? 0 : 1);
