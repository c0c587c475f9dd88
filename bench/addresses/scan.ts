import { type Contestant, migrate, start } from "../contestant.ts";
import { LinkStore } from "../links.ts";
import { Load, type LoadReport } from "../load.ts";
import { countingSignpost, requestStatements } from "../statement-count.ts";
import { eachOnce, scan, visits } from "../traffic.ts";

const LINKS = 1000;
const VISITOR_PACE = 200;
const SLUGS = Number(process.env.BENCH_SCAN_SLUGS ?? 100_000);
/** As many as leave the local runtime's one processor some time: else its queue is what is measured. */
const SCAN_PACE = Number(process.env.BENCH_SCAN_PACE ?? 1000);
const ALONE_SECONDS = 30;

const slugOf = (link: number) => `Link-${link.toString(36)}`;
const atOnce = { measuring() {}, measured() {} };

/** Random slugs, from one address and from many, and what another visitor feels of it. */
export async function scans(): Promise<boolean> {
  const [visitor, scanner] = [new Load(), new Load()];
  try {
    const contestant = await start("signpost", countingSignpost());
    const store = await LinkStore.create(await migrate(contestant));
    await store.addLinks({ links: LINKS, slugOf });
    visitor.prepare("each", eachOnce(LINKS, slugOf));
    visitor.prepare("visits", visits(10_000, LINKS, slugOf));
    const order = { port: contestant.port, expectedStatus: 302, warmUpSeconds: 0 };
    await visitor.run({ ...order, traffic: "each", requests: LINKS, seconds: 60 }, atOnce);
    const visit = (seconds: number) =>
      visitor.run({ ...order, traffic: "visits", pace: VISITOR_PACE, seconds }, atOnce);
    await visit(5);
    const alone = await visit(ALONE_SECONDS);
    console.log(`a visitor alone: ${told(alone)}`);
    for (const addresses of [1, 1000]) await scanFrom(addresses, contestant, scanner, visit);
    console.log(`a visitor afterwards: ${told(await visit(ALONE_SECONDS))}`);
    return true;
  } finally {
    visitor.stop();
    scanner.stop();
  }
}

async function scanFrom(
  addresses: number,
  { port }: Contestant,
  scanner: Load,
  visit: (seconds: number) => Promise<LoadReport>,
): Promise<void> {
  scanner.prepare(`${addresses}`, scan(SLUGS, addresses));
  const before = await requestStatements(port);
  const scanning = scanner.run(
    {
      port,
      traffic: `${addresses}`,
      requests: SLUGS,
      pace: SCAN_PACE,
      connections: 64,
      expectedStatus: [404, 429],
      warmUpSeconds: 0,
      seconds: 600,
    },
    atOnce,
  );
  // Ends before the scan, so that all of it is beside it.
  const beside = await visit((SLUGS / SCAN_PACE) * 0.95);
  const { statuses, seconds } = await scanning;
  const statements = (await requestStatements(port)) - before;
  console.log(
    `a scan of ${SLUGS} slugs from ${addresses} addresses in ${seconds.toFixed(0)} s: ` +
      `${statements} statements of D1; answers ${JSON.stringify(statuses)}`,
  );
  console.log(`a visitor beside it: ${told(beside)}`);
}

function told({ p50, p99, answered }: LoadReport): string {
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms of ${answered} visits`;
}
