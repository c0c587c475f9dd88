import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exportLines,
  findExported,
} from "../../../../src/features/biolinks/submissions/submission-export.service.ts";
import { presentSubmission } from "../../../../src/features/biolinks/submissions/submission-inbox.presenter.ts";
import { csvHead, csvOf } from "../../../../src/features/biolinks/submissions/submission-lines.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { listenToCosts } from "../../../support/noted-statements.ts";
import {
  formulasIn,
  openInSpreadsheet,
  readCsv,
  SEPARATORS,
} from "../../../support/spreadsheet.ts";
import {
  createSubmission,
  newSubmission,
  SUBMISSIONS,
  storeSubmissions,
} from "../../../support/submissions.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const EXPORT = `${SUBMISSIONS}/export`;
const OWN =
  "id,created_at,status,spam_reasons,page,block,block_name,page_version,contact,country,referrer_host,utm_source,utm_medium,utm_campaign,is_read,is_starred,consents";

async function exported(workspace: Workspace, query = ""): Promise<string> {
  const { status, text } = await workspace.send("GET", `${EXPORT}${query}`);
  if (status !== 200) throw new Error(text);
  return text;
}
/** Of blocks that no page has. */
const NAMELESS = new Map<string, string>();

describe("an export", () => {
  it("is CSV with a column for each field that was answered", async () => {
    const workspace = await createWorkspace();
    const older = await createSubmission(workspace, {
      answers: { email: "ada@example.com", news: true, topics: ["Vases", "Bowls"], status: "mine" },
      consents: [
        { field: "news", text: "Send me news.", hash: "h", given_at: "2026-11-20T08:00:00.000Z" },
      ],
    });
    const newer = await createSubmission(workspace, {
      answers: { name: "Bob", guests: -3 },
      status: "held",
      spamReasons: ["blocked_words", "too_many_links"],
      utm: {},
    });
    const answer = await workspace.send("GET", EXPORT);
    expect([answer.headers.get("Content-Type"), answer.headers.get("Content-Disposition")]).toEqual(
      [
        "text/csv; charset=utf-8",
        expect.stringMatching(/^attachment; filename="submissions-\d{4}-\d\d-\d\d\.csv"$/),
      ],
    );
    const csv = await exported(workspace);
    const fields =
      "answers.name,answers.guests,answers.email,answers.news,answers.topics,answers.status";
    expect(csv.split("\r\n")[0]).toBe(`${OWN},${fields},more_answers`.replace(/^\u{FEFF}/u, ""));
    const [first, second, ...more] = readCsv(csv);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      id: newer.id,
      status: "held",
      spam_reasons: "blocked_words too_many_links",
      "answers.name": "Bob",
      "answers.guests": "-3",
      "answers.email": "",
      utm_source: "",
    });
    expect(second).toMatchObject({
      id: older.id,
      created_at: new Date(older.createdAt).toISOString(),
      status: "accepted",
      is_read: "false",
      "answers.news": "true",
      "answers.topics": "Vases, Bowls",
      "answers.status": "mine",
      utm_source: "instagram",
      more_answers: "",
    });
    expect(JSON.parse(second?.consents ?? "")).toEqual(older.consents);
  });

  it("begins with a byte order mark, as spreadsheets want it", async () => {
    const ctx = workIn((await createWorkspace()).id);
    const lines = exportLines(ctx, await findExported(ctx, {}), "csv");
    expect((await lines.next()).value?.codePointAt(0)).toBe(0xfeff);
  });

  it("is NDJSON, the submissions as they are read", async () => {
    const workspace = await createWorkspace();
    const rows = [await createSubmission(workspace), await createSubmission(workspace)];
    const lines = (await exported(workspace, "?format=ndjson")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      rows.reverse().map((row) => presentSubmission(row, NAMELESS)),
    );
    expect(await exported(workspace, "?format=ndjson&status=spam")).toBe("");
  });

  it("holds what the filters leave", async () => {
    const workspace = await createWorkspace();
    const spam = newSubmission(workspace, { status: "spam" });
    const held = newSubmission(workspace, { status: "held", isRead: true });
    const bob = newSubmission(workspace, { answers: { email: "bob@example.com" } });
    await storeSubmissions([spam, held, bob]);
    const idsOf = async (query: string) =>
      readCsv(await exported(workspace, query)).map(({ id }) => id);
    expect(await idsOf("?status=spam")).toEqual([spam.id]);
    expect(await idsOf("?is_read=true")).toEqual([held.id]);
    expect(await idsOf("?email=bob@example.com")).toEqual([bob.id]);
    expect(await idsOf(`?block=${held.blockId}&status=held`)).toEqual([held.id]);
    const { status, body } = await workspace.send("GET", `${EXPORT}?format=xlsx`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ["format"]]);
  });

  it("gives a hundred forms' fields columns while there are 200, and the rest one of JSON", async () => {
    const workspace = await createWorkspace();
    const rows = Array.from({ length: 210 }, (_, at) =>
      newSubmission(workspace, { answers: { [`field_${at}`]: `=${at}` } }),
    );
    await storeSubmissions(rows);
    const lines = readCsv(await exported(workspace));
    expect(lines).toHaveLength(210);
    expect(lines[0]).toMatchObject({ "answers.field_209": "'=209", more_answers: "" });
    expect(lines.at(-1)?.more_answers).toBe('{"field_0":"=0"}');
    expect(Object.keys(lines[0] ?? {}).filter((name) => name.startsWith("answers."))).toHaveLength(
      200,
    );
  });

  it("runs nothing in a spreadsheet, whatever people sent", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(..."=+-@＝＋－＠\t\r\n;,|\"' \u00a0ab1"),
      maxLength: 12,
    });
    const fields = ["a", "b", "c"];
    fc.assert(
      fc.property(hostile, hostile, fc.array(hostile, { maxLength: 3 }), (a, b, c) => {
        const row = newSubmission(
          { id: "w" },
          { answers: { a, b, c, d: a }, referrerHost: b, utm: { source: a, campaign: b } },
        );
        const csv = csvHead(fields) + csvOf(presentSubmission(row, NAMELESS), fields);
        for (const separators of SEPARATORS) expect(formulasIn(csv, separators)).toEqual([]);
        expect(openInSpreadsheet(csv)).toHaveLength(2);
      }),
      { numRuns: 500 },
    );
  });
});

describe("an export of 5,000 submissions", () => {
  const MANY = 5000;

  async function storeMany(workspace: Workspace): Promise<void> {
    const answers = { text: "x".repeat(500), email: "ada@example.com" };
    for (let at = 0; at < MANY; at += 500) {
      const rows = Array.from({ length: 500 }, () =>
        newSubmission(workspace, { answers, status: "spam" }),
      );
      await storeSubmissions(rows);
    }
  }

  it("reads rows in proportion, and no more of them at once than a slice", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    await storeMany(workspace);
    const costs: number[] = [];
    const stop = listenToCosts(({ sql, rowsRead }) => {
      if (/submissions/.test(sql)) costs.push(rowsRead);
    });
    const csv = await exported(workspace);
    stop();
    const lines = readCsv(csv);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(MANY);
    // Each is looked up, with its fields, and read by its id.
    const rows = costs.reduce((sum, read) => sum + read, 0);
    expect(rows).toBeLessThanOrEqual(MANY * 8);
    expect(costs.length).toBeLessThanOrEqual(30);
  });

  it("makes no line before somebody takes it", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    await storeMany(workspace);
    const ctx = workIn(workspace.id);
    const found = await findExported(ctx, {});
    expect(found.slices.flat()).toHaveLength(MANY);
    expect(Math.max(...found.slices.map((ids) => ids.length))).toBeLessThanOrEqual(500);
    let asked = 0;
    const stop = listenToCosts(() => asked++);
    const lines = exportLines(ctx, found, "ndjson");
    const { value } = await lines.next();
    expect(JSON.parse(value ?? "").id).toBe(found.slices[0]?.[0]);
    // What all 5,000 forms are called, and the first slice.
    expect(asked).toBe(4);
    await lines.return(undefined);
    stop();
    expect(asked).toBe(4);
  });

  it("asks what forms are called for 2,000 at once, be each submission of another one", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    await storeMany(workspace);
    const named: string[] = [];
    const stop = listenToCosts(({ sql }) => {
      if (/FROM json_each\(\?2\) AS asked CROSS JOIN page_blocks/.test(sql)) named.push(sql);
    });
    expect(readCsv(await exported(workspace))).toHaveLength(MANY);
    stop();
    expect(named).toHaveLength(3);
  });

  it("goes on when the database loses a slice on the way", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    await storeMany(workspace);
    const broken = faulting(CONNECTION_LOST);
    let asked = 0;
    broken.faultOf = () => (asked++ % 3 === 1 ? "undone" : undefined);
    const ctx = { ...workIn(workspace.id), env: broken.env, db: sharedDatabase(broken.env) };
    let lines = 0;
    for await (const _ of exportLines(ctx, await findExported(ctx, {}), "ndjson")) lines++;
    expect(lines).toBe(MANY);
  });
});
