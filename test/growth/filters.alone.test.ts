import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { timeOfId } from "../../src/platform/ids.ts";
import { toTimestamp } from "../../src/platform/time.ts";
import { CONTACTS, createLabel, STAGES, TAGS } from "../support/contacts.ts";
import { createActiveDomain } from "../support/domains.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { PRODUCTS } from "../support/products.ts";
import { createLiveEndpoint } from "../support/webhooks.ts";
import { createWorkspace, issueKey, LINKS, sendAs, type Workspace } from "../support/workspace.ts";

const MANY = 15_000;
const OF_DOMAIN = 3;
/** What one page may read, index and table: 2,000 links, products or deliveries, 3,000 contacts. */
const ROWS_OF_A_WALK = 4100;
/** Labels are kept beside their products. */
const ROWS_OF_A_LABEL_WALK = 6100;
const ROWS_OF_A_SCAN = 12_500;
const ROWS_OF_A_TAGS_SCAN = 18_500;

interface Stored {
  workspace: Workspace;
  domain: string;
  tag: string;
  stage: string;
  deliveries: string;
}

const EACH = "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";

/** The id of the n-th record of a workspace, of a time long ago, in the order of n. */
function idOf({ id }: Workspace, n: number): string {
  return `01900000-${n.toString(16).padStart(4, "0")}-7000-8000-${id.slice(24)}`;
}
const ID = "printf('01900000-%04x-7000-8000-', n) || substr(?2, 25)";

/** When the n-th record was made, as its id says. */
function timeOf({ workspace }: Stored, n: number): string {
  return toTimestamp(timeOfId(idOf(workspace, n)));
}

/** So many links, products, contacts and failed deliveries; some links, the oldest, are of a domain. */
async function store(size: number): Promise<Stored> {
  const workspace = await createWorkspace({ plan: "business" });
  const endpoint = await createLiveEndpoint(workspace);
  const domain = (await createActiveDomain(workspace)).id as string;
  const [tag, stage] = [
    await createLabel(workspace, TAGS, "VIP"),
    await createLabel(workspace, STAGES, "Won"),
  ];
  const seed = (sql: string, ...more: unknown[]) =>
    env.DB.prepare(`${EACH} ${sql}`).bind(size, workspace.id, ...more);
  await env.DB.batch([
    seed(
      `INSERT INTO links (id, workspace_id, domain_id, slug, slug_key, destination, status, disabled,
         http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
       SELECT ${ID}, ?2, iif(n <= ${OF_DOMAIN}, ?3, NULL), ?2 || n, ?2 || n, 'https://x.example/',
         'active', 0, 302, 0, 0, '{}', '[]', 'r', 0, 0 FROM each`,
      domain,
    ),
    seed(
      `INSERT INTO products (id, workspace_id, external_id, title, additional_images, availability,
         condition, brand, labels, status, revision, created_at, updated_at)
       SELECT ${ID}, ?2, n, 'Mug', '[]', 'in_stock', 'new', 'Ada', '["new"]', 'active', 'r', 0, 0
       FROM each`,
    ),
    seed(
      `INSERT INTO contacts (id, workspace_id, channel, stage_id, custom, status, revision,
         created_at, updated_at)
       SELECT ${ID}, ?2, 'sms', ?3, '{}', 'active', 'r', 0, 0 FROM each`,
      stage,
    ),
    seed(`INSERT INTO contact_tags (contact_id, tag_id) SELECT ${ID}, ?3 FROM each`, tag),
    seed(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
         test, status, attempts_count, created_at)
       SELECT ${ID}, ?2, 'endpoint', ?3, ${ID}, 'publishing.post.published', 'all', 0, 'failed', 1,
         ?4 FROM each`,
      endpoint.id,
      Date.now(),
    ),
  ]);
  return { workspace, domain, tag, stage, deliveries: `${endpoint.path}/deliveries` };
}

interface Page {
  data: { id: string }[];
  next_cursor: string | null;
}

async function read(workspace: Workspace, path: string): Promise<Page> {
  const { status, body, text } = await workspace.send("GET", path);
  if (status !== 200) throw new Error(text);
  return body;
}

/** A page, and how many rows it cost. */
async function costOf(workspace: Workspace, path: string): Promise<{ page: Page; rows: number }> {
  let rows = 0;
  const stop = listenToCosts(({ rowsRead }) => {
    rows += rowsRead;
  });
  const page = await read(workspace, path);
  stop();
  return { page, rows };
}

/** A workspace's own key may send 60 requests a minute only. */
async function withNewKey(workspace: Workspace): Promise<Workspace> {
  const { key } = await issueKey(workspace.id);
  return { ...workspace, key, send: (method, path, more) => sendAs(key, method, path, more) };
}

/** Filters that nothing matches, and how many rows a page may read. */
const RARE: [string, number, (stored: Stored) => string][] = [
  ["links by status", ROWS_OF_A_WALK, () => `${LINKS}?status=paused`],
  ["links by search", ROWS_OF_A_WALK, () => `${LINKS}?search=nobody`],
  ["products by status", ROWS_OF_A_WALK, () => `${PRODUCTS}?status=hidden`],
  [
    "products by brand, availability",
    ROWS_OF_A_WALK,
    () => `${PRODUCTS}?brand=Ada&availability=preorder`,
  ],
  ["products by label, brand", ROWS_OF_A_LABEL_WALK, () => `${PRODUCTS}?label=new&brand=Bob`],
  ["contacts by email", ROWS_OF_A_SCAN, () => `${CONTACTS}?email=a@x.io`],
  ["contacts by channel", ROWS_OF_A_SCAN, () => `${CONTACTS}?channel=email`],
  ["contacts by status", ROWS_OF_A_SCAN, () => `${CONTACTS}?status=blocked`],
  [
    "contacts by tag, status",
    ROWS_OF_A_TAGS_SCAN,
    ({ tag }) => `${CONTACTS}?tag=${tag}&status=blocked`,
  ],
  ["contacts by stage, email", ROWS_OF_A_SCAN, ({ stage }) => `${CONTACTS}?stage=${stage}&email=a`],
  [
    "deliveries by time, event",
    ROWS_OF_A_WALK,
    ({ deliveries }) => `${deliveries}?since=2024-01-01T00:00:00Z&event=nothing`,
  ],
  ["deliveries by status", ROWS_OF_A_WALK, ({ deliveries }) => `${deliveries}?status=pending`],
  ["deliveries by event", ROWS_OF_A_WALK, ({ deliveries }) => `${deliveries}?event=nothing`],
  ["deliveries by test", ROWS_OF_A_WALK, ({ deliveries }) => `${deliveries}?test=true`],
  [
    "failed deliveries by test",
    ROWS_OF_A_WALK,
    ({ deliveries }) => `${deliveries}?status=failed&test=true`,
  ],
];

/** What an index serves, or what most records match: whole pages, and how many rows they may read. */
const COMMON: [string, number, (stored: Stored) => string][] = [
  ["links", 40, () => LINKS],
  ["links by status", 40, () => `${LINKS}?status=active`],
  ["products", 40, () => PRODUCTS],
  ["products by brand", 40, () => `${PRODUCTS}?brand=Ada`],
  ["products by label", 60, () => `${PRODUCTS}?label=new`],
  ["contacts", 170, () => CONTACTS],
  ["contacts by tag", 330, ({ tag }) => `${CONTACTS}?tag=${tag}`],
  ["contacts by stage", 230, ({ stage }) => `${CONTACTS}?stage=${stage}`],
  ["deliveries", 40, ({ deliveries }) => deliveries],
  ["failed deliveries", 40, ({ deliveries }) => `${deliveries}?status=failed`],
  ["deliveries by test", 40, ({ deliveries }) => `${deliveries}?test=false`],
  [
    "deliveries by time",
    40,
    (stored) => `${stored.deliveries}?since=${timeOf(stored, 2)}&until=${timeOf(stored, 40)}`,
  ],
  [
    "failed deliveries by time",
    40,
    (stored) => `${stored.deliveries}?status=failed&until=${timeOf(stored, 40)}`,
  ],
];

/** Lists where some records are made to match a filter, by their ids as JSON. */
const MARKED: [string, string, (stored: Stored) => string][] = [
  [
    "links",
    "UPDATE links SET status = iif(id IN (SELECT value FROM json_each(?2)), 'paused', 'active') WHERE workspace_id = ?1",
    () => `${LINKS}?status=paused`,
  ],
  [
    "products",
    "UPDATE products SET brand = iif(id IN (SELECT value FROM json_each(?2)), 'Bob', 'Ada') WHERE workspace_id = ?1",
    () => `${PRODUCTS}?label=new&brand=Bob`,
  ],
  [
    "contacts",
    "UPDATE contacts SET email = iif(id IN (SELECT value FROM json_each(?2)), 'A@x.io', NULL) WHERE workspace_id = ?1",
    ({ tag }) => `${CONTACTS}?tag=${tag}&email=a@X.io`,
  ],
  [
    "deliveries",
    "UPDATE target_deliveries SET test = id IN (SELECT value FROM json_each(?2)) WHERE workspace_id = ?1",
    ({ deliveries }) => `${deliveries}?test=true`,
  ],
];

describe.each([50, MANY])("of %d records", (size) => {
  let stored: Stored;
  beforeAll(async () => {
    stored = await store(size);
  });
  beforeEach(async () => {
    stored.workspace = await withNewKey(stored.workspace);
    // What the workspace's gate and the key cost once is no part of a page.
    await read(stored.workspace, `${LINKS}?limit=1`);
  });

  it.each(RARE)("%s: a page looks at so many and no more", async (_, most, path) => {
    const { page, rows } = await costOf(stored.workspace, path(stored));
    expect(rows).toBeLessThanOrEqual(most);
    expect(page.data).toEqual([]);
    expect(page.next_cursor === null).toBe(size < MANY);
  });

  it.each(COMMON)("%s: a page is whole, and costs what it holds", async (_, most, path) => {
    const { page, rows } = await costOf(stored.workspace, path(stored));
    expect(rows).toBeLessThanOrEqual(most);
    expect(page.data).toHaveLength(25);
    expect(page.next_cursor).not.toBeNull();
  });

  it("deliveries of a range of time, or of an event, are found by their ids", async () => {
    const { workspace, deliveries } = stored;
    const [since, until] = [timeOf(stored, 10), timeOf(stored, 13)];
    const range = await costOf(workspace, `${deliveries}?since=${since}&until=${until}`);
    expect(range.page.data.map(({ id }) => id)).toEqual(
      [12, 11, 10].map((n) => idOf(workspace, n)),
    );
    const event = idOf(workspace, 20);
    const one = await costOf(workspace, `${deliveries}?event_id=${event}`);
    expect(one.page.data.map(({ id }) => id)).toEqual([event]);
    for (const { page, rows } of [range, one]) {
      expect(rows).toBeLessThanOrEqual(20);
      expect(page.next_cursor).toBeNull();
    }
  });

  it("links of a domain are found by their index", async () => {
    const { workspace, domain } = stored;
    const { page, rows } = await costOf(workspace, `${LINKS}?domain=${domain}`);
    expect(rows).toBeLessThanOrEqual(40);
    expect(page.data.map(({ id }) => id)).toEqual([3, 2, 1].map((n) => idOf(workspace, n)));
    expect(page.next_cursor).toBeNull();
  });
});

describe("the pages of a filter", () => {
  let stored: Stored;
  beforeAll(async () => {
    stored = await store(MANY);
  });

  async function allPages(path: string, limit: number): Promise<string[]> {
    const workspace = await withNewKey(stored.workspace);
    const found: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await read(workspace, `${path}&limit=${limit}&cursor=${cursor}`);
      expect(page.data.length).toBeLessThanOrEqual(limit);
      found.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    return found;
  }

  const places = fc.uniqueArray(
    // Where a walk ends is where one could be forgotten, or told twice.
    fc.oneof(
      fc.integer({ min: 1, max: MANY }),
      fc.constantFrom(...[999, 1999, 2000, 2001, 3000, 4000, 4001].map((n) => MANY + 1 - n)),
    ),
    { maxLength: 60 },
  );

  it.each(MARKED)("of %s hold what matches, newest first, each once", async (_, mark, path) => {
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 3, max: 100 }), async (marked, limit) => {
        const { workspace } = stored;
        const newestFirst = marked.toSorted((a, b) => b - a).map((n) => idOf(workspace, n));
        await env.DB.prepare(mark).bind(workspace.id, JSON.stringify(newestFirst)).run();
        expect(await allPages(path(stored), limit)).toEqual(newestFirst);
      }),
      { numRuns: 5 },
    );
  });
});
