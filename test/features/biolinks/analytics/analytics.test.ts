import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type CountedHits,
  SLOT_MILLISECONDS,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { newId } from "../../../../src/platform/ids.ts";
import type { ClickPacket } from "../../../../src/visitor/clicks/click-packet.ts";
import { append, hitAt, OTHER_LINK, SOME_LINK } from "../../../support/analytics.ts";
import { operate } from "../../../support/http.ts";
import { ledgerAt } from "../../../support/ledger.ts";
import { deliver } from "../../../support/work.ts";
import {
  createActiveLink,
  createWorkspace,
  issueKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const ANALYTICS = "/api/v1/biolinks/analytics";
const NOW = Date.parse("2026-11-22T14:07:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

async function workspaceWith(...hits: CountedHits[]): Promise<Workspace> {
  const workspace = await createWorkspace();
  await count(workspace, ...hits);
  return workspace;
}

async function count({ id }: Workspace, ...hits: CountedHits[]): Promise<void> {
  await append(ledgerAt(id), ...hits);
}

function read(workspace: Workspace, search: string, path = ANALYTICS) {
  return workspace.send("GET", `${path}?${search}`);
}

const PAGE = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2b01";
const BLOCK = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2b02";
const CODE = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2b03";
const DOMAIN = "go.brand.com";
/** The day before: people of earlier ones are not told apart any more. */
const AT = "2026-11-21T10:00:00Z";

/** A little of each kind. */
const EACH: CountedHits[] = [
  hitAt(AT, { hits: 3, visitors: ["AAAAAAAAAAA", "AAAAAAAAAAE"] }),
  hitAt(AT, { hits: 2, id: OTHER_LINK, visitors: ["AAAAAAAAAAA"] }),
  hitAt(AT, { hits: 8, subject: "page", id: PAGE, count: "views", visitors: ["AAAAAAAAAAI"] }),
  hitAt(AT, { hits: 4, subject: "block", id: BLOCK }),
  hitAt(AT, { hits: 6, subject: "qr_code", id: CODE, count: "scans" }),
  hitAt(AT, { hits: 1, subject: "block", id: BLOCK, count: "submissions" }),
];

describe("analytics", () => {
  it("count views, visitors, clicks, scans and submissions, and clicks for each view", async () => {
    const workspace = await workspaceWith(...EACH);
    const { status, body } = await read(
      workspace,
      "metrics=views,visitors,clicks,scans,submissions,ctr",
    );
    expect([status, body.data]).toEqual([
      200,
      [{ views: 8, visitors: 4, clicks: 9, scans: 6, submissions: 1, ctr: 0.5 }],
    ]);
    expect(body.next_cursor).toBeNull();
    expect(body.meta).toMatchObject({
      time_zone: "UTC",
      from: "2026-10-24T00:00:00+00:00",
      to: "2026-11-22T14:15:00+00:00",
    });
    expect(Date.parse(body.meta.fresh_until)).toBeGreaterThan(NOW - 60_000);
  });

  it("are of one link, page, block or code, or of the whole workspace", async () => {
    const workspace = await workspaceWith(...EACH);
    const asked = "metrics=clicks,views,scans,visitors";
    for (const [filter, ...values] of [
      [`link=${SOME_LINK}`, 3, 0, 0, 2],
      [`link=${SOME_LINK},${OTHER_LINK.toUpperCase()}`, 5, 0, 0, 3],
      [`link=-${SOME_LINK}`, 6, 8, 6, 2],
      [`page=${PAGE}`, 0, 8, 0, 1],
      [`block=${BLOCK}`, 4, 0, 0, 0],
      [`qr_code=${CODE}`, 0, 0, 6, 0],
      [`link=${CODE}`, 0, 0, 0, 0],
    ]) {
      const { body } = await read(workspace, `${asked}&${filter}`);
      expect([filter, ...Object.values(body.data[0])]).toEqual([filter, ...values]);
    }
  });

  it.each([
    [
      "link",
      "clicks",
      [
        [SOME_LINK, 3],
        [OTHER_LINK, 2],
      ],
    ],
    ["page", "views", [[PAGE, 8]]],
    ["block", "clicks", [[BLOCK, null, 4]]],
    ["qr_code", "scans", [[CODE, 6]]],
  ])("are grouped by %s", async (dimension, metric, expected) => {
    const workspace = await workspaceWith(...EACH);
    const { body } = await read(workspace, `metrics=${metric}&group_by=${dimension}`);
    expect(body.data.map(Object.values)).toEqual(expected);
  });

  it.each([
    ["domain", DOMAIN],
    ["country", "DE"],
    ["region", "BE"],
    ["device", "mobile"],
    ["browser", "Safari"],
    ["os", "iOS"],
    ["language", "de"],
    ["referrer", "bbc.co.uk"],
    ["utm_source", "News, weekly"],
    ["utm_medium", "-mail"],
    ["utm_campaign", "Spring"],
    ["trigger", "qr"],
  ] as const)(
    "are grouped by %s, what is not known apart, and filtered by it",
    async (name, value) => {
      const workspace = await workspaceWith(
        hitAt(AT, { hits: 2, properties: { [name]: value } }),
        hitAt(AT, { hits: 5 }),
      );
      const { body } = await read(workspace, `metrics=clicks&group_by=${name}`);
      expect(body.data).toEqual([
        { [name]: null, clicks: 5 },
        { [name]: value, clicks: 2 },
      ]);
      const spelled = encodeURIComponent(
        value.replaceAll(/[,-]/g, name.startsWith("utm") ? "\\$&" : "$&"),
      );
      for (const [filter, clicks] of [
        [spelled, 2],
        [`-${spelled}`, 5],
        ["(none)", 5],
        ["-(none)", 2],
      ]) {
        const answer = await read(workspace, `metrics=clicks&${name}=${filter}`);
        expect([filter, answer.body.data]).toEqual([filter, [{ clicks }]]);
      }
    },
  );

  it("are grouped by two dimensions and in time, gaps filled", async () => {
    const workspace = await workspaceWith(
      hitAt("2026-11-19T10:00:00Z", { properties: { country: "DE", device: "tv" } }),
      hitAt("2026-11-21T10:00:00Z", { hits: 2, properties: { country: "US" } }),
    );
    const { body } = await read(
      workspace,
      "metrics=clicks&group_by=country,device&interval=day&from=2026-11-19&to=2026-11-21",
    );
    expect(body.data.map(Object.values)).toEqual([
      ["2026-11-19T00:00:00+00:00", "DE", "tv", 1],
      ["2026-11-19T00:00:00+00:00", "US", null, 0],
      ["2026-11-20T00:00:00+00:00", "DE", "tv", 0],
      ["2026-11-20T00:00:00+00:00", "US", null, 0],
      ["2026-11-21T00:00:00+00:00", "US", null, 2],
      ["2026-11-21T00:00:00+00:00", "DE", "tv", 0],
    ]);
  });

  it.each([
    ["America/New_York", "2026-11-01", 25],
    ["America/New_York", "2026-03-08", 23],
    ["Europe/London", "2026-10-25", 25],
    ["Australia/Lord_Howe", "2026-04-05", 25],
    // Clocks are set at a quarter to: two hours are not whole.
    ["Pacific/Chatham", "2026-09-27", 24],
    ["Pacific/Chatham", "2026-04-05", 26],
    ["Africa/Cairo", "2026-04-24", 23],
    ["America/Santiago", "2026-04-04", 25],
    ["Asia/Kathmandu", "2026-04-04", 24],
  ])("tell of %s, %s, in %d rows, all that happened on it", async (zone, day, rows) => {
    const first = Date.parse(`${day}T00:00:00Z`) - 15 * 60 * 60_000;
    const workspace = await workspaceWith(
      ...Array.from({ length: 54 * 4 }, (_, n) => hitAt(first + n * SLOT_MILLISECONDS)),
    );
    const asked = `metrics=clicks&from=${day}&to=${day}&time_zone=${zone}`;
    const byHour = (await read(workspace, `${asked}&interval=hour`)).body;
    expect(byHour.data).toHaveLength(rows);
    const slots = (Date.parse(byHour.meta.to) - Date.parse(byHour.meta.from)) / SLOT_MILLISECONDS;
    const sum = byHour.data.reduce(
      (all: number, { clicks }: { clicks: number }) => all + clicks,
      0,
    );
    const { data } = (await read(workspace, `${asked}&interval=day`)).body;
    expect([sum, data]).toEqual([slots, [{ start: byHour.meta.from, clicks: slots }]]);
  });

  it.each([
    ["week", ["2026-11-01T00:00:00+05:30", "2026-11-02T00:00:00+05:30"]],
    ["month", ["2026-11-01T00:00:00+05:30"]],
  ])("have a row each %s of the zone", async (interval, starts) => {
    const workspace = await workspaceWith(hitAt("2026-11-01T18:30:00Z"));
    const { body } = await read(
      workspace,
      `metrics=clicks&interval=${interval}&from=2026-11-01&to=2026-11-03&time_zone=asia/kolkata`,
    );
    expect(body.meta.time_zone).toBe("Asia/Kolkata");
    expect(body.data.map(({ start }: { start: string }) => start)).toEqual(starts);
    expect(body.data.at(-1).clicks).toBe(1);
  });

  it.each(["UTC", "Asia/Kolkata", "America/New_York", "Pacific/Kiritimati"])(
    "count a visitor once a UTC day, in the slot it first came in: by days of %s they add up",
    async (zone) => {
      const visitors = ["AAAAAAAAAAA"];
      const times = ["2026-11-21T10:00:00Z", "2026-11-21T20:00:00Z", "2026-11-22T01:00:00Z"];
      const workspace = await workspaceWith(...times.map((time) => hitAt(time, { visitors })));
      const asked = `metrics=visitors&from=2026-11-20&to=2026-11-22&time_zone=${zone}`;
      const { data } = (await read(workspace, `${asked}&interval=hour`)).body;
      const came = data.filter((row: { visitors: number }) => row.visitors > 0);
      const starts = came.map(({ start }: { start: string }) => Date.parse(start));
      const hours = ["2026-11-21T10:00:00Z", "2026-11-22T01:00:00Z"].map((time) =>
        Date.parse(time),
      );
      // An hour of a zone like Kolkata's begins at half past.
      const isHalf = zone === "Asia/Kolkata";
      expect(starts).toEqual(hours.map((hour) => hour - (isHalf ? 30 * 60_000 : 0)));
      const days = (await read(workspace, `${asked}&interval=day`)).body.data;
      const sum = days.reduce((all: number, row: { visitors: number }) => all + row.visitors, 0);
      expect([sum, (await read(workspace, asked)).body.data]).toEqual([2, [{ visitors: 2 }]]);
    },
  );

  it("are filtered by several countries, or by all but some", async () => {
    const workspace = await workspaceWith(
      hitAt(AT, { hits: 1, properties: { country: "DE" } }),
      hitAt(AT, { hits: 2, properties: { country: "FR" } }),
      hitAt(AT, { hits: 4, properties: { country: "US" } }),
      hitAt(AT, { hits: 8 }),
    );
    for (const [filter, clicks] of [
      ["DE,FR", 3],
      ["-US", 11],
      ["-US,-(none)", 3],
    ]) {
      const { body } = await read(workspace, `metrics=clicks&country=${filter}`);
      expect([filter, body.data]).toEqual([filter, [{ clicks }]]);
    }
    const mixed = await read(workspace, "metrics=clicks&country=DE,-US");
    expect([mixed.status, Object.keys(mixed.body.errors)]).toEqual([422, ["country"]]);
  });

  it("are people's, crawlers' or all", async () => {
    const workspace = await workspaceWith(
      hitAt(AT),
      hitAt(AT, { traffic: "crawler", hits: 10 }),
      hitAt(AT, { traffic: "head", hits: 100 }),
      hitAt(AT, { traffic: "prefetch", hits: 1000 }),
    );
    for (const [search, clicks] of [
      ["", 1],
      ["&traffic=human", 1],
      ["&traffic=crawler", 10],
      ["&traffic=all", 1111],
    ]) {
      const { body } = await read(workspace, `metrics=clicks${search}`);
      expect([search, body.data]).toEqual([search, [{ clicks }]]);
    }
  });

  it("are compared with the range before", async () => {
    const workspace = await workspaceWith(
      hitAt("2026-11-20T10:00:00Z", { hits: 5 }),
      hitAt("2026-11-13T10:00:00Z", { hits: 2 }),
      // After this time of the day, a week ago.
      hitAt("2026-11-15T15:00:00Z", { hits: 100 }),
    );
    const { body } = await read(workspace, "metrics=clicks&period=7d&compare=previous");
    expect(body.data).toEqual([{ clicks: 5, previous: { clicks: 2 } }]);
    expect(body.meta.previous).toEqual({
      from: "2026-11-09T00:00:00+00:00",
      to: "2026-11-15T14:15:00+00:00",
      unattributed: { clicks: 0 },
    });
  });

  it("come in pages that hold each row once", async () => {
    const hits = Array.from({ length: 7 }, (_, n) =>
      hitAt(AT, { hits: 1 + (n % 3), properties: { referrer: `${n}.example` } }),
    );
    const workspace = await workspaceWith(...hits);
    const rows: object[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await read(
        workspace,
        `metrics=clicks&group_by=referrer&limit=3&cursor=${cursor}`,
      );
      rows.push(...body.data);
      cursor = body.next_cursor;
    }
    const whole = await read(workspace, "metrics=clicks&group_by=referrer");
    expect(rows).toEqual(whole.body.data);
    expect(rows).toHaveLength(7);
  });

  it.each([
    ["time_zone=Mars/Olympus", "time_zone"],
    ["group_by=country,device,os", "group_by"],
    ["metrics=likes", "metrics"],
    ["interval=hour&period=90d", "interval"],
    ["from=2024-10-21", "from"],
    ["country=Germany", "country"],
    ["limit=1001", "limit"],
    ["cursor=x", "cursor"],
  ])("name the field at fault: %s", async (search, field) => {
    const workspace = await createWorkspace();
    for (const path of [ANALYTICS, `${ANALYTICS}/export`]) {
      if (path !== ANALYTICS && ["limit", "cursor"].includes(field)) continue;
      const { status, body } = await read(workspace, search, path);
      expect([path, status, body.code, Object.keys(body.errors ?? {})]).toEqual([
        path,
        422,
        "validation_failed",
        [field],
      ]);
    }
  });

  it("are another workspace's secret, and need biolinks:analytics:read, which viewers have", async () => {
    const workspace = await workspaceWith(...EACH);
    const other = await createWorkspace();
    const { body } = await read(other, `metrics=clicks&link=${SOME_LINK}`);
    expect(body.data).toEqual([{ clicks: 0 }]);
    const member = await operate("POST", `/workspaces/${workspace.id}/members`, {
      email: "viewer@example.com",
      role: "viewer",
    });
    const viewer = await issueKey(workspace.id, { member: member.body.data.id });
    const reader = await issueKey(workspace.id, { permissions: ["biolinks:analytics:read"] });
    const others = await issueKey(workspace.id, { permissions: ["biolinks:links:read"] });
    for (const path of [ANALYTICS, `${ANALYTICS}/realtime`, `${ANALYTICS}/export`]) {
      const statuses = [viewer, reader, others].map(async ({ key }) => {
        return (await sendAs(key, "GET", path)).status;
      });
      expect([path, ...(await Promise.all(statuses))]).toEqual([path, 200, 200, 403]);
    }
  });

  it("are not there where the feature is off", async () => {
    const workspace = await createWorkspace({ features: ["salesbot"] });
    expect((await read(workspace, "")).status).toBe(404);
  });
});

describe("a visit", () => {
  it("is in the numbers once its packet is counted, once", async () => {
    const workspace = await createWorkspace();
    const { id } = await createActiveLink(workspace);
    const hour = Math.floor(NOW / 3_600_000) * 3_600_000;
    const packet: ClickPacket = {
      v: 1,
      workspace: workspace.id,
      id: newId(),
      agents: ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148 Safari/604.1"],
      clicks: [[id, hour, 0, "DE", 0, "www.bbc.co.uk", 3]],
    };
    for (let times = 0; times < 3; times++) await deliver("signpost-clicks", [packet]);
    const asked = `metrics=clicks&link=${id}&group_by=country,referrer&interval=hour&period=24h`;
    const { body } = await read(workspace, asked);
    expect(body.data).toHaveLength(24);
    expect(body.data.at(-1)).toEqual({
      start: "2026-11-22T14:00:00+00:00",
      country: "DE",
      referrer: "bbc.co.uk",
      clicks: 3,
    });
    const { data } = (await read(workspace, `link=${id}`, `${ANALYTICS}/realtime`)).body;
    expect(data.last_5_minutes.clicks).toBe(3);
  });
});

describe("realtime analytics", () => {
  it("tell the last 5 and 30 minutes, by the minute", async () => {
    vi.setSystemTime(NOW - 29 * 60_000);
    const workspace = await workspaceWith(hitAt(Date.now(), { hits: 2 }));
    vi.setSystemTime(NOW - 4 * 60_000);
    await count(
      workspace,
      hitAt(Date.now(), { subject: "page", id: PAGE, count: "views" }),
      hitAt(Date.now(), { traffic: "crawler", hits: 9 }),
    );
    vi.setSystemTime(NOW);
    await count(workspace, hitAt(NOW, { hits: 3 }));
    const path = `${ANALYTICS}/realtime`;
    const { data } = (await read(workspace, "", path)).body;
    const none = { views: 0, clicks: 0, scans: 0, submissions: 0 };
    expect(data.last_5_minutes).toEqual({ ...none, views: 1, clicks: 3 });
    expect(data.last_30_minutes).toEqual({ ...none, views: 1, clicks: 5 });
    expect(data.minutes).toHaveLength(30);
    expect(data.minutes[0]).toEqual({ start: "2026-11-22T13:38:00.000Z", ...none, clicks: 2 });
    expect(data.minutes[29]).toEqual({ start: "2026-11-22T14:07:00.000Z", ...none, clicks: 3 });
    const crawlers = (await read(workspace, "traffic=crawler", path)).body.data;
    expect(crawlers.last_30_minutes.clicks).toBe(9);
    const ofPage = (await read(workspace, `page=${PAGE}`, path)).body.data;
    expect(ofPage.last_30_minutes).toEqual({ ...none, views: 1 });
    for (const [search, field] of [
      [`page=${PAGE}&link=${SOME_LINK}`, "page"],
      [`link=-${SOME_LINK}`, "link"],
      ["traffic=bots", "traffic"],
    ]) {
      const { status, body } = await read(workspace, search ?? "", path);
      expect([search, status, Object.keys(body.errors)]).toEqual([search, 422, [field]]);
    }
  });
});

describe("an export", () => {
  const path = `${ANALYTICS}/export`;
  const asked =
    "metrics=clicks&group_by=utm_source&interval=day&from=2026-11-20&to=2026-11-21&compare=previous";

  it("is the same question's rows as CSV, all in one", async () => {
    const workspace = await workspaceWith(
      hitAt(AT, { hits: 3, properties: { utm_source: '=HYPERLINK("http://x.example")' } }),
      hitAt(AT, { hits: 1 }),
      hitAt("2026-11-18T10:00:00Z", { hits: 7 }),
    );
    const { status, headers, text } = await read(workspace, asked, path);
    expect([status, headers.get("Content-Type"), headers.get("Content-Disposition")]).toEqual([
      200,
      "text/csv; charset=utf-8",
      'attachment; filename="analytics-2026-11-20-to-2026-11-22.csv"',
    ]);
    const formula = `"'=HYPERLINK(""http://x.example"")"`;
    const [first, second] = ["2026-11-20T00:00:00+00:00", "2026-11-21T00:00:00+00:00"];
    const [before, after] = ["2026-11-18T00:00:00+00:00", "2026-11-19T00:00:00+00:00"];
    expect(text.replace("\u{FEFF}", "").split("\r\n")).toEqual([
      "start,utm_source,clicks,previous_start,previous_clicks",
      `${first},,0,${before},7`,
      `${first},${formula},0,${before},0`,
      `${second},${formula},3,${after},0`,
      `${second},,1,${after},0`,
      "",
    ]);
  });

  it("is those rows as NDJSON, however many there are", async () => {
    const hits = Array.from({ length: 150 }, (_, n) =>
      hitAt(AT, { properties: { utm_source: `source ${n}` } }),
    );
    const workspace = await workspaceWith(...hits);
    const { headers, text } = await read(workspace, `${asked}&format=ndjson`, path);
    expect(headers.get("Content-Type")).toBe("application/x-ndjson");
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toEqual((await read(workspace, `${asked}&limit=1000`)).body.data);
    expect(rows).toHaveLength(300);
    const refused = await read(workspace, `${asked}&format=xlsx`, path);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["format"]]);
  });
});
