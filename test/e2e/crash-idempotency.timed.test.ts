import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  creation,
  issueKey,
  type ListedLink,
  listAllLinks,
  retryWhileInProgress,
} from "../support/node/runtime-client.ts";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import {
  openSocket,
  type RawAnswer,
  type RawRequest,
  sendRaw,
} from "../support/node/runtime-request.ts";
import { type Remains, readRemains } from "../support/node/runtime-storage.ts";

const STAGES = ["before the claim", "claimed", "committed", "settled", "answered"] as const;
type Stage = (typeof STAGES)[number];
const KILLS = 30;
/** Of each stage this many are wanted; more kills are made, up to the most, to have them. */
const WANTED = 3;
const MOST_KILLS = 120;
const AIM_STEP_MILLISECONDS = 0.4;

interface KillPoint {
  request: RawRequest;
  destination: string;
  stage: Stage;
  answer: RawAnswer | undefined;
  remains: Remains;
}

let home: RuntimeHome;
let runtime: Runtime;
let key: string;

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000000", IDEMPOTENCY_LEASE_SECONDS: "1" });
  runtime = await startRuntime(home);
  key = await issueKey(runtime.port);
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

describe("a runtime killed with kill -9 while a client creates a link", () => {
  const points: KillPoint[] = [];
  const retried = new Map<KillPoint, RawAnswer>();
  let links: ListedLink[];

  const landed = (...stages: Stage[]) => points.filter(({ stage }) => stages.includes(stage));
  const madeFor = (point: KillPoint) =>
    links.filter(({ destination }) => destination === point.destination);
  const idOf = (answer: RawAnswer | undefined) => answer && JSON.parse(answer.text).data.id;

  beforeAll(async () => {
    const aim = await aimAtStages();
    while (points.length < KILLS || (someStageIsRare() && points.length < MOST_KILLS)) {
      const { target, delay } = aim.next(points.length);
      const point = await killDuringCreation(points.length, delay);
      points.push(point);
      aim.correct(target, STAGES.indexOf(point.stage));
      runtime = await startRuntime(home);
    }
    for (const point of points) {
      retried.set(point, await retryWhileInProgress(runtime.port, point.request));
    }
    links = await listAllLinks(runtime.port, key);
    const counts = STAGES.map((stage) => `${landed(stage).length} ${stage}`);
    console.log(`${points.length} kills: ${counts.join(", ")}`);
  });

  function someStageIsRare(): boolean {
    const groups: Stage[][] = [
      ["before the claim"],
      ["claimed"],
      ["committed", "settled"],
      ["answered"],
    ];
    return groups.some((stages) => landed(...stages).length < WANTED);
  }

  test("the kills landed on every side of the claim, the commit and the answer", () => {
    expect(points.length).toBeGreaterThanOrEqual(KILLS);
    expect(landed("before the claim").length).toBeGreaterThanOrEqual(WANTED);
    expect(landed("claimed").length).toBeGreaterThanOrEqual(WANTED);
    expect(landed("committed", "settled").length).toBeGreaterThanOrEqual(WANTED);
    expect(landed("answered").length).toBeGreaterThanOrEqual(WANTED);
  });

  test("the retry creates what was asked for, with 201", () => {
    expect([...retried.values()].map(({ status }) => status)).toEqual(points.map(() => 201));
  });

  test("there is exactly one link for each request, and it is the one the retry answered", () => {
    for (const point of points) {
      expect(
        madeFor(point).map(({ id }) => id),
        point.stage,
      ).toEqual([idOf(retried.get(point))]);
    }
  });

  test("a link committed but not answered for is the link the retry answers", () => {
    for (const point of landed("committed", "settled", "answered")) {
      expect(point.remains.linkIds, point.stage).toEqual([idOf(retried.get(point))]);
    }
  });

  test("a request that was claimed has on its retry the id it was given then", () => {
    for (const point of landed("claimed", "committed", "settled", "answered")) {
      expect(idOf(retried.get(point)), point.stage).toBe(point.remains.claimedId);
    }
  });

  test("an answer that arrived comes again byte for byte, as a replay", () => {
    for (const point of landed("answered")) {
      const { answer } = point;
      const again = retried.get(point);
      expect(again?.text).toBe(answer?.text);
      expect(again?.status).toBe(answer?.status);
      expect(again?.headers.get("ETag")).toBe(answer?.headers.get("ETag"));
      expect(again?.headers.get("Content-Type")).toBe(answer?.headers.get("Content-Type"));
      expect(again?.headers.get("Idempotency-Replayed")).toBe("true");
    }
  });

  test("a chosen slug is the link's own, killed or not", () => {
    const chosen = points.filter(({ request }) => slugIn(request) !== undefined);
    expect(chosen.length).toBeGreaterThan(KILLS / 3);
    for (const point of chosen) {
      expect(madeFor(point)[0]?.slug, point.stage).toBe(slugIn(point.request));
    }
  });

  test("a second retry replays the first one's answer", async () => {
    for (const point of points) {
      const again = await sendRaw(runtime.port, point.request);
      expect(again.text, point.stage).toBe(retried.get(point)?.text);
      expect(again.headers.get("Idempotency-Replayed"), point.stage).toBe("true");
    }
  });
});

/** Creates a link and kills the runtime `delay` milliseconds after the request went out. */
async function killDuringCreation(number: number, delay: number): Promise<KillPoint> {
  await warmUp();
  const destination = `https://example.com/kill/${number}`;
  // Every third lets the Worker choose; STAGES has five, so both kinds meet every stage.
  const slug = number % 3 === 0 ? {} : { slug: `kill-${number}` };
  const idempotencyKey = `kill-point-${number}`;
  const request = creation(key, idempotencyKey, { destination, ...slug });
  const send = await openSocket(runtime.port);
  const exchange = send(request);
  const end = performance.now() + delay;
  // A timer has whole milliseconds: too coarse.
  while (performance.now() < end) await new Promise(setImmediate);
  await runtime.kill();
  await exchange.closed;
  const answer = exchange.answer();
  const remains = readRemains(home.storage, idempotencyKey, destination);
  return { request, destination, stage: stageOf(answer, remains), answer, remains };
}

function stageOf(answer: RawAnswer | undefined, remains: Remains): Stage {
  if (answer) return "answered";
  if (remains.settled) return "settled";
  if (remains.linkIds.length > 0) return "committed";
  return remains.claimedId ? "claimed" : "before the claim";
}

/** The first requests after a start take ten times as long: too long to aim at anything. */
async function warmUp(): Promise<number> {
  let milliseconds = 0;
  for (let run = 0; run < 3; run++) {
    const send = await openSocket(runtime.port);
    const begin = performance.now();
    const destination = "https://example.com/warm-up";
    await send(creation(key, `warm-up-${crypto.randomUUID()}`, { destination })).answered;
    milliseconds = performance.now() - begin;
  }
  return milliseconds;
}

/** Aims at each stage in turn, from how long a request takes, and corrects by where kills land. */
async function aimAtStages() {
  const whole = await warmUp();
  const delays = [0.1, 0.4, 0.7, 0.9, 1.4].map((part) => part * whole);
  return {
    next(number: number) {
      const target = number % STAGES.length;
      const jitter = (Math.random() - 0.5) * AIM_STEP_MILLISECONDS;
      return { target, delay: Math.max(0, (delays[target] ?? 0) + jitter) };
    },
    correct(target: number, landed: number) {
      const step = Math.sign(target - landed) * AIM_STEP_MILLISECONDS;
      delays[target] = Math.max(0, (delays[target] ?? 0) + step);
    },
  };
}

function slugIn(request: RawRequest): string | undefined {
  return (request.body as { slug?: string }).slug;
}
