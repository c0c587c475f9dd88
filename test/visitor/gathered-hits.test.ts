import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentClasses, type KnownAgent } from "../../src/visitor/clicks/agent-classes.ts";
import { GatheredHits } from "../../src/visitor/clicks/gathered-hits.ts";
import { type Hit, propertiesOf, type SettledHits } from "../../src/visitor/clicks/hit.ts";
import { SLOT_MILLISECONDS } from "../../src/visitor/clicks/hit-names.ts";
import { agentOf } from "../../src/visitor/clicks/visitor-kind.ts";

const windows = (version: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
/** The first three are counted as one. */
const USER_AGENTS = [
  windows(138),
  windows(140),
  windows(142),
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "",
];

const hit: fc.Arbitrary<Hit> = fc.record({
  workspaceId: fc.constant("w"),
  subject: fc.constant("link" as const),
  id: fc.constantFrom("a", "a", "a", "b"),
  count: fc.constant("clicks" as const),
  domain: fc.constantFrom("", "go.example"),
  at: fc.constantFrom(0, 1, SLOT_MILLISECONDS),
  as: fc.constantFrom("visit" as const, "visit" as const, "head" as const, "prefetch" as const),
  country: fc.constantFrom("", "DE", "FR", "BE"),
  region: fc.constantFrom("", "BE"),
  language: fc.constantFrom("", "de", "en"),
  referrer: fc.constantFrom("", "news.example"),
  utm: fc.constantFrom("", "x\ny\nz"),
  userAgent: fc.constantFrom(...USER_AGENTS),
  visitor: fc.constantFrom(undefined, undefined, "hash-1", "hash-2"),
  address: fc.constantFrom(undefined, "10.0.0.1", "10.0.0.2"),
});

type Sums = Record<string, { hits: number; people: string[] }>;

/** What is told of hits, in the plainest way. */
function expected(hits: Hit[]): Sums {
  const sums: Sums = {};
  for (const one of hits) {
    const agent = agentOf(one.userAgent);
    const traffic = one.as !== "visit" ? one.as : agent.isCrawler ? "crawler" : "human";
    const slot = Math.floor(one.at / SLOT_MILLISECONDS);
    const { id, subject, count } = one;
    const key = JSON.stringify([id, subject, count, slot, traffic, propertiesOf(one, agent, one)]);
    sums[key] ??= { hits: 0, people: [] };
    sums[key].hits++;
    if (traffic !== "human") continue;
    if (one.visitor) sums[key].people.push(one.visitor);
    else if (one.address) sums[key].people.push(`${one.userAgent} ${one.address}`);
  }
  return withPeopleOnce(sums);
}

function told(settled: SettledHits[]): Sums {
  const sums: Sums = {};
  for (const { id, subject, count, slot, traffic, properties, hits, ...who } of settled) {
    const { visitors, people } = who;
    const key = JSON.stringify([id, subject, count, slot, traffic, properties]);
    // What is counted alike is one row: else each sending grows with its user agents.
    expect(sums).not.toHaveProperty([key]);
    const pairs = people.flatMap((text, at) => (at % 2 ? [] : [`${text} ${people[at + 1]}`]));
    sums[key] = { hits, people: [...visitors, ...pairs] };
  }
  return withPeopleOnce(sums);
}

function withPeopleOnce(sums: Sums): Sums {
  const once = Object.entries(sums).map(([key, { hits, people }]) => [
    key,
    { hits, people: [...new Set(people)].sort() },
  ]);
  return Object.fromEntries(once);
}

async function settledOf(gathered: GatheredHits, agents: AgentClasses): Promise<SettledHits[]> {
  await gathered.learn(agents);
  return [...gathered.settle()];
}

describe("hits that are gathered", () => {
  it("add up to what came, whoever is known already, one row for what is counted alike", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hit, { maxLength: 400, size: "max" }),
        fc.subarray(USER_AGENTS),
        fc.nat(400),
        async (hits, known, learntAfter) => {
          const agents = new AgentClasses();
          const gathered = new GatheredHits();
          for (const [at, one] of hits.entries()) {
            // Known before, or while they are gathered: another sending has learnt them.
            if (at === Math.min(learntAfter, hits.length - 1))
              for (const agent of known) await agents.classOf(agent, { left: 400 });
            const agent = agents.recall(one.userAgent);
            gathered.add({ ...one, userAgent: agent?.userAgent ?? one.userAgent }, agent);
          }
          expect(gathered.hits).toBe(hits.length);
          expect(told(await settledOf(gathered, agents))).toEqual(expected(hits));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("are told five hundred visitors at a time, each hit once", async () => {
    const agents = new AgentClasses();
    const gathered = new GatheredHits();
    const [one] = fc.sample(hit, { numRuns: 1, seed: 1 });
    const like = { ...(one as Hit), as: "visit" as const, userAgent: windows(142) };
    for (let at = 0; at < 1201; at++)
      gathered.add({ ...like, visitor: `${at}`, address: undefined }, undefined);
    for (let at = 0; at < 700; at++)
      gathered.add({ ...like, visitor: undefined, address: `10.0.0.${at}` }, undefined);
    for (let at = 0; at < 50; at++)
      gathered.add({ ...like, visitor: undefined, address: undefined }, undefined);
    const settled = await settledOf(gathered, agents);
    const told = settled.map(({ hits, visitors, people }) => [
      hits,
      visitors.length,
      people.length,
    ]);
    expect(told).toEqual([
      [500, 500, 0],
      [500, 500, 0],
      [201, 201, 0],
      [500, 0, 1000],
      [200, 0, 400],
      [50, 0, 0],
    ]);
    expect(new Set(settled.flatMap(({ visitors }) => visitors)).size).toBe(1201);
    expect(new Set(settled.flatMap(({ people }) => people)).size).toBe(701);
  });

  it("of ten thousand strange user agents are counted without theirs, and others have their turn", async () => {
    const agents = new AgentClasses();
    const gathered = new GatheredHits();
    const [one] = fc.sample(hit, { numRuns: 1, seed: 1 });
    if (!one) throw new Error("There is no hit.");
    for (let at = 0; at < 10_000; at++) {
      const utm = `${at % 100}\n\n`;
      gathered.add({ ...one, as: "visit", utm, userAgent: `Agent-${at}/1.0 (X11)` }, undefined);
    }
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await scheduler.wait(0);
    })();
    const settled = await settledOf(gathered, agents);
    isOver = true;
    await others;
    expect(settled.reduce((sum, { hits }) => sum + hits, 0)).toBe(10_000);
    expect(settled.length).toBeLessThan(1000);
    expect(turns).toBeGreaterThanOrEqual(40);
  });

  it("take room by what they hold: a person a piece, a hit unlike others by the length of its texts", () => {
    const held = (over: Partial<Hit>, times = 1, agent?: KnownAgent) => {
      const gathered = new GatheredHits();
      const [one] = fc.sample(hit, { numRuns: 1, seed: 1 });
      for (let at = 0; at < times; at++) gathered.add({ ...(one as Hit), ...over }, agent);
      return gathered.size;
    };
    const short = { userAgent: windows(142), referrer: "x.example", utm: "" };
    const nobody = { visitor: undefined, address: undefined };
    expect(held({ ...short, ...nobody })).toBe(2);
    expect(held({ ...short, ...nobody }, 50)).toBe(2);
    expect(held({ ...short, ...nobody, address: "10.0.0.1" }, 50)).toBe(3);
    expect(held({ ...short, ...nobody, visitor: "hash" }, 50)).toBe(3);
    const long = { userAgent: "x".repeat(256), referrer: "y".repeat(253), utm: "z".repeat(362) };
    expect(held({ ...long, ...nobody })).toBe(8);
    // A text that is remembered is held once for all.
    const known = { userAgent: long.userAgent, class: agentOf(long.userAgent) };
    expect(held({ ...long, ...nobody }, 1, known as KnownAgent)).toBe(6);
  });
});
