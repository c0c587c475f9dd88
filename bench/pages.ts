/**
 * `npm run bench:pages`: views of a page of 20 links, counted, against a Worker that answers the same
 * bytes. Exits 1, and says why, when a target is missed. BENCH_ROUNDS and BENCH_SECONDS make it shorter.
 */
import { gzipSync } from "node:zlib";
import {
  ADMIN_TOKEN,
  benchWorker,
  type Contestant,
  makeDaySalt,
  migrate,
  newAddress,
  signpost,
  start,
  stopAll,
} from "./contestant.ts";
import { Load } from "./load.ts";
import { printRatio, printTable } from "./report.ts";
import { compare, type Entry, type Outcome } from "./rounds.ts";
import { visits } from "./traffic.ts";

const HANDLE = "bench";
const LINKS = 20;
const PREPARED_VISITS = 20_000;
const PLAN = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 5),
  seconds: Number(process.env.BENCH_SECONDS ?? 3),
  warmUpSeconds: 2,
};
const TARGET = { rate: 0.5 };
const MOST_BYTES = 14 * 1024;
/** What differs from answer to answer, or is the connection's. */
const NOT_KEPT = new Set(["x-request-id", "date", "transfer-encoding", "content-length"]);

type Json = { data: { id: string }; key?: string };

async function call({ port }: Contestant, token: string, path: string, body: object) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "CF-Connecting-IP": newAddress(),
      "Idempotency-Key": crypto.randomUUID(),
      "If-Match": "*",
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Json;
}

/** A page of links as people make them, half of them described, and one that only some see. */
async function publishPage(contestant: Contestant): Promise<void> {
  const workspaces = "/admin/v1/workspaces";
  const { data } = await call(contestant, ADMIN_TOKEN, workspaces, { name: "Bench" });
  const keys = `${workspaces}/${data.id}/keys`;
  const issued = await call(contestant, ADMIN_TOKEN, keys, { name: "Bench", permissions: ["*"] });
  const blocks = Array.from({ length: LINKS }, (_, at) => ({
    type: "link",
    settings: {
      label: `What we made in week ${at}`,
      url: `https://shop.example/weeks/${at}`,
      ...(at % 2 && { description: "Bowls and cups from the kiln" }),
    },
    ...(at === LINKS - 1 && { visibility: { countries: { not_in: ["AQ"] } } }),
  }));
  const pages = "/api/v1/biolinks/pages";
  const input = { handle: HANDLE, title: "Ada", profile: { tagline: "By the sea" }, blocks };
  const page = await call(contestant, issued.key ?? "", pages, input);
  await call(contestant, issued.key ?? "", `${pages}/${page.data.id}/publish`, {});
}

async function run(load: Load): Promise<boolean> {
  const product = await start("signpost", signpost());
  await makeDaySalt(product);
  await migrate(product);
  await publishPage(product);
  const answer = await fetch(`http://127.0.0.1:${product.port}/@${HANDLE}`);
  const html = await answer.text();
  if (answer.status !== 200) throw new Error(`The page was answered with ${answer.status}.`);
  const kept = [...answer.headers].filter(([name]) => !NOT_KEPT.has(name));
  const bindings = { PAGE: html, HEADERS: JSON.stringify(kept) };
  const bare = await start("bare", benchWorker("constant-page.ts", { bindings }));

  const views = visits(PREPARED_VISITS, 1, () => `@${HANDLE}`);
  const tag = `If-None-Match: ${answer.headers.get("ETag")}\r\n\r\n`;
  load.prepare("views", views);
  load.prepare(
    "known",
    views.map((request) => request.replace(/\r\n\r\n$/, `\r\n${tag}`)),
  );
  const entry = (label: string, contestant: Contestant, traffic: string, status = 200): Entry => ({
    label,
    contestant,
    traffic,
    expectedStatus: status,
  });
  const outcomes = await compare(
    load,
    [
      entry("bare, the same bytes", bare, "views"),
      entry("a page", product, "views"),
      entry("a page that is known (304)", product, "known", 304),
    ],
    PLAN,
  );
  printTable(outcomes);
  const [ofBare, ofPage, ofKnown] = outcomes as [Outcome, Outcome, Outcome];
  const bytes = gzipSync(html).length;
  const isSmall = bytes <= MOST_BYTES;
  console.log(
    `${LINKS} links: ${html.length} characters, ${bytes} bytes gzipped` +
      (isSmall ? " (target met)" : ` (TARGET MISSED: ${MOST_BYTES})`),
  );
  printRatio(ofKnown, ofBare);
  return printRatio(ofPage, ofBare, TARGET) && isSmall;
}

const load = new Load();
let passed = false;
try {
  passed = await run(load);
} finally {
  load.stop();
  await stopAll();
}
process.exit(passed ? 0 : 1);
