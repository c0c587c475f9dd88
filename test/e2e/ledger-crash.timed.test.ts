import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type Dimension,
  SLOT_MILLISECONDS,
} from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { LedgerOracle } from "../support/ledger-oracle.ts";
import { type SentVisit, visitAtPace } from "../support/node/paced-visits.ts";
import { createActiveLink, issueKey, type ListedLink } from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { sendRaw } from "../support/node/runtime-request.ts";
import { hitsIn, readTaken, type TakenPacket } from "../support/node/taken-packets.ts";
import { UnreliableQueue } from "../support/node/unreliable-queue.ts";

/** `LEDGER_KILLS=30 LEDGER_VISITS=100000` is the full proof. */
const KILLS = Number(process.env.LEDGER_KILLS ?? 3);
const VISITS = Number(process.env.LEDGER_VISITS ?? 5000);
const WORKSPACES = 4;
const LINKS = 6;
/** The documented bound of what an isolate that dies has not sent yet, and how long sending takes on a busy machine. */
const HELD_MILLISECONDS = 5000;
const SENDING_MILLISECONDS = 2000;
/** From a round's last visit to its kill: while hits are held, sent, delivered, added up, or after. */
const PAUSES_MILLISECONDS = [0, 7500, 1500, 5500];
const ROUND_SECONDS = 3;
const PATIENCE_MILLISECONDS = 120_000;
const DIMENSIONS: Dimension[] = [
  "link",
  "device",
  "browser",
  "os",
  "language",
  "referrer",
  "utm_campaign",
  "country",
];

interface Row {
  clicks: number;
  visitors: number;
  [dimension: string]: string | number | null;
}

let queue: UnreliableQueue;
let home: RuntimeHome;
let runtime: Runtime;
let keys: string[];
let printed = "";
const visits: SentVisit[] = [];
const kills: number[] = [];
/** Answers that told of more than had been sent to the queue by then. */
const tooHigh: string[] = [];
let questions = 0;

const pause = (milliseconds: number) =>
  new Promise<void>((resume) => setTimeout(resume, milliseconds));

async function kill(): Promise<void> {
  queue.deliverTo(undefined);
  kills.push(Date.now());
  await runtime.kill();
  printed += runtime.printed();
}

async function start(): Promise<void> {
  runtime = await startRuntime(home);
  queue.deliverTo(runtime.port);
}

const packets = new Map<string, TakenPacket>();
let read = 0;

/** Each packet that the queue took, once. */
function packetsOf(workspaceId?: string): TakenPacket[] {
  for (; read < queue.taken.length; read++) {
    const packet = readTaken(queue.taken[read]?.body);
    packets.set(packet.id, packet);
  }
  const all = [...packets.values()];
  return workspaceId === undefined ? all : all.filter((of) => of.workspace === workspaceId);
}

/** By the campaign that each visit of a round names. */
function hitsOfRound(round: number): number {
  const hits = packetsOf().flatMap((packet) => packet.hits);
  const ofRound = hits.filter(({ properties }) => properties.utm_campaign === `round-${round}`);
  return ofRound.reduce((sum, { hits: some }) => sum + some, 0);
}

async function ask(workspace: number, search: string): Promise<Row[]> {
  const path = `/api/v1/biolinks/analytics?metrics=clicks,visitors&limit=1000&${search}`;
  const headers = { Authorization: `Bearer ${keys[workspace]}` };
  const { status, text } = await sendRaw(runtime.port, { method: "GET", path, headers });
  if (status !== 200) throw new Error(text);
  return JSON.parse(text).data;
}

/** Questions all the time: each adds up what waits, so that kills fall into that too. */
async function askOn(isOver: () => boolean, ids: string[]): Promise<void> {
  while (!isOver()) {
    const workspace = Math.floor(Math.random() * WORKSPACES);
    const rows = await ask(workspace, "period=7d&traffic=all").catch(() => undefined);
    const [counted] = rows ?? [];
    if (counted) {
      questions++;
      const sent = hitsIn(packetsOf(ids[workspace]));
      if (counted.clicks > sent) tooHigh.push(`${counted.clicks} of ${sent}`);
    }
    await pause(400);
  }
}

/** The workspaces' ids, in the order of `keys`, as their links' packets name them. */
const ids: string[] = [];

beforeAll(
  async () => {
    queue = await UnreliableQueue.start("signpost-clicks");
    const vars = { KEY_RATE_LIMIT: "1000000", QUEUE_URL: queue.url, SPLIT_LEDGERS: "true" };
    home = createRuntimeHome(vars, { script: "handed-queue-worker.ts" });
    await start();
    keys = await Promise.all(Array.from({ length: WORKSPACES }, () => issueKey(runtime.port)));
    const links: ListedLink[][] = [];
    for (const key of keys) {
      const made: ListedLink[] = [];
      for (let n = 0; n < LINKS; n++) made.push(await createActiveLink(runtime.port, key));
      links.push(made);
    }
    await learnIds(links);
    let isOver = false;
    const asking = askOn(() => isOver, ids);
    for (let round = 1; round <= KILLS + 1; round++) {
      const isLast = round > KILLS;
      let isKilled = false;
      // What a kill cut off comes in the rounds that are left.
      const due = Math.ceil((VISITS - visits.length) / (KILLS + 2 - round));
      const paced = { links, visits: due, seconds: ROUND_SECONDS, round };
      const visiting = visitAtPace(runtime.port, paced, () => isKilled);
      if (isCutOff(round) && !isLast) await pause(ROUND_SECONDS * 900);
      else await visiting;
      if (isLast) visits.push(...(await visiting));
      if (isLast) break;
      await pause(pauseOf(round));
      isKilled = true;
      await kill();
      visits.push(...(await visiting));
      await start();
    }
    isOver = true;
    await asking;
  },
  KILLS * 60_000 + PATIENCE_MILLISECONDS,
);

afterAll(async () => {
  await queue?.stop();
  await runtime?.kill();
  home?.remove();
});

/** One visit of each workspace, before any that counts here is lost: its packet says whose it is. */
async function learnIds(links: ListedLink[][]): Promise<void> {
  const paced = { links, visits: WORKSPACES, seconds: 0, round: 0 };
  visits.push(...(await visitAtPace(runtime.port, paced)));
  await vi.waitFor(() => expect(packetsOf()).toHaveLength(WORKSPACES), { timeout: 20_000 });
  for (const ofWorkspace of links) {
    const own = new Set(ofWorkspace.map(({ id }) => id));
    const [packet] = packetsOf().filter(({ hits }) => hits.some(({ id }) => own.has(id)));
    ids.push(packet?.workspace ?? "");
  }
  expect(new Set(ids).size).toBe(WORKSPACES);
}

describe(`${KILLS} kills -9 under ${VISITS} visits, packets thrice, late and in no order`, () => {
  test("lose no visit but those of the last seconds before a kill", async () => {
    const rounds = Array.from({ length: KILLS + 1 }, (_, at) => at + 1);
    const last = visits.filter(({ round }) => round === KILLS + 1).length;
    await expect.poll(() => hitsOfRound(KILLS + 1), { timeout: 20_000 }).toBe(last);
    const lost: number[] = [];
    for (const round of rounds) {
      const ofRound = visits.filter((visit) => visit.round === round);
      const answered = ofRound.flatMap(({ answeredAt }) => answeredAt ?? []);
      const end = kills[round - 1] ?? Number.POSITIVE_INFINITY;
      const safe = answered.filter((at) => at < end - HELD_MILLISECONDS - SENDING_MILLISECONDS);
      const sent = hitsOfRound(round);
      lost.push(answered.length - sent);
      expect(sent, `round ${round}`).toBeGreaterThanOrEqual(safe.length);
      expect(sent, `round ${round}`).toBeLessThanOrEqual(ofRound.length);
    }
    const answered = visits.filter(({ answeredAt }) => answeredAt !== undefined).length;
    const told = { sent: visits.length, answered, inPackets: hitsIn(packetsOf()) };
    console.log(`visits: ${JSON.stringify(told)}; lost by kill: ${lost.slice(0, -1).join(" ")}`);
    expect(visits.length).toBe(VISITS);
    // Where the kill came later than that, it lost nothing.
    const calm = rounds.filter((round) => round <= KILLS && pauseOf(round) >= 7000);
    expect(calm.map((round) => lost[round - 1])).toEqual(calm.map(() => 0));
  });

  test(
    "count what is in the packets, each once, whatever became of their deliveries",
    async () => {
      await expect
        .poll(() => queue.left, { timeout: PATIENCE_MILLISECONDS, interval: 200 })
        .toBe(0);
      const all = packetsOf().length;
      const { delivered, cutOff } = queue;
      console.log(
        JSON.stringify({ packets: all, delivered, cutOff, kills: kills.length, questions }),
      );
      expect(delivered).toBeGreaterThanOrEqual(3 * all);
      await expectExact();
      expect(tooHigh).toEqual([]);
      expect(questions).toBeGreaterThan(KILLS);
    },
    2 * PATIENCE_MILLISECONDS,
  );

  test(
    "count them no more after one more kill, when all come once more",
    async () => {
      await kill();
      await start();
      await expectExact();
      queue.repeatAll();
      await expect
        .poll(() => queue.left, { timeout: PATIENCE_MILLISECONDS, interval: 200 })
        .toBe(0);
      await expectExact();
    },
    2 * PATIENCE_MILLISECONDS,
  );

  test("leave no fault in the ledgers", () => {
    const lines = (printed + runtime.printed()).split("\n");
    const faults = lines.filter((line) => /"event":"(ledger_(?!split)|message_failed)/.test(line));
    expect(faults).toEqual([]);
    const splits = lines.filter((line) => line.includes('"event":"ledger_split"'));
    console.log(`ledgers that split: ${splits.length} of ${WORKSPACES}`);
    expect(splits.length).toBeGreaterThan(0);
  });
});

/** Each third kill comes while visits are under way. */
function isCutOff(round: number): boolean {
  return round % 3 === 0;
}

function pauseOf(round: number): number {
  if (isCutOff(round)) return 0;
  return PAUSES_MILLISECONDS[(round - Math.floor(round / 3)) % PAUSES_MILLISECONDS.length] ?? 0;
}

/** All that a workspace can ask about is what goes through all packets one by one say too. */
async function expectExact(): Promise<void> {
  const now = Math.floor(Date.now() / SLOT_MILLISECONDS);
  for (const [workspace, id] of ids.entries()) {
    const own = packetsOf(id);
    const oracle = new LedgerOracle();
    await oracle.append(own);
    const total = async () => (await ask(workspace, "period=7d&traffic=all"))[0]?.clicks;
    await expect.poll(total, { timeout: 30_000, interval: 500 }).toBe(hitsIn(own));
    for (const traffic of ["all", "human", "crawler"] as const) {
      let clicks: number | undefined;
      for (const dimension of DIMENSIONS) {
        const rows = await ask(workspace, `period=7d&traffic=${traffic}&group_by=${dimension}`);
        const { rows: right } = await oracle.answer({
          metrics: ["clicks", "visitors"],
          groupBy: [dimension],
          buckets: [0, now + 1],
          traffic,
          filters: [],
        });
        // Somebody who came in several rounds is a visitor of the one that was added up first.
        const columns = dimension === "utm_campaign" ? 1 : 2;
        const counted = rows.map((row) => [
          row[dimension] ?? "",
          ...[row.clicks, row.visitors].slice(0, columns),
        ]);
        const expected = right.map(({ keys: [key], counts }) => [key, ...counts.slice(0, columns)]);
        expect(counted.sort(), `${traffic} by ${dimension}`).toEqual(expected.sort());
        const sum = rows.reduce((all, row) => all + row.clicks, 0);
        clicks ??= sum;
        expect(sum, `${traffic} by ${dimension}`).toBe(clicks);
      }
    }
  }
}
