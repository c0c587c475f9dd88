import { migrate, start } from "../contestant.ts";
import { LinkStore } from "../links.ts";
import { Load } from "../load.ts";
import { countingSignpost, requestStatements } from "../statement-count.ts";
import { eachOnce, visits } from "../traffic.ts";

const LINKS = 1000;
const PACE = 100;
const SECONDS = Number(process.env.BENCH_HOUR_SECONDS ?? 120);
const MOST_STATEMENTS = 800;

const slugOf = (link: number) => `Link-${link.toString(36)}`;

/** What an isolate asks of D1 in an hour for links that do not change. */
export async function hour(): Promise<boolean> {
  const load = new Load();
  try {
    const { port, ...contestant } = await start("signpost", countingSignpost());
    const store = await LinkStore.create(await migrate({ port, ...contestant }));
    await store.addLinks({ links: LINKS, slugOf });
    load.prepare("each", eachOnce(LINKS, slugOf));
    load.prepare("visits", visits(10_000, LINKS, slugOf));
    const order = { port, expectedStatus: 302, warmUpSeconds: 0 };
    const atOnce = { measuring() {}, measured() {} };
    await load.run({ ...order, traffic: "each", requests: LINKS, seconds: 60 }, atOnce);
    const before = await requestStatements(port);
    const paced = { ...order, traffic: "visits", pace: PACE, seconds: SECONDS };
    const { answered, p99 } = await load.run(paced, atOnce);
    const statements = (await requestStatements(port)) - before;
    const inAnHour = (statements * 3600) / SECONDS;
    const isMet = inAnHour <= MOST_STATEMENTS;
    console.log(
      `${PACE} visits a second of ${LINKS} unchanged links: ${statements} statements of D1 in ` +
        `${SECONDS} s (${answered} visits, p99 ${p99.toFixed(1)} ms), ${inAnHour.toFixed(0)} in an ` +
        `hour${isMet ? " (target met)" : ` (TARGET MISSED: ${MOST_STATEMENTS})`}`,
    );
    return isMet;
  } finally {
    load.stop();
  }
}
