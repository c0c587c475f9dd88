import { migrate, signpost, start } from "../contestant.ts";
import { isolateMemory } from "../isolate-memory.ts";
import { type LinkContent, LinkStore } from "../links.ts";
import { Load } from "../load.ts";
import { sleep } from "../rounds.ts";
import { eachOnce, scan } from "../traffic.ts";

/** What fits, to compare what is held with what it is taken for; and more than fit. */
const FEW = 1000;
const MANY = Number(process.env.BENCH_MEMORY_LINKS ?? 100_000);
const SMALL = 20_000;
const MOST_HEAP_MEGABYTES = 128;
const PIXELS = 100;
const MAX_DESTINATION = 2048;
const MAX_UTM = 80;
const MAX_SLUG = 60;
const MEGABYTE = 1024 * 1024;

interface Kind {
  name: string;
  links: number;
  slugOf(link: number): string;
  contentOf(link: number, pixels: string[]): LinkContent;
  /** Visits of slugs that no link has, in place of links. */
  isUnknown?: boolean;
}

const shortSlugOf = (link: number) => `k${link.toString(36)}`;
const longSlugOf = (link: number) => link.toString(36).padStart(MAX_SLUG, "_");
const utmOf = (character: string) => {
  const value = character.repeat(MAX_UTM);
  return { source: value, medium: value, campaign: value };
};

/** As large as the API takes them, of a character that a URL writes as it is, or as twelve. */
function largest(character: string) {
  return (link: number, pixels: string[]): LinkContent => {
    const start = `https://shop.example/${link}/`;
    const destination = start + character.repeat(MAX_DESTINATION - start.length);
    return { destination, utm: utmOf(character), pixels };
  };
}
const smallest = (link: number): LinkContent => ({
  destination: `https://a.example/${link}`,
  utm: {},
  pixels: [],
});

const KINDS: Kind[] = [
  { name: "smallest", links: SMALL, slugOf: shortSlugOf, contentOf: smallest },
  { name: "unknown", links: SMALL, slugOf: shortSlugOf, contentOf: smallest, isUnknown: true },
  { name: "largest of ASCII", links: FEW, slugOf: longSlugOf, contentOf: largest("a") },
  { name: "largest of emoji", links: FEW, slugOf: longSlugOf, contentOf: largest("🎈") },
  {
    name: "largest of emoji, no pixels",
    links: FEW,
    slugOf: longSlugOf,
    contentOf: (link) => largest("🎈")(link, []),
  },
  { name: "largest of emoji, too many", links: MANY, slugOf: longSlugOf, contentOf: largest("🎈") },
  {
    name: "largest of emoji, no pixels, too many",
    links: MANY / 5,
    slugOf: longSlugOf,
    contentOf: (link) => largest("🎈")(link, []),
  },
  { name: "smallest, too many", links: MANY, slugOf: shortSlugOf, contentOf: smallest },
];

/** What links of all sizes take when they are held, and that too many of them are not. */
export async function memory(): Promise<boolean> {
  let isMet = true;
  const only = process.env.BENCH_MEMORY_KINDS?.split("|");
  for (const kind of KINDS) {
    if (only && !only.includes(kind.name)) continue;
    isMet = (await measure(kind)) && isMet;
  }
  return isMet;
}

async function measure(kind: Kind): Promise<boolean> {
  const { name, links, slugOf, isUnknown } = kind;
  const load = new Load();
  const contestant = await start(`memory, ${name}`, { ...signpost(), inspectorPort: 0 } as never);
  try {
    const inspector = Number((await contestant.runtime.getInspectorURL()).port);
    const store = await LinkStore.create(await migrate(contestant));
    const ids = await store.addPixels(PIXELS);
    const contentOf = (link: number) => kind.contentOf(link, ids);
    if (!isUnknown) await store.addLinks({ links, slugOf, contentOf });
    load.prepare("each", isUnknown ? scan(links, links) : eachOnce(links, slugOf));
    load.prepare(
      "first",
      eachOnce(1, () => "first"),
    );
    const order = { port: contestant.port, warmUpSeconds: 0, seconds: 1800 };
    const atOnce = { measuring() {}, measured() {} };
    const expectedStatus = [200, 302, 404];
    await load.run({ ...order, traffic: "first", requests: 1, expectedStatus }, atOnce);
    const before = await isolateMemory(inspector, contestant);
    await load.run({ ...order, traffic: "each", requests: links, expectedStatus }, atOnce);
    await sleep(5);
    const after = await isolateMemory(inspector, contestant);
    const held = after.heapMegabytes - before.heapMegabytes;
    const isMet = after.heapMegabytes <= MOST_HEAP_MEGABYTES;
    console.log(
      `${links} links, ${name}: heap ${before.heapMegabytes.toFixed(1)} → ` +
        `${after.heapMegabytes.toFixed(1)} MB (${((held * MEGABYTE) / links).toFixed(0)} bytes a ` +
        `link), workerd with its database ${before.residentMegabytes.toFixed(0)} → ${after.residentMegabytes.toFixed(0)} MB` +
        `${isMet ? "" : " (TARGET MISSED)"}`,
    );
    return isMet;
  } finally {
    load.stop();
    await contestant.runtime.dispose();
  }
}
