import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findRecountPlace, recountSlice } from "../../src/access/usage/usage-recount.repository.ts";
import { exchange } from "../../src/deliveries/lane.repository.ts";
import { findOverdueTargets } from "../../src/deliveries/sweep.repository.ts";
import { fanOutForgotten } from "../../src/deliveries/sweep.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { upsertProducts } from "../../src/features/biolinks/catalogue/product-upsert.ts";
import { findPublicFile } from "../../src/features/biolinks/files/file-assets.repository.ts";
import { checkAddresses } from "../../src/features/biolinks/links/address-check.ts";
import { redrawProductPages } from "../../src/features/biolinks/pages/page-product-changes.ts";
import { postEvents } from "../../src/features/publishing/posts.events.ts";
import { endpointTargets } from "../../src/features/webhooks/endpoints/endpoints.ports.ts";
import type { Env } from "../../src/platform/config.ts";
import { sharedDatabase } from "../../src/platform/db/client.ts";
import { leastIdAt } from "../../src/platform/ids.ts";
import { STORED_RECORDS } from "../../src/stored-records.ts";
import { forgetAddress } from "../../src/visitor/addresses/address-book.ts";
import { purgeAddressChanges } from "../../src/visitor/addresses/change-retention.ts";
import { findChanges } from "../../src/visitor/addresses/changes.repository.ts";
import { signFormToken } from "../../src/visitor/bio-pages/form-token.ts";
import { COLLECTIONS, createCollection, patchCollection } from "../support/collections.ts";
import { CONTACTS, createContact, createLabel, post, SEGMENTS, TAGS } from "../support/contacts.ts";
import { createActiveDomain } from "../support/domains.ts";
import { createFile, FILES, newPng } from "../support/files.ts";
import { createForm, type Form, sendForm } from "../support/forms.ts";
import { operate, send } from "../support/http.ts";
import { hear, MESSAGES } from "../support/messages.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import {
  createPage,
  createPublished,
  HEADING,
  PAGES,
  patchPage,
  postBlock,
  publishPage,
} from "../support/pages.ts";
import { createPixel, PIXELS } from "../support/pixels.ts";
import { createProduct, PRODUCTS, patchProduct, postProduct } from "../support/products.ts";
import { PERSON } from "../support/visitor.ts";
import {
  change,
  createLiveEndpoint,
  type LiveEndpoint,
  newBox,
  POST_PUBLISHED,
  publish,
} from "../support/webhooks.ts";
import { deliver, tick, workIn } from "../support/work.ts";
import {
  createLink,
  createWorkspace,
  issueKey,
  LINKS,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../support/workspace.ts";

const bindings = env as unknown as Env & { HOSTNAMES_URL: string };
const withHostnames = {
  ...bindings,
  CF_ZONE_ID: "023e105f4ecef8ad9ca31a8372d0c353",
  CF_API_TOKEN: "test-cf-token",
  CF_API_URL: bindings.HOSTNAMES_URL,
};
/** The number of somebody who opted out, as have as many as there is of everything. */
const OPTED_OUT = "+447700900123";
const POST_FAILED = { event: "publishing.post.failed", channel: "all" };
const DAY = 24 * 60 * 60 * 1000;

/** Rows of the database, read and written, with all that follows an answer: fan-out, sending. */
interface Rows {
  read: number;
  written: number;
}

async function scalar(sql: string): Promise<number> {
  return (await env.DB.prepare(sql).first<number>("n")) ?? 0;
}

/** Waits until nothing is on its way: the events' fan-out, deliveries, messages. */
async function settle(): Promise<void> {
  await vi.waitFor(
    async () => {
      const waiting = await scalar(
        `SELECT (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)
           + (SELECT count(*) FROM target_deliveries WHERE status = 'pending' AND next_attempt_at < 1e14)
           + (SELECT count(*) FROM recoveries WHERE finished_at IS NULL)
           + (SELECT count(*) FROM messages WHERE status = 'queued' AND next_attempt_at > 0) AS n`,
      );
      if (waiting > 0) throw new Error(`${waiting} wait`);
    },
    { timeout: 60_000, interval: 50 },
  );
  // A lane looks once more whether anything is due.
  await scheduler.wait(300);
}

/** What some work costs the database, itself and in all that it causes. */
/** Of targets that wait it looks at 1,000 a minute, three rows each: its budgets are below. */
const SWEEP = /^WITH RECURSIVE waiting/;

async function rowsOf(
  work: () => Promise<unknown>,
  isMinute = false,
): Promise<Rows & { statements: number }> {
  await settle();
  const rows = { read: 0, written: 0, statements: 0 };
  const stop = listenToCosts(({ sql, rowsRead, rowsWritten }) => {
    if (isMinute && SWEEP.test(sql)) return;
    rows.statements++;
    rows.read += rowsRead;
    rows.written += rowsWritten;
  });
  await work();
  await settle();
  stop();
  return rows;
}

interface Stored {
  workspace: Workspace;
  endpoint: LiveEndpoint;
  domain: string;
  link: string;
  contact: string;
}

/** A content that every workspace has. */
const SHARED = "0".repeat(64);
/** SQL that numbers rows from 1 to ?1, of a workspace, ?2. */
const EACH = "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
/** An id of 20 days ago, which nothing has to go by, in the order of n. */
const LONG_AGO = leastIdAt(Date.now() - 20 * DAY).slice(0, 8);
const ID = `printf('${LONG_AGO}-%04x-7000-8000-', n) || substr(?2, 25)`;

async function store(size: number): Promise<Stored> {
  const workspace = await createWorkspace({ plan: "business" });
  const endpoint = await createLiveEndpoint(workspace);
  for (let made = 0; made < 10; made++)
    await createLiveEndpoint(workspace, newBox(), [POST_FAILED]);
  const domain = (await createActiveDomain(workspace)).id as string;
  const seed = (sql: string, ...more: unknown[]) =>
    env.DB.prepare(`${EACH} ${sql}`).bind(size, workspace.id, ...more);
  const long = Date.now() - 20 * DAY;
  await env.DB.batch([
    seed(`INSERT INTO contacts (id, workspace_id, external_id, name, channel, custom, status,
        revision, created_at, updated_at)
      SELECT ${ID}, ?2, 'c' || n, 'Ada', 'sms', '{}', 'active', 'r', 0, 0 FROM each`),
    seed(
      `INSERT INTO files (id, workspace_id, sha256, type, bytes, width, height, created_at)
        SELECT ${ID}, ?2, CASE n WHEN 1 THEN ?3 ELSE printf('%064x', n) END, 'image/png', 100, 1, 1, 0 FROM each`,
      SHARED,
    ),
    seed(`INSERT INTO products (id, workspace_id, external_id, title, additional_images, availability,
        condition, brand, labels, status, revision, created_at, updated_at)
      SELECT ${ID}, ?2, 'known' || n, 'Mug', '[]', 'in_stock', 'new', 'Ada', '["new"]', 'active', 'r', 0, 0
      FROM each`),
    seed(`INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled,
        http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
      SELECT ${ID}, ?2, n || substr(?2, 25), n || substr(?2, 25), 'https://example.com/', 'active',
        0, 302, 0, 0, '{}', '[]', 'r', 0, 0 FROM each`),
    seed(
      `INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
      SELECT ${ID}, ?2, 'publishing.post.published', 'all', 0, '{}', ?3, ?3 FROM each`,
      long,
    ),
    seed(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
        test, status, attempts_count, created_at)
      SELECT ${ID}, ?2, 'endpoint', ?4, ${ID}, 'publishing.post.published', 'all', 0, 'failed', 1,
        ?3 FROM each`,
      long,
      endpoint.id,
    ),
    seed(
      `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
        attempts_count, created_at, updated_at)
      SELECT ${ID}, ?2, ${ID}, 'sms', 'outbound', 'Hi', 'sent', 1, ?3, ?3 FROM each`,
      long,
    ),
    seed(`INSERT INTO segments (id, workspace_id, name, include_tags, exclude_tags, revision,
        created_at, updated_at)
      SELECT ${ID}, ?2, 'S', '[]', '[]', 'r', 0, 0 FROM each WHERE n <= 30`),
    seed(
      "INSERT INTO click_packets (id, created_at) SELECT ?2 || n, ?3 FROM each",
      long + 19 * DAY,
    ),
    seed(
      `INSERT INTO dead_letters (id, source, body, fault, attempts, created_at)
      SELECT ${ID}, 'jobs', '', '', 1, ?3 FROM each`,
      long,
    ),
    seed(
      `INSERT INTO domains (id, workspace_id, host, verified, disabled, ssl_active, check_at,
        ssl_check_at, created_at, updated_at)
      SELECT ${ID}, ?2, n || '.' || ?2, 1, 0, 1, ?3, 0, 0, 0 FROM each`,
      Date.now() + DAY,
    ),
    seed(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
        test, status, attempts_count, next_attempt_at, created_at)
      SELECT ${ID} || '-', ?2, 'endpoint', ?2, ${ID}, 'publishing.post.published', 'all', 0,
        'pending', 1, 1e15, ?3 FROM each`,
      long,
    ),
    // Of a workspace that is suspended, say: nobody may look at it before that ends.
    seed(`INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
        test, status, attempts_count, next_attempt_at, created_at)
      SELECT 'parked' || n || ?2, 'parked' || ?2, 'endpoint', 'parked', ${ID},
        'publishing.post.published', 'all', 0, 'parked', 1, 0, 1e15 FROM each`),
    seed(`INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
      SELECT 'parked' || n || ?2, 'parked' || ?2, 'publishing.post.published', 'all', 0, '{}', 0, 1e15
      FROM each`),
    seed(`INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
        attempts_count, created_at, updated_at)
      SELECT 'parked' || n || ?2, ?2, ${ID}, 'sms', 'outbound', 'Hi', 'queued', 0, 0, 0 FROM each`),
    // Each to a target of its own.
    seed(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
        test, status, attempts_count, next_attempt_at, created_at)
      SELECT ${ID} || '+', ?2, 'endpoint', ${ID}, ${ID} || '+', 'publishing.post.published', 'all',
        0, 'pending', 1, 1e15, ?3 FROM each`,
      long,
    ),
    seed(`INSERT INTO pages (id, workspace_id, handle, handle_key, domain_root, status, disabled,
        title, language, time_zone, profile, theme, seo, sensitive_content, pixels, utm, block_order,
        content_bytes, blocks_bytes, revision, content_revision, last_version, kept_bytes, created_at,
        updated_at)
      SELECT ${ID}, ?2, n || '-' || ?2, n || '-' || ?2, 0, 'draft', 0, 'Ada', 'en', 'UTC',
        '{"name":null,"tagline":null,"avatar":null}', '{"preset":"meadow"}',
        '{"title":null,"description":null,"image":null,"indexable":false}', 0, '[]', '{}', '[]', 0, 0, 'r', 'r', 0, 0, 0, 0
      FROM each WHERE n <= 400`),
    seed(
      `INSERT INTO page_blocks (id, workspace_id, page_id, type, enabled, settings, name, published,
        revision, created_at, updated_at, deleted_at)
      SELECT ${ID}, ?2, ${ID}, 'text', 1, '{}', 'A', 1, 'r', 0, 0, ?3 FROM each`,
      Date.now(),
    ),
    seed(
      `INSERT INTO page_versions (page_id, number, workspace_id, document, hash, bytes, created_at)
      SELECT ?2, n, ?2, '{}', 'h', 2, 0 FROM each`,
    ),
    seed(
      "INSERT INTO opt_outs (workspace_id, identity, created_at) SELECT ?2, printf('%032x', n), 0 FROM each",
    ),
    seed(
      `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at, finished_at)
       SELECT ${ID} || ?2, ?2, 2, '', 0, 0, 0 FROM each`,
    ),
    seed(
      "INSERT INTO hostname_removals (host, try_at) SELECT ?2 || n, ?3 FROM each",
      Date.now() + DAY,
    ),
  ]);
  const first = await env.DB.prepare("SELECT min(id) AS id FROM links WHERE workspace_id = ?")
    .bind(workspace.id)
    .first<string>("id");
  const id = String(first);
  return { workspace, endpoint, domain, link: id, contact: id };
}

/** Packets that code of before 2026-11-22 may count too: of the same few clicks, of referrers that the link has not had that day. */
function countClicks({ workspace, link }: Stored, packets: number): Promise<unknown> {
  const hour = Math.floor(Date.now() / DAY) * DAY - DAY;
  const referrers = [1, 2, 3].map((number) => `${number}-${crypto.randomUUID()}.example`);
  const clicks = referrers.map((from) => [link, hour, 0, "DE", 0, from, 1]);
  const bodies = Array.from({ length: packets }, () => ({
    v: 1,
    workspace: workspace.id,
    id: crypto.randomUUID(),
    agents: [PERSON],
    clicks,
  }));
  return deliver("signpost-clicks", bodies);
}

/** Clicks as the code of before counted them. */
function addFormerClicks({ workspace, link }: Stored, count: number): Promise<unknown> {
  return env.DB.prepare(
    `${EACH} INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id,
       clicks)
     SELECT ?3, n * 3600000, 'crawler', '', '', '', ?2, 1 FROM each`,
  )
    .bind(count, workspace.id, link)
    .run();
}

/** A change of a product that a published page shows, until that is drawn anew. */
let shown: Promise<[Workspace, string]> | undefined;
async function changeShownProduct(): Promise<void> {
  shown ??= makeShownProduct();
  const [workspace, id] = await shown;
  await ok(patchProduct(workspace, id, { title: crypto.randomUUID() }));
  await redrawProductPages(workIn(workspace.id));
}

async function makeShownProduct(): Promise<[Workspace, string]> {
  const workspace = await createWorkspace();
  const { id } = await createProduct(workspace);
  const block = { type: "products", settings: { products: [id] } };
  const page = await createPage(workspace, { blocks: [block] });
  await ok(publishPage(workspace, page.id));
  await redrawProductPages(workIn(workspace.id));
  return [workspace, id];
}

/** A post that goes out, the thirteenth of its workspace, until the page that shows it is drawn anew. */
let posting: Promise<Workspace> | undefined;
async function tellPost(): Promise<void> {
  posting ??= makePostsPage();
  const workspace = await posting;
  await ok(publish(workspace, POST_PUBLISHED, newPost()));
  await redrawProductPages(workIn(workspace.id));
}

const newPost = () => ({
  ...postEvents.published.sample,
  id: crypto.randomUUID(),
  published_at: null,
});

async function makePostsPage(): Promise<Workspace> {
  const workspace = await createWorkspace();
  const page = await createPage(workspace, {
    blocks: [{ type: "posts", settings: { count: 12 } }],
  });
  await ok(publishPage(workspace, page.id));
  for (let at = 0; at < 12; at++) await ok(publish(workspace, POST_PUBLISHED, newPost()));
  await redrawProductPages(workIn(workspace.id));
  return workspace;
}

/** 200 products, as an import has them. */
const numbered = (names: string, title: string = crypto.randomUUID()) =>
  Array.from({ length: 200 }, (_, at) => ({
    external_id: `${names}${at + 1}`,
    title,
    labels: ["new"],
  }));

const keyed = () => ({ "Idempotency-Key": newIdempotencyKey() });

async function ok(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(text);
}

function createLinkIn(workspace: Workspace, more: object = {}) {
  const body = { destination: "https://example.com/", ...more };
  return ok(workspace.send("POST", LINKS, { headers: keyed(), body }));
}

function importOf(
  workspace: Workspace,
  names: string,
  { name, isOptedOut }: { name?: string; isOptedOut?: (at: number) => boolean } = {},
) {
  const contacts = Array.from({ length: 500 }, (_, at) => ({
    external_id: `${names}${at + 1}`,
    name: name ?? crypto.randomUUID(),
    ...(isOptedOut?.(at) && { phone: OPTED_OUT }),
  }));
  return ok(post(workspace, `${CONTACTS}/import`, { contacts }));
}

/** Deliveries of a time that the endpoint never took, with their attempts and events. */
async function addFailed({ workspace, endpoint }: Stored, count: number, time: number) {
  const base = leastIdAt(time).slice(0, 24);
  const id = `'${base}' || substr(hex(randomblob(6)), 1, 12)`;
  const bound = [count, workspace.id, time];
  await env.DB.batch([
    env.DB.prepare(
      `${EACH} INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at,
         created_at)
       SELECT ${id}, ?2, 'publishing.post.published', 'all', 0, '{}', ?3, ?3 FROM each`,
    ).bind(...bound),
    env.DB.prepare(
      `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
         test, status, attempts_count, created_at, attempts)
       SELECT id, workspace_id, 'endpoint', ?4, id, type, channel, 0, 'failed', 1, ?3, ?5
       FROM events WHERE workspace_id = ?2 AND created_at = ?3 AND ?1`,
    ).bind(...bound, endpoint.id, JSON.stringify({ 1: { startedAt: time, durationMs: 1 } })),
  ]);
}

/** A tag of ten contacts that is made, given and deleted, until it is taken from the last. */
async function deleteTagOfTen({ workspace }: Stored): Promise<void> {
  const tag = await createLabel(workspace, TAGS, crypto.randomUUID());
  await env.DB.prepare(
    `INSERT INTO contact_tags (contact_id, tag_id)
     SELECT id, ?2 FROM contacts WHERE workspace_id = ?1 ORDER BY id LIMIT 10`,
  )
    .bind(workspace.id, tag)
    .run();
  await ok(change(workspace, "DELETE", `${TAGS}/${tag}`));
  await vi.waitFor(
    async () => {
      const left = await env.DB.prepare("SELECT 1 FROM tags WHERE id = ?").bind(tag).first();
      if (left) throw new Error("not gone yet");
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** A pixel of ten links that is deleted by force, until it is taken from the last. */
async function deletePixelOfTen({ workspace }: Stored): Promise<void> {
  const { id } = await createPixel(workspace);
  await env.DB.prepare(
    `UPDATE links SET pixels = json_array(?2) WHERE id IN
       (SELECT id FROM links WHERE workspace_id = ?1 AND status = 'active' ORDER BY id LIMIT 10)`,
  )
    .bind(workspace.id, id)
    .run();
  expect((await change(workspace, "DELETE", `${PIXELS}/${id}`)).status).toBe(409);
  await ok(change(workspace, "DELETE", `${PIXELS}/${id}?force=true`));
  await vi.waitFor(
    async () => {
      const left = await env.DB.prepare("SELECT 1 FROM pixels WHERE id = ?").bind(id).first();
      if (left) throw new Error("not gone yet");
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** A page of twenty blocks. */
async function createPageOf20({ workspace }: Stored) {
  const page = await createPage(workspace, { blocks: Array(20).fill(HEADING) });
  return { page, path: `${PAGES}/${page.id}` };
}

/** Deletes a page for good, so that there are as many as before. */
async function deletePage({ workspace }: Stored, path: string): Promise<void> {
  await ok(change(workspace, "DELETE", path));
}

/** A minute whose comparisons of addresses, of which one has a row of its own, are at their end. */
async function minute(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE address_check SET link_id = '~', place = '~'"),
    env.DB.prepare(
      "INSERT INTO job_places VALUES ('check_pages', '~') ON CONFLICT DO UPDATE SET place = '~'",
    ),
  ]);
  await tick(withHostnames);
}

/** A visit that holds nothing yet of a link that nobody has visited. It is paused: nothing is counted. */
async function visitNewLink({ workspace }: Stored): Promise<void> {
  const { slug } = (await env.DB.prepare(
    "UPDATE links SET status = 'paused' WHERE id = (SELECT id FROM links WHERE workspace_id = ? AND status = 'active' AND pixels = '[]' ORDER BY id DESC LIMIT 1) RETURNING slug",
  )
    .bind(workspace.id)
    .first<{ slug: string }>()) ?? { slug: "" };
  await send(`/${slug}`);
}

/** A visit of a page that nothing is held of. It asks for the head alone: nothing is counted. */
let visitedPage: Promise<string> | undefined;
async function visitNewPage(): Promise<void> {
  visitedPage ??= makeVisitedPage();
  const handle = await visitedPage;
  forgetAddress({ host: "", slugKey: `@${handle}` });
  const { status } = await send(`/@${handle}`, { method: "HEAD" });
  if (status !== 200) throw new Error(`A page answered ${status}.`);
}

/** The same of one at its domain's root. */
let visitedRoot: Promise<string> | undefined;
async function visitNewRoot(): Promise<void> {
  visitedRoot ??= makeVisitedRoot();
  const host = await visitedRoot;
  forgetAddress({ host, slugKey: "" });
  const { status } = await send(`https://${host}/`, { method: "HEAD" });
  if (status !== 200) throw new Error(`A domain's root answered ${status}.`);
}

async function makeVisitedRoot(): Promise<string> {
  const workspace = await createWorkspace();
  const { id, host } = await createActiveDomain(workspace);
  await createPublished(workspace, { domain: id, settings: { domain_root: true } });
  return host;
}

async function makeVisitedPage(): Promise<string> {
  const workspace = await createWorkspace();
  const { id, handle } = await createPage(workspace, { blocks: Array(20).fill(HEADING) });
  await ok(publishPage(workspace, id));
  return handle;
}

/** What is sent with a form that has taken a thousand: it is accepted, and makes a contact. */
let usedForm: Promise<UsedForm> | undefined;
type UsedForm = Form & { digest: string };
async function sendUsedForm(): Promise<void> {
  usedForm ??= makeUsedForm();
  const form = await usedForm;
  const visit = { version: 1, digest: form.digest, nonce: crypto.randomUUID() };
  const came = { openedAt: Date.now(), referrer: "", utm: "" };
  const of = { pageId: form.page, blockId: form.block };
  const _token = await signFormToken(bindings, of, { ...visit, ...came });
  const email = `${crypto.randomUUID()}@example.com`;
  const { status, text } = await sendForm(form, { _token, email });
  if (status !== 303) throw new Error(text);
}

async function makeUsedForm(): Promise<UsedForm> {
  const workspace = await createWorkspace();
  const contact = { create: true, map: { email: "email" } };
  const form = await createForm(workspace, { contact, limit: 100_000, one_per_email: true });
  const found = await env.DB.prepare(
    "SELECT render -> '$.forms' AS forms FROM page_renders WHERE page_id = ?",
  )
    .bind(form.page)
    .first<string>("forms");
  const { digest } = JSON.parse(found ?? "{}")[form.block];
  await env.DB.prepare(
    `${EACH} INSERT INTO submissions (id, workspace_id, page_id, block_id, page_version, status,
       spam_reasons, answers, fields, consents, utm, is_read, is_starred, is_told, nonce, digest,
       only_email, emails, retention_days, due_at, revision, created_at)
     SELECT ${ID}, ?2, ?3, ?4, 1, 'accepted', '[]', '{}', '[]', '[]', '{}', 0, 0, 1, n, n,
       n || '@example.com', '[]', 365, ?5, 'r', ?5 FROM each`,
  )
    .bind(1000, workspace.id, form.page, form.block, Date.now())
    .run();
  return { ...form, digest };
}

async function createAndDeleteLink(workspace: Workspace): Promise<void> {
  const body = { destination: "https://example.com/" };
  const { data } = (await workspace.send("POST", LINKS, { headers: keyed(), body })).body;
  await ok(change(workspace, "DELETE", `${LINKS}/${data.id}`));
}

/** A change in a workspace of its own, as elsewhere nobody is told of links. */
let telling: Promise<[Workspace, string]> | undefined;
async function changeToldLink(): Promise<void> {
  telling ??= makeToldLink();
  const [workspace, id] = await telling;
  const body = { title: crypto.randomUUID() };
  await ok(change(workspace, "PATCH", `${LINKS}/${id}`, body));
}

async function makeToldLink(): Promise<[Workspace, string]> {
  const workspace = await createWorkspace();
  const updated = { event: "biolinks.link.updated", channel: "all" };
  await createLiveEndpoint(workspace, newBox(), [updated]);
  return [workspace, (await createLink(workspace)).body.data.id];
}

/** So many more changes for visitors, and all of them of long ago. */
async function addOldChanges(count: number): Promise<void> {
  const sql = `${EACH} INSERT INTO address_changes (scope, name) SELECT 'address', ?2 FROM each`;
  await env.DB.prepare(sql).bind(count, "/old").run();
  await env.DB.prepare("UPDATE address_changes SET at = 0").run();
}

function sweep(time: number) {
  const db = sharedDatabase(bindings);
  return findOverdueTargets(db, time, "", 20);
}

/** One delivery that nobody attempted when it was due. */
async function addOverdue({ workspace }: Stored) {
  await env.DB.prepare(
    `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
       test, status, attempts_count, next_attempt_at, created_at)
     VALUES (?1, ?2, 'endpoint', ?1, ?1, 'publishing.post.published', 'all', 0, 'pending', 1, 1, 1)`,
  )
    // The first of all targets.
    .bind(`00000000${crypto.randomUUID().slice(8)}`, workspace.id)
    .run();
}

/** What is done, and how many rows it may read and write, however much is stored. */
const OPERATIONS: [string, Rows, (stored: Stored) => Promise<unknown>][] = [
  // Each with its address, and a row of the log of what changed for visitors. Whether anybody wants
  // the event is four of what is read (places the statement keeps itself, no row of a table).
  ["POST /links", { read: 12, written: 8 }, ({ workspace }) => createLinkIn(workspace)],
  [
    "POST /links on a domain",
    // One more than elsewhere: its place among the links of its domain, which are listed by it.
    { read: 16, written: 9 },
    ({ workspace, domain }) => createLinkIn(workspace, { domain }),
  ],
  [
    "GET /links/{id}",
    { read: 3, written: 0 },
    ({ workspace, link }) => ok(workspace.send("GET", `${LINKS}/${link}`)),
  ],
  [
    "PATCH /links/{id}",
    { read: 7, written: 1 },
    ({ workspace, link }) =>
      ok(
        workspace.send("PATCH", `${LINKS}/${link}`, {
          headers: { "If-Match": "*" },
          body: { title: crypto.randomUUID() },
        }),
      ),
  ],
  [
    // One of them for pages that show it.
    "PATCH /links/{id}, another destination",
    { read: 11, written: 4 },
    ({ workspace, link }) =>
      ok(
        workspace.send("PATCH", `${LINKS}/${link}`, {
          headers: { "If-Match": "*" },
          body: { destination: `https://example.com/${crypto.randomUUID()}` },
        }),
      ),
  ],
  [
    "POST and DELETE /links/{id}",
    { read: 26, written: 13 },
    ({ workspace }) => createAndDeleteLink(workspace),
  ],
  ["PATCH /links/{id}, told to an endpoint", { read: 110, written: 20 }, changeToldLink],
  // Once, although this isolate has just deleted a link of the workspace: it had no QR codes.
  ["a visit of a link that is not held", { read: 1, written: 0 }, visitNewLink],
  [
    "a visit of an unknown address",
    { read: 0, written: 0 },
    () => send(`/none-${crypto.randomUUID().slice(0, 8)}`),
  ],
  [
    "the log read on, with one change since",
    { read: 2, written: 0 },
    async () => {
      const last = await scalar("SELECT max(id) AS n FROM address_changes");
      await findChanges(bindings, last - 1);
    },
  ],
  // A thousand changes at most.
  ["the log read anew", { read: 1001, written: 0 }, () => findChanges(bindings)],
  [
    "250 changes for visitors to purge",
    { read: 1010, written: 250 },
    async ({ workspace }) => {
      await addOldChanges(250);
      await purgeAddressChanges(workIn(workspace.id));
    },
  ],
  [
    "a slice of the comparison of addresses: 20 links and 20 addresses",
    { read: 90, written: 1 },
    async ({ workspace }) => {
      await env.DB.prepare("UPDATE address_check SET link_id = '', place = ''").run();
      await checkAddresses(workIn(workspace.id), 20);
    },
  ],
  [
    "POST /catalogue/products",
    { read: 24, written: 12 },
    ({ workspace }) => ok(postProduct(workspace, { labels: ["new"] })),
  ],
  [
    "PATCH and DELETE /catalogue/products/{id}, with labels and a picture",
    { read: 150, written: 50 },
    async ({ workspace, contact }) => {
      const { id } = await createProduct(workspace, { labels: ["a"] });
      await ok(patchProduct(workspace, id, { labels: ["b"], image: { file: contact } }));
      await ok(change(workspace, "DELETE", `${PRODUCTS}/${id}`));
    },
  ],
  [
    "GET /catalogue/products?label=&brand=",
    // A page, one more, and what is looked at beside each: its row, its place in the index.
    { read: 60, written: 0 },
    ({ workspace }) => ok(workspace.send("GET", `${PRODUCTS}?label=new&brand=Ada`)),
  ],
  [
    "PATCH /catalogue/products/{id}, which a page shows: it is drawn anew",
    { read: 90, written: 25 },
    changeShownProduct,
  ],
  [
    "upsertProducts of 200, new",
    { read: 8000, written: 3000 },
    ({ workspace }) => upsertProducts(workIn(workspace.id), numbered(crypto.randomUUID())),
  ],
  [
    "upsertProducts of 200, unchanged",
    { read: 1300, written: 0 },
    ({ workspace }) => upsertProducts(workIn(workspace.id), numbered("known", "Mug")),
  ],
  [
    "POST, PATCH and DELETE /catalogue/collections/{id}",
    { read: 150, written: 40 },
    async ({ workspace, contact }) => {
      const { id } = await createCollection(workspace, { products: [contact] });
      await ok(patchCollection(workspace, id, { rule: { label: "new" } }));
      await ok(change(workspace, "DELETE", `${COLLECTIONS}/${id}`));
    },
  ],
  ["GET /links", { read: 30, written: 0 }, ({ workspace }) => ok(workspace.send("GET", LINKS))],
  [
    "POST /contacts",
    { read: 22, written: 13 },
    ({ workspace }) => ok(post(workspace, CONTACTS, { name: "Ada" })),
  ],
  [
    "POST /contacts, a new external_id",
    { read: 23, written: 14 },
    ({ workspace }) => ok(post(workspace, CONTACTS, { external_id: crypto.randomUUID() })),
  ],
  [
    "POST /contacts, a known external_id",
    { read: 34, written: 7 },
    ({ workspace }) =>
      ok(post(workspace, CONTACTS, { external_id: "c7", name: crypto.randomUUID() })),
  ],
  [
    "POST /contacts/import of 500, new",
    { read: 13_000, written: 6100 },
    ({ workspace }) => importOf(workspace, crypto.randomUUID()),
  ],
  [
    "POST /contacts/import of 500, known",
    { read: 16_600, written: 3100 },
    ({ workspace }) => importOf(workspace, "known"),
  ],
  [
    "POST /contacts/import of 500, unchanged",
    { read: 4010, written: 0 },
    ({ workspace }) => importOf(workspace, "known", { name: "Ada" }),
  ],
  [
    "GET /contacts?external_id=",
    { read: 8, written: 0 },
    ({ workspace }) => ok(workspace.send("GET", `${CONTACTS}?external_id=c7`)),
  ],
  [
    "GET /contacts",
    { read: 85, written: 0 },
    ({ workspace }) => ok(workspace.send("GET", CONTACTS)),
  ],
  [
    "GET /segments",
    // Each twice: how large it is, and then itself.
    { read: 57, written: 0 },
    ({ workspace }) => ok(workspace.send("GET", SEGMENTS)),
  ],
  [
    "GET /segments/{id}",
    { read: 4, written: 0 },
    // Links, contacts and segments have the same ids here.
    ({ workspace, contact }) => ok(workspace.send("GET", `${SEGMENTS}/${contact}`)),
  ],
  [
    "GET /segments/{id}/contacts, everybody",
    { read: 150, written: 0 },
    ({ workspace, contact }) => ok(workspace.send("GET", `${SEGMENTS}/${contact}/contacts`)),
  ],
  [
    "an event that nobody wants",
    { read: 13, written: 5 },
    ({ workspace }) =>
      ok(publish(workspace, { event: "publishing.post.scheduled", channel: "all" })),
  ],
  [
    "a post that goes out, which a page shows: it is drawn anew",
    { read: 91, written: 25 },
    tellPost,
  ],
  ["an event to 1 endpoint", { read: 94, written: 24 }, ({ workspace }) => ok(publish(workspace))],
  [
    "an event to 10 endpoints",
    { read: 550, written: 135 },
    ({ workspace }) => ok(publish(workspace, POST_FAILED)),
  ],
  [
    "GET /endpoints/{id}/deliveries",
    { read: 29, written: 0 },
    ({ workspace, endpoint }) => ok(workspace.send("GET", `${endpoint.path}/deliveries`)),
  ],
  [
    "GET /endpoints/{id}/deliveries, of a minute",
    { read: 29, written: 0 },
    ({ workspace, endpoint }) => {
      const since = new Date(Date.now() - 60_000).toISOString();
      return ok(workspace.send("GET", `${endpoint.path}/deliveries?since=${since}`));
    },
  ],
  [
    "GET /endpoints/{id}/deliveries, of an event",
    { read: 10, written: 0 },
    ({ workspace, endpoint }) =>
      ok(workspace.send("GET", `${endpoint.path}/deliveries?event_id=${crypto.randomUUID()}`)),
  ],
  [
    "POST /endpoints/{id}/recover, 5 failed since, a dry run",
    { read: 190, written: 0 },
    async (stored) => {
      const { workspace, endpoint } = stored;
      const time = Date.now() - 1000;
      await addFailed(stored, 5, time);
      const body = { since: new Date(time).toISOString(), dry_run: true };
      await ok(change(workspace, "POST", `${endpoint.path}/recover`, body));
    },
  ],
  [
    "POST /endpoints/{id}/recover, 5 failed since",
    { read: 235, written: 88 },
    async (stored) => {
      const { workspace, endpoint } = stored;
      const time = Date.now() - 1000;
      await addFailed(stored, 5, time);
      const since = new Date(time).toISOString();
      await ok(change(workspace, "POST", `${endpoint.path}/recover`, { since }));
    },
  ],
  [
    "POST /messages",
    { read: 45, written: 22 },
    ({ workspace, contact }) =>
      ok(workspace.send("POST", MESSAGES, { headers: keyed(), body: { contact, text: "Hi" } })),
  ],
  // Three for a mark, which code of before looks for; all else is the ledger's.
  ["a packet of before", { read: 5, written: 6 }, (stored) => countClicks(stored, 1)],
  ["100 packets of before", { read: 500, written: 600 }, (stored) => countClicks(stored, 100)],
  [
    "a minute with 10 clicks to move",
    { read: 144, written: 20 },
    async (stored) => {
      await addFormerClicks(stored, 10);
      await minute();
    },
  ],
  [
    "POST /contacts, of who opted out",
    { read: 95, written: 20 },
    ({ workspace }) => ok(post(workspace, CONTACTS, { phone: OPTED_OUT })),
  ],
  [
    "POST /contacts/import of 500, 50 of who opted out",
    { read: 14_700, written: 7500 },
    ({ workspace }) =>
      importOf(workspace, crypto.randomUUID(), { isOptedOut: (at) => at % 10 === 0 }),
  ],
  [
    "POST and DELETE /contacts/{id}, opted out",
    { read: 130, written: 28 },
    async ({ workspace }) => {
      const { id } = await createContact(workspace, { phone: OPTED_OUT });
      await ok(change(workspace, "DELETE", `${CONTACTS}/${id}`));
    },
  ],
  [
    "POST /contacts, 5 messages, POST /contacts/{id}/erase",
    { read: 420, written: 160 },
    async ({ workspace }) => {
      const { id } = await createContact(workspace, { channel: "sms" });
      for (let sent = 0; sent < 5; sent++) await hear(workspace, id);
      await ok(change(workspace, "POST", `${CONTACTS}/${id}/erase`));
    },
  ],
  [
    "a minute with an erasure due",
    { read: 106, written: 7 },
    async ({ workspace, contact }) => {
      await env.DB.prepare(
        `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
         VALUES (?, ?, 0, '', 0, 0)`,
      )
        .bind(crypto.randomUUID() + contact, workspace.id)
        .run();
      await minute();
    },
  ],
  [
    "POST, PATCH and DELETE /pixels/{id}",
    { read: 24, written: 13 },
    async ({ workspace }) => {
      const { id } = await createPixel(workspace);
      await ok(change(workspace, "PATCH", `${PIXELS}/${id}`, { enabled: false }));
      await ok(change(workspace, "DELETE", `${PIXELS}/${id}`));
    },
  ],
  [
    "POST, GET and DELETE /files/{id}",
    { read: 24, written: 12 },
    async ({ workspace }) => {
      const { id } = await createFile(workspace, newPng());
      await ok(workspace.send("GET", `${FILES}/${id}`));
      await ok(workspace.send("DELETE", `${FILES}/${id}`));
    },
  ],
  ["GET /files", { read: 55, written: 0 }, ({ workspace }) => ok(workspace.send("GET", FILES))],
  [
    "a visit of a file that all have",
    { read: 6, written: 0 },
    async () => {
      // Not held: it is asked for at a host of its own.
      await findPublicFile(bindings, SHARED, null);
    },
  ],
  [
    "POST /pages with 20 blocks, and DELETE",
    { read: 58, written: 89 },
    async (stored) => {
      const { path } = await createPageOf20(stored);
      await deletePage(stored, path);
    },
  ],
  [
    "POST, PATCH and DELETE of a block, of 20",
    { read: 135, written: 102 },
    async (stored) => {
      const { path } = await createPageOf20(stored);
      const { workspace } = stored;
      const { id } = (await postBlock(workspace, path.slice(PAGES.length + 1))).body.data;
      const block = `${path}/blocks/${id}`;
      await ok(change(workspace, "PATCH", block, { settings: { text: "Other" } }));
      await ok(change(workspace, "DELETE", block));
      await deletePage(stored, path);
    },
  ],
  [
    "PUT /pages/{page}/block-order, PUT and GET /pages/{page}/blocks, one of 20 changed",
    { read: 132, written: 94 },
    async (stored) => {
      const { page, path } = await createPageOf20(stored);
      const { workspace } = stored;
      const order = [...page.block_order].reverse();
      await ok(workspace.send("PUT", `${path}/block-order`, { body: { order } }));
      const { data } = (await workspace.send("GET", `${path}/blocks`)).body;
      const blocks = data.map(({ id }: { id: string }, at: number) => ({
        id,
        ...(at === 0 ? { type: "heading", settings: { text: "Other" } } : HEADING),
      }));
      await ok(workspace.send("PUT", `${path}/blocks`, { body: { blocks } }));
      await deletePage(stored, path);
    },
  ],
  [
    "publish a page of 20 blocks, PATCH, publish and restore it",
    { read: 364, written: 150 },
    async (stored) => {
      const { page, path } = await createPageOf20(stored);
      const { workspace } = stored;
      await ok(publishPage(workspace, page.id));
      await ok(patchPage(workspace, page.id, { title: "B" }));
      await ok(publishPage(workspace, page.id));
      await ok(workspace.send("POST", `${path}/versions/1/restore`));
      await deletePage(stored, path);
    },
  ],
  [
    "POST /pages/{page}/duplicate of 20 blocks",
    { read: 156, written: 178 },
    async (stored) => {
      const { path } = await createPageOf20(stored);
      const copy = await post(stored.workspace, `${path}/duplicate`, {});
      await deletePage(stored, `${PAGES}/${copy.body.data.id}`);
      await deletePage(stored, path);
    },
  ],
  [
    "GET /pages, 25 of them, and GET /pages/{page} with its versions",
    { read: 60, written: 0 },
    async ({ workspace }) => {
      const { body } = await workspace.send("GET", PAGES);
      const path = `${PAGES}/${body.data[0].id}`;
      await ok(workspace.send("GET", path));
      await ok(workspace.send("GET", `${path}/versions`));
    },
  ],
  // Behind what makes pages: of its neighbours in an index a row is read with them.
  [
    "a form that is sent",
    // A row with twelve indexes, its email, its form's count, the workspace's usage; its event, its
    // contact and the contact's event, with theirs.
    { read: 60, written: 60 },
    sendUsedForm,
  ],
  ["a visit of a page that is not held", { read: 1, written: 0 }, visitNewPage],
  // Its domain, and the page.
  ["a visit of a domain's root that is not held", { read: 2, written: 0 }, visitNewRoot],
  ["DELETE /pixels/{id}?force=true of 10 links", { read: 310, written: 58 }, deletePixelOfTen],
  ["DELETE /tags/{id} of 10 contacts", { read: 900, written: 200 }, deleteTagOfTen],
  [
    "GET /admin/v1/workspaces/{id}/usage",
    { read: 4, written: 0 },
    ({ workspace }) => ok(operate("GET", `/workspaces/${workspace.id}/usage`)),
  ],
  [
    "the sweep for a paced workspace",
    { read: 20, written: 0 },
    async ({ workspace }) => {
      const seeded = `${EACH} INSERT INTO events (id, workspace_id, type, channel, test, data,
          created_at) SELECT 'paced-' || n, ?2, 'publishing.post.published', 'all', 0, '{}', 1 FROM each`;
      const given = "UPDATE workspace_usage SET deliveries_in_hour = ?2, hour = ?3 WHERE id = ?1";
      const hour = Math.floor(Date.now() / 3_600_000);
      const setGiven = (count: number) =>
        env.DB.prepare(given).bind(workspace.id, count, hour).run();
      await setGiven(1e9);
      await env.DB.prepare(seeded).bind(200, workspace.id).run();
      await fanOutForgotten(workIn(workspace.id), TARGETS);
      await env.DB.prepare("DELETE FROM events WHERE id LIKE 'paced-%'").run();
      await setGiven(0);
    },
  ],
  ["a minute with nothing due", { read: 100, written: 2 }, () => minute()],
  [
    "a minute with 10 events to purge",
    { read: 301, written: 73 },
    async (stored) => {
      await addFailed(stored, 10, Date.now() - 31 * DAY);
      await minute();
    },
  ],
  [
    "the sweep for lanes, all overdue, of which it looks at 20 targets",
    { read: 110, written: 0 },
    () => sweep(Number.MAX_SAFE_INTEGER),
  ],
  [
    "the sweep for lanes, one overdue of all that wait",
    { read: 75, written: 0 },
    async (stored) => {
      await addOverdue(stored);
      expect((await sweep(Date.now())).overdue).toHaveLength(1);
      await env.DB.prepare("DELETE FROM target_deliveries WHERE next_attempt_at = 1").run();
    },
  ],
  [
    "a lane that begins anew, with all of them waiting for hours",
    { read: 8, written: 0 },
    ({ workspace }) =>
      exchange(
        {
          ctx: workIn(workspace.id),
          target: { kind: "endpoint", id: workspace.id },
          port: endpointTargets,
        },
        { begun: [], finished: [], leaseUntil: 1, wanted: 10, held: [] },
        Date.now(),
      ),
  ],
  [
    "a slice of the recount",
    { read: 100, written: 3 },
    async () => {
      const db = sharedDatabase(bindings);
      const [contacts] = STORED_RECORDS;
      const place = await findRecountPlace(db);
      if (contacts && place) await recountSlice(db, contacts, place, 20);
    },
  ],
];

describe.each([50, 500])("with %d of everything", (size) => {
  let stored: Stored;
  beforeAll(async () => {
    stored = await store(size);
    await importOf(stored.workspace, "known");
    await createContact(stored.workspace, { phone: OPTED_OUT, status: "opted_out" });
    await tick();
    // The recount has a row of its own below.
    await env.DB.prepare("UPDATE usage_recount SET stage = 0, position = '', next_at = 1e15").run();
    // Recounts of segments that came due meanwhile would fall into whichever minute is measured then.
    await env.DB.prepare("UPDATE segment_recounts SET due_at = 1e15, rests_until = 1e15").run();
  });

  // A key of its own for each, as one may send 60 requests a minute only.
  beforeEach(async () => {
    const { key } = await issueKey(stored.workspace.id);
    const send: Workspace["send"] = (method, path, more) => sendAs(key, method, path, more);
    stored.workspace = { ...stored.workspace, key, send };
  });

  it.each(OPERATIONS)("%s stays within its rows", async (name, budget, work) => {
    await work(stored);
    const rows = await rowsOf(() => work(stored), name.startsWith("a minute"));
    expect(rows.statements).toBeGreaterThan(0);
    expect(rows.read).toBeLessThanOrEqual(budget.read);
    expect(rows.written).toBeLessThanOrEqual(budget.written);
  });
});
