import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { post } from "../support/contacts.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { createSubmission, SUBMISSIONS } from "../support/submissions.ts";
import { change } from "../support/webhooks.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../support/workspace.ts";

const MANY = 15_000;
/** What one page may read where few match: 2,000 submissions, with their places in an index. */
const ROWS_OF_A_WALK = 4100;
const EACH = "WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)";
const ID = "printf('01900000-%04x-7000-8000-', n) || substr(?2, 25)";
const NOBODYS = "01900000-ffff-7000-8000-000000000000";

interface Stored {
  workspace: Workspace;
  /** All are of one page and one form, and of one contact, and have one address. */
  page: string;
}

async function store(size: number): Promise<Stored> {
  const workspace = await createWorkspace({ plan: "business" });
  await env.DB.prepare(
    `${EACH} INSERT INTO submissions (id, workspace_id, page_id, block_id, page_version, status,
       spam_reasons, answers, fields, consents, contact_id, utm, is_read, is_starred, is_told, nonce,
       digest, emails, retention_days, due_at, revision, created_at)
     SELECT ${ID}, ?2, ?2, ?2, 1, 'accepted', '[]', '{"email":"ada@example.com"}',
       '[{"id":"email","type":"email","label":"Email","required":true}]', '[]', ?2, '{}', 1, 0, 1,
       'n' || n, 'd' || n, '["ada@example.com"]', 365, 1e15, 'r', 0 FROM each`,
  )
    .bind(size, workspace.id)
    .run();
  return { workspace, page: workspace.id };
}

async function costOf(work: () => Promise<unknown>): Promise<{ read: number; written: number }> {
  const rows = { read: 0, written: 0 };
  const stop = listenToCosts(({ rowsRead, rowsWritten }) => {
    rows.read += rowsRead;
    rows.written += rowsWritten;
  });
  await work();
  stop();
  return rows;
}

async function read({ workspace }: Stored, query: string) {
  const { status, body, text } = await workspace.send("GET", `${SUBMISSIONS}?${query}`);
  if (status !== 200) throw new Error(text);
  return body;
}

/** Filters that nothing matches: what an index serves ends at once, others after a walk. */
const RARE: [string, number, (stored: Stored) => string][] = [
  ["by status", 10, () => "status=spam"],
  ["by what is unread", 10, () => "is_read=false"],
  ["by what is starred", 10, () => "is_starred=true"],
  ["by page", 10, () => `page=${NOBODYS}`],
  ["by form", 10, () => `block=${NOBODYS}`],
  ["by contact", 10, () => `contact=${NOBODYS}`],
  ["by address", 10, () => "email=nobody@example.com"],
  ["by time", 10, () => "since=2026-01-01T00:00:00Z"],
  ["by form and status", ROWS_OF_A_WALK, ({ page }) => `block=${page}&status=spam`],
  ["by page and form", 10, ({ page }) => `page=${page}&block=${NOBODYS}`],
  ["by contact and status", ROWS_OF_A_WALK, ({ page }) => `contact=${page}&status=held`],
  ["by address and status", 8100, () => "email=ada@example.com&status=held"],
];

/** What all match: whole pages. */
const COMMON: [string, (stored: Stored) => string][] = [
  ["all", () => ""],
  ["by status", () => "status=accepted"],
  ["by what is read", () => "is_read=true"],
  ["by what is not starred", () => "is_starred=false"],
  ["by page", ({ page }) => `page=${page}`],
  ["by form", ({ page }) => `block=${page}&status=accepted`],
  ["by contact", ({ page }) => `contact=${page}`],
  ["by address", () => "email=Ada@example.com"],
  ["by time", () => "until=2025-01-01T00:00:00Z"],
];

/** What it costs at most, however many there are. */
const WORK: [
  string,
  { read: number; written: number },
  (stored: Stored, id: string) => Promise<unknown>,
][] = [
  [
    "GET /submissions/{id}",
    { read: 4, written: 0 },
    ({ workspace }, id) => workspace.send("GET", `${SUBMISSIONS}/${id}`),
  ],
  [
    "PATCH /submissions/{id}",
    { read: 16, written: 8 },
    ({ workspace }, id) => change(workspace, "PATCH", `${SUBMISSIONS}/${id}`, { is_read: true }),
  ],
  [
    "POST /submissions/{id}/mark-spam",
    { read: 24, written: 14 },
    ({ workspace }, id) => post(workspace, `${SUBMISSIONS}/${id}/mark-spam`, {}),
  ],
  [
    "POST /submissions/{id}/release",
    { read: 30, written: 20 },
    ({ workspace }, id) => post(workspace, `${SUBMISSIONS}/${id}/release`, {}),
  ],
  [
    "DELETE /submissions/{id}",
    { read: 70, written: 22 },
    ({ workspace }, id) => change(workspace, "DELETE", `${SUBMISSIONS}/${id}`),
  ],
  [
    "POST /submissions/bulk-delete",
    { read: 70, written: 22 },
    ({ workspace }, id) => post(workspace, `${SUBMISSIONS}/bulk-delete`, { ids: [id] }),
  ],
  [
    "POST /submissions/erase",
    { read: 75, written: 22 },
    ({ workspace }) => post(workspace, `${SUBMISSIONS}/erase`, { email: "bob@example.com" }),
  ],
  [
    "GET /submissions/export of one",
    { read: 12, written: 0 },
    ({ workspace }) => workspace.send("GET", `${SUBMISSIONS}/export?email=bob@example.com`),
  ],
];

describe.each([50, MANY])("of %d submissions", (size) => {
  let stored: Stored;
  beforeAll(async () => {
    stored = await store(size);
  });
  beforeEach(async () => {
    // A key of its own for each, as one may send 60 requests a minute only.
    const { key } = await issueKey(stored.workspace.id);
    const send: Workspace["send"] = (method, path, more) => sendAs(key, method, path, more);
    stored.workspace = { ...stored.workspace, key, send };
    await read(stored, "limit=1");
  });

  it.each(RARE)(
    "a page that nothing is on, %s, looks at so many and no more",
    async (_, most, query) => {
      let page: { data: unknown[] } = { data: [] };
      const { read: rows } = await costOf(async () => {
        page = await read(stored, query(stored));
      });
      expect(page.data).toEqual([]);
      expect(rows).toBeLessThanOrEqual(most);
    },
  );

  it.each(COMMON)("a page, %s, is whole, and costs what it holds", async (_, query) => {
    let page: { data: unknown[] } = { data: [] };
    const { read: rows } = await costOf(async () => {
      page = await read(stored, query(stored));
    });
    expect(page.data).toHaveLength(25);
    expect(rows).toBeLessThanOrEqual(90);
  });

  it.each(WORK)("%s stays within its rows", async (_, budget, work) => {
    const given = { status: "held", answers: { email: "bob@example.com" } } as const;
    const { id } = await createSubmission(stored.workspace, given);
    const rows = await costOf(() => work(stored, id));
    expect(rows.read).toBeGreaterThan(0);
    expect(rows.read).toBeLessThanOrEqual(budget.read);
    expect(rows.written).toBeLessThanOrEqual(budget.written);
    await env.DB.prepare("DELETE FROM submissions WHERE id = ?").bind(id).run();
  });
});
