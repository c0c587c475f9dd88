import { NEW_STYLE } from "../../src/features/biolinks/qr-codes/qr-style.ts";
import type { migrate } from "../contestant.ts";
import type { Bench } from "./bench.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Rows written by one statement: a database answers within 30 s. */
const SLICE = 50_000;
const TARGETS = 10;

/** How many of each are stored at ten times; at once it is a tenth of them. */
export const TEN_TIMES = {
  contacts: 100_000,
  links: 100_000,
  qrCodes: 100_000,
  files: 10_000,
  products: 40_000,
  pages: 4000,
  events: 100_000,
  deliveries: 1_000_000,
  clicks: 1_000_000,
  messages: 100_000,
  submissions: 100_000,
  claims: 100_000,
  workspaces: 1000,
  tags: 1000,
  segments: 1000,
  domains: 1000,
};

export type Sizes = typeof TEN_TIMES;

/** SQL: an id of the n-th record, which sorts by `at`, milliseconds. */
export function id(at: string, n = "n"): string {
  return `printf('%08x-%04x-7000-8000-%012x', (${at}) >> 16, (${at}) & 65535, ${n})`;
}

/** The id that the n-th record stored by {@link store} has. */
export function idOf(at: number, n: number): string {
  const hex = Math.floor(at).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** Those that a submission must have. */
const SUBMISSION_COLUMNS = [
  ...["id", "nonce", "workspace_id", "page_id", "block_id", "page_version", "status"],
  ...["spam_reasons", "answers", "fields", "consents", "utm", "is_read", "is_starred", "is_told"],
  ...["digest", "emails", "retention_days", "due_at", "revision", "created_at"],
];

/** Stores one more submission, like one that is stored; its id. */
export async function storeSubmission({ database, start }: Bench): Promise<string> {
  const made = idOf(Date.now(), Math.floor(Math.random() * 2 ** 40));
  const names = SUBMISSION_COLUMNS.join(", ");
  const like = `?1, ?1, ${SUBMISSION_COLUMNS.slice(2).join(", ")}`;
  await (await database)
    .prepare(`INSERT INTO submissions (${names}) SELECT ${like} FROM submissions
      WHERE status = 'held' AND id >= ?2 ORDER BY id LIMIT 1`)
    .bind(made, idOf(start, 0))
    .run();
  return made;
}

/** A page that is on line, by the API; its id. */
async function publishedPage(bench: Bench): Promise<string> {
  const path = "/api/v1/biolinks/pages";
  const input = { handle: "stored", title: "Ada", seo: { indexable: true } };
  const { data } = (await bench.send("POST", path, input)).json;
  await bench.send("POST", `${path}/${data.id}/publish`);
  return data.id;
}

/** Fills the database of a bench by SQL, for its workspace, as months of use would have. */
export async function store(bench: Bench, sizes: Sizes): Promise<void> {
  const db = await bench.database;
  const { workspace, endpoints, start } = bench;
  const fill = async (count: number, sql: string, ...values: unknown[]) => {
    for (let from = 0; from < count; from += SLICE) {
      const to = Math.min(from + SLICE, count);
      const each = `WITH RECURSIVE each (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM each WHERE n < ${to - 1})`;
      await db
        .prepare(`${each} ${sql}`)
        .bind(...values)
        .run();
    }
  };
  const at = (count: number) => `${start} + n * ${Math.floor((5 * DAY) / count)}`;
  const same = `${start}`;
  const stages = Math.ceil(sizes.tags / 100);
  await fill(
    sizes.workspaces,
    `INSERT INTO workspaces (id, name, status, plan, features, created_at, updated_at)
     SELECT ${id(same)}, 'Other', 'active', 'free', '["biolinks","salesbot"]', ${same}, ${same} FROM each`,
  );
  await fill(
    sizes.tags,
    `INSERT INTO tags (id, workspace_id, name, name_key, revision, created_at, updated_at)
     SELECT ${id(same)}, ?1, 'tag ' || n, 'tag ' || n, 'r', ${same}, ${same} FROM each`,
    workspace,
  );
  await fill(
    stages,
    `INSERT INTO stages (id, workspace_id, name, name_key, revision, created_at, updated_at)
     SELECT ${id(same)}, ?1, 'stage ' || n, 'stage ' || n, 'r', ${same}, ${same} FROM each`,
    workspace,
  );
  await fill(
    sizes.contacts,
    `INSERT INTO contacts (id, workspace_id, external_id, name, email, channel, stage_id, country,
       custom, status, last_active_at, revision, created_at, updated_at)
     SELECT ${id(same)}, ?1, 'known' || n, 'Ada ' || n, 'c' || n || '@example.com', 'sms',
       ${id(same, `n % ${stages}`)}, 'GB', json_object('seats', n % 11), 'active',
       ${start} - n % 90 * ${DAY}, 'r', ${same}, ${same} FROM each`,
    workspace,
  );
  await fill(
    sizes.contacts,
    `INSERT INTO contact_tags (contact_id, tag_id) SELECT ${id(same)}, ${id(same, "n % 10")} FROM each`,
  );
  await fill(
    sizes.segments,
    `INSERT INTO segments (id, workspace_id, name, include_tags, exclude_tags, revision, created_at,
       updated_at)
     SELECT ${id(same)}, ?1, 'Segment ' || n, json_array(${id(same, "n % 10")}), '[]', 'r', ${same},
       ${same} FROM each`,
    workspace,
  );
  await fill(
    sizes.links,
    `INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled, http_status,
       forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
     SELECT ${id(same)}, ?1, 's' || n, 's' || n, 'https://shop.example/' || n, 'active', 0, 302, 0,
       0, '{}', '[]', 'r', ${same}, ${same} FROM each`,
    workspace,
  );
  await fill(
    sizes.qrCodes,
    `INSERT INTO qr_codes (id, workspace_id, name, code, origin, target, style, status, revision,
       created_at, updated_at)
     SELECT ${id(same)}, ?1, 'Table ' || n, printf('%08d', n), 'https://signpost.example',
       json_object('type', 'link', 'link', ${id(same)}), ?2, 'active', 'r', ${same}, ${same}
     FROM each`,
    workspace,
    JSON.stringify(NEW_STYLE),
  );
  await fill(
    sizes.files,
    `INSERT INTO files (id, workspace_id, sha256, type, bytes, width, height, created_at)
     SELECT ${id(same)}, ?1, printf('%064x', n), 'image/png', 1000, 8, 8, ${same} FROM each`,
    workspace,
  );
  await fill(
    sizes.products,
    `INSERT INTO products (id, workspace_id, external_id, title, additional_images, price_amount,
       currency, availability, condition, brand, product_type, labels, status, revision, created_at,
       updated_at)
     SELECT ${id(same)}, ?1, 'P-' || n, 'Product ' || n, '[]', 2400, 'EUR', 'in_stock', 'new',
       iif(n % 2, 'Ada', 'Grace'), 'Mugs', iif(n % 10, '[]', '["new"]'), 'active', 'r', ${same}, ${same}
     FROM each`,
    workspace,
  );
  const like = await publishedPage(bench);
  const ofPage: Record<string, string> = {
    id: id(same),
    workspace_id: id(same, `n % ${sizes.workspaces}`),
    handle: "'stored-' || n",
    handle_key: "'stored-' || n",
  };
  const { results } = await db
    .prepare("SELECT name FROM pragma_table_xinfo('pages') WHERE hidden = 0")
    .all<{ name: string }>();
  const pageColumns = results.map(({ name }) => name);
  await fill(
    sizes.pages,
    `INSERT INTO pages (${pageColumns.join(", ")})
     SELECT ${pageColumns.map((name) => ofPage[name] ?? name).join(", ")} FROM each, pages
     WHERE pages.id = ?1`,
    like,
  );
  // A tenth of all belong to one link, the others ten to a link.
  await fill(
    sizes.clicks,
    `INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
     SELECT iif(n % 10 = 0, ${id(same, "7")}, ${id(same, `100 + (n / 10) % ${sizes.links - 100}`)}),
       (${start} / ${HOUR} - n / ${sizes.links}) * ${HOUR}, 'human', char(65 + n / 26 % 26,
       65 + n % 26), 'mobile', 'r' || (n / 676) || '.example', ?1, 1 FROM each`,
    workspace,
  );
  await fill(
    sizes.clicks / 10,
    `INSERT INTO click_packets (id, created_at) SELECT ${id(at(sizes.clicks / 10))}, ${at(sizes.clicks / 10)} FROM each`,
  );
  await fill(
    sizes.events,
    `INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
     SELECT ${id(at(sizes.events))}, ?1, 'publishing.post.published', 'all', 0,
       json_object('id', n, 'title', 'A post', 'url', null, 'networks', json('[]'), 'scheduled_at',
       null, 'published_at', null), ${at(sizes.events)}, ${at(sizes.events)} FROM each`,
    workspace,
  );
  const ofEvent = `${start} + n / ${TARGETS} * ${Math.floor((5 * DAY) / sizes.events)}`;
  await fill(
    sizes.deliveries,
    `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel, test,
       status, attempts_count, next_attempt_at, delivered_at, created_at, attempts)
     SELECT ${id(ofEvent)}, ?1, 'endpoint', json_extract(?2, '$[' || (n % ${TARGETS}) || ']'),
       ${id(ofEvent, `n / ${TARGETS}`)}, 'publishing.post.published', 'all', 0,
       CASE n % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'pending' ELSE 'delivered' END, 1,
       iif(n % 20 = 1, ${Date.now() + DAY} + n, NULL), iif(n % 20 > 1, ${ofEvent}, NULL), ${ofEvent},
       json_object('1', json_object('startedAt', ${ofEvent}, 'durationMs', 12)) FROM each`,
    workspace,
    JSON.stringify(endpoints),
  );
  await fill(
    sizes.messages,
    `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
       attempts_count, created_at, updated_at)
     SELECT ${id(at(sizes.messages))}, ?1, ${id(same, `n % ${sizes.contacts}`)}, 'sms', 'outbound',
       'Hello', 'sent', 1, ${at(sizes.messages)}, ${at(sizes.messages)} FROM each`,
    workspace,
  );
  await fill(
    sizes.submissions,
    `INSERT INTO submissions (${SUBMISSION_COLUMNS.join(", ")})
     SELECT ${id(at(sizes.submissions))}, 'nonce' || n, ?1, ${id(same, "n % 10")}, ${id(same, "n % 20")}, 1,
       iif(n % 20 = 0, 'held', 'accepted'), '[]', json_object('email', 's' || n || '@example.com'),
       '[{"id":"email","type":"email","label":"Email","required":true}]', '[]', '{}', n % 2,
       n % 100 = 0, n % 20 > 0, 'digest' || n, json_array('s' || n || '@example.com'), 365,
       ${Date.now() + 300 * DAY}, 'r', ${at(sizes.submissions)} FROM each`,
    workspace,
  );
  await fill(
    sizes.domains,
    `INSERT INTO domains (id, workspace_id, host, verified, disabled, ssl_active, check_at,
       created_at, updated_at)
     SELECT ${id(same)}, ${id(same)}, 'go' || n || '.shop.example', 1, 0, 1,
       ${Date.now() + 10 * DAY} + n, ${same}, ${same} FROM each`,
  );
  await bench.control("gate", { workspace, claims: sizes.claims });
}

export type Database = Awaited<ReturnType<typeof migrate>>;
