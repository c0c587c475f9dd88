import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { query } from "../support/node/runtime-storage.ts";
import { createWebhookClient, type WebhookClient } from "../support/node/webhook-client.ts";

const KILLS = 10;
const LANES = 4;
const PAGES = "/api/v1/biolinks/pages";
const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";
const HEADING = { type: "heading", settings: { text: "New" } };

/** What must never be, whatever instant a runtime dies at, each as SQL that finds it. */
const MIXES = {
  "a page whose version is not there": `SELECT id FROM pages WHERE published_version IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM page_versions WHERE page_id = pages.id AND number = published_version)`,
  "a version that the page does not know": `SELECT page_id FROM page_versions
    WHERE EXISTS (SELECT 1 FROM pages WHERE id = page_id AND last_version < number)`,
  "a page with fewer versions than it had": `SELECT id FROM pages
    WHERE last_version <> (SELECT count(*) FROM page_versions WHERE page_id = pages.id)`,
  "a version that nobody was told of": `SELECT page_id FROM page_versions WHERE NOT EXISTS (
    SELECT 1 FROM events WHERE type = 'biolinks.page.published' AND data ->> 'id' = page_id
      AND data ->> 'version' = number)`,
  "a version without a block that its page has on line": `SELECT block.id FROM page_blocks AS block
    JOIN pages ON pages.id = block.page_id
    WHERE block.deleted_at IS NULL AND pages.published_content = pages.content_revision
      AND NOT EXISTS (SELECT 1 FROM page_versions, json_each(document, '$.blocks') AS one
        WHERE page_versions.page_id = pages.id AND number = published_version
          AND one.value ->> 'id' = block.id)`,
  "an order without a block, or of one that is gone": `SELECT id FROM pages
    WHERE (SELECT group_concat(value) FROM (SELECT value FROM json_each(block_order) ORDER BY value))
      IS NOT (SELECT group_concat(id) FROM (SELECT id FROM page_blocks
        WHERE page_id = pages.id AND deleted_at IS NULL ORDER BY id))`,
  "an address of another version, or of none": `SELECT pages.id FROM pages LEFT JOIN addresses
      ON addresses.place = '' AND addresses.slug_key = '@' || pages.handle_key
    WHERE addresses.document ->> 'version' IS NOT pages.published_version`,
  "a count of pages that is wrong": `SELECT id FROM workspace_usage
    WHERE pages <> (SELECT count(*) FROM pages WHERE workspace_id = workspace_usage.id)`,
};

let home: RuntimeHome;
let runtime: Runtime;
let restarting: Promise<void> | undefined;
let isOver = false;

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const rows = (sql: string) => query(join(home.storage, "d1/miniflare-D1DatabaseObject"), sql);
const pick = <Of>(all: Of[]): Of | undefined => all[Math.floor(Math.random() * all.length)];

/** What is mixed up, by what it is. */
function findMixes(): [string, unknown][] {
  return Object.entries(MIXES).flatMap(([what, sql]) =>
    rows(sql).map((row): [string, unknown] => [what, row]),
  );
}

beforeAll(async () => {
  home = createRuntimeHome({
    KEY_RATE_LIMIT: "1000000",
    IDEMPOTENCY_LEASE_SECONDS: "1",
    ALLOW_PRIVATE_TARGETS: "true",
  });
  runtime = await startRuntime(home);
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

interface Made {
  id: string;
  block_order?: string[];
}

/** What comes of a call, when it comes to its end. */
async function tryTo(
  client: WebhookClient,
  method: string,
  path: string,
  body?: object,
): Promise<Made | undefined> {
  await restarting;
  const answer = await client.call(method, path, body).catch(() => undefined);
  if (!answer) await pause(50);
  if (answer && answer.status >= 500) throw new Error(answer.text);
  return answer && answer.status < 300 && answer.text ? JSON.parse(answer.text).data : undefined;
}

/** Somebody who wants to know of what is published, and is never there. */
async function subscribe(client: WebhookClient): Promise<void> {
  const subscriptions = [{ event: "biolinks.page.published", channel: "all" }];
  const input = { name: "Pages", url: "http://127.0.0.1:9/", subscriptions };
  const { data } = JSON.parse((await client.call("POST", ENDPOINTS, input)).text);
  await client.call("PATCH", `${ENDPOINTS}/${data.id}`, { enabled: true });
}

/** Changes of pages, one after the other, each answered or cut off. */
async function changeOn(client: WebhookClient): Promise<number> {
  const pages: string[] = [];
  let done = 0;
  const one = () => `${PAGES}/${pick(pages)}`;
  const title = () => crypto.randomUUID().slice(0, 8);
  const changes = [
    () => tryTo(client, "POST", `${one()}/publish`),
    () => tryTo(client, "POST", `${one()}/publish`),
    () => tryTo(client, "POST", `${one()}/unpublish`),
    () => tryTo(client, "PATCH", one(), { title: title() }),
    () => tryTo(client, "PATCH", one(), { handle: `moved-${title()}` }),
    () => tryTo(client, "PATCH", one(), { status: "paused" }),
    () => tryTo(client, "POST", `${one()}/blocks`, HEADING),
    () => tryTo(client, "PUT", `${one()}/blocks`, { blocks: [HEADING, HEADING] }),
    () => tryTo(client, "POST", `${one()}/versions/1/restore`),
    async () => {
      const page = one();
      const { block_order = [] } = (await tryTo(client, "GET", page)) ?? {};
      await tryTo(client, "PUT", `${page}/block-order`, { order: block_order.toReversed() });
      await tryTo(client, "DELETE", `${page}/blocks/${pick(block_order)}`);
    },
    async () => {
      const id = pages.pop();
      // Whether it is gone or not, it is not asked for again.
      await tryTo(client, "DELETE", `${PAGES}/${id}`);
    },
  ];
  while (!isOver) {
    if (pages.length < 3) {
      const page = { handle: `page-${title()}`, title: "A", blocks: [HEADING] };
      const made = await tryTo(client, "POST", PAGES, page);
      if (made) pages.push(made.id);
    }
    if (pages.length > 0) await pick(changes)?.();
    done++;
  }
  return done;
}

describe("a runtime killed with kill -9 while pages are changed and published", () => {
  test("leaves each page with the old version or the new one, never with a mix", async () => {
    const clients: WebhookClient[] = [];
    for (let lane = 0; lane < LANES; lane++) {
      const client = await createWebhookClient(() => runtime.port);
      await subscribe(client);
      clients.push(client);
    }
    const lanes = clients.map(changeOn);
    const mixes: unknown[] = [];
    let printed = "";
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(300 + Math.random() * 900);
      restarting = runtime.kill().then(async () => {
        printed += runtime.printed();
        mixes.push(...findMixes());
        runtime = await startRuntime(home);
      });
      await restarting;
    }
    isOver = true;
    const done = (await Promise.all(lanes)).reduce((sum, one) => sum + one, 0);
    await runtime.kill();
    const [stored] = rows(
      "SELECT count(*) AS pages, (SELECT count(*) FROM page_versions) AS versions FROM pages",
    );
    console.log(
      `${KILLS} kills in ${done} changes: ${stored?.pages} pages, ${stored?.versions} versions`,
    );
    expect(mixes).toEqual([]);
    expect(findMixes()).toEqual([]);
    expect(printed).not.toMatch(/address_mended|address_dropped/);
    expect(Number(stored?.versions)).toBeGreaterThan(5);
    expect(done).toBeGreaterThan(50);
  });
});
