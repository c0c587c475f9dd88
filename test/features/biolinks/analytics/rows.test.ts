import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  AnalyticsAnswer,
  type AnalyticsRow,
} from "../../../../src/features/biolinks/analytics/analytics.schemas.ts";
import {
  type CountedHits,
  type Ledger,
  QUESTION_TOO_WIDE,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { append, ask, hitAt, OTHER_LINK, SOME_LINK, tableOf } from "../../../support/analytics.ts";
import { LedgerOracle } from "../../../support/ledger-oracle.ts";

const NOW = Date.parse("2026-11-22T14:07:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

async function ledgerWith(...hits: CountedHits[]): Promise<LedgerOracle> {
  const ledger = new LedgerOracle();
  await append(ledger, ...hits);
  return ledger;
}

function from(country: string, time: string, hits: number): CountedHits {
  return hitAt(time, { hits, properties: { country } });
}

describe("the rows of an answer", () => {
  it("are one where nothing divides them, also of nothing", async () => {
    const { data, next_cursor, meta } = await ask(new LedgerOracle(), "metrics=scans,ctr,views");
    expect(data).toEqual([{ scans: 0, ctr: null, views: 0 }]);
    expect(next_cursor).toBeNull();
    expect(meta).toEqual({
      time_zone: "UTC",
      from: "2026-10-24T00:00:00+00:00",
      to: "2026-11-22T14:15:00+00:00",
      fresh_until: "2026-11-22T14:07:00.000Z",
      unattributed: { scans: 0, views: 0, clicks: 0 },
    });
  });

  it("tell views, visitors and clicks unless others are asked", async () => {
    const { data } = await ask(await ledgerWith(hitAt(NOW)), "");
    expect(data).toEqual([{ views: 0, visitors: 0, clicks: 1 }]);
  });

  it("are sorted by their first metric, the largest first, then by their keys", async () => {
    const ledger = await ledgerWith(
      from("FR", "2026-11-20T10:00:00Z", 2),
      from("DE", "2026-11-20T10:00:00Z", 2),
      from("US", "2026-11-20T10:00:00Z", 7),
      from("", "2026-11-20T10:00:00Z", 1),
    );
    const { data } = await ask(ledger, "metrics=clicks,views&group_by=country");
    expect(data).toEqual([
      { country: "US", clicks: 7, views: 0 },
      { country: "DE", clicks: 2, views: 0 },
      { country: "FR", clicks: 2, views: 0 },
      { country: null, clicks: 1, views: 0 },
    ]);
  });

  it("are filled up with zeros, each group of the answer at each time", async () => {
    const ledger = await ledgerWith(
      from("FR", "2026-11-19T10:00:00Z", 2),
      from("DE", "2026-11-21T10:00:00Z", 3),
      from("FR", "2026-11-21T10:00:00Z", 4),
      from("US", "2026-11-01T10:00:00Z", 4),
    );
    const asked = "metrics=clicks&group_by=country&interval=day&from=2026-11-19&to=2026-11-21";
    expect(tableOf((await ask(ledger, asked)).data)).toEqual([
      ["2026-11-19T00:00:00+00:00", "FR", 2],
      ["2026-11-19T00:00:00+00:00", "DE", 0],
      ["2026-11-20T00:00:00+00:00", "DE", 0],
      ["2026-11-20T00:00:00+00:00", "FR", 0],
      ["2026-11-21T00:00:00+00:00", "FR", 4],
      ["2026-11-21T00:00:00+00:00", "DE", 3],
    ]);
  });

  it("begin and end where the range does, weeks on Mondays", async () => {
    const { data } = await ask(
      await ledgerWith(hitAt("2026-11-17T23:00:00Z")),
      "metrics=clicks&interval=week&from=2026-11-05&to=2026-11-18&time_zone=Asia/Kathmandu",
    );
    expect(tableOf(data)).toEqual([
      ["2026-11-05T00:00:00+05:45", 0],
      ["2026-11-09T00:00:00+05:45", 0],
      ["2026-11-16T00:00:00+05:45", 1],
    ]);
  });

  it("of one subject's kind count its own hits only", async () => {
    const ledger = await ledgerWith(
      hitAt(NOW, { hits: 3 }),
      hitAt(NOW, { hits: 2, id: OTHER_LINK, properties: { device: "tv" } }),
      hitAt(NOW, { hits: 5, subject: "block", id: "b" }),
    );
    expect(tableOf((await ask(ledger, "metrics=clicks&group_by=link,device")).data)).toEqual([
      [SOME_LINK, null, 3],
      [OTHER_LINK, "tv", 2],
    ]);
  });

  it("tell people's hits, crawlers', or all; visitors are people, once a day (UTC)", async () => {
    const person = { visitors: ["AAAAAAAAAAA"] };
    const ledger = await ledgerWith(
      hitAt("2026-11-20T23:59:00Z", person),
      hitAt("2026-11-20T23:59:00Z", person),
      hitAt("2026-11-21T00:01:00Z", person),
      hitAt(NOW, { traffic: "crawler", hits: 10 }),
      hitAt(NOW, { traffic: "head", hits: 100 }),
      hitAt(NOW, { traffic: "prefetch", hits: 1000 }),
    );
    const counted = async (traffic: string) => {
      return tableOf((await ask(ledger, `metrics=clicks,visitors&traffic=${traffic}`)).data)[0];
    };
    expect(await counted("human")).toEqual([3, 2]);
    expect(await counted("")).toEqual([3, 2]);
    expect((await counted("crawler"))?.[0]).toBe(10);
    expect(await counted("all")).toEqual([1113, 2]);
  });
});

describe("ctr", () => {
  const page = { subject: "page", id: "p", count: "views" } as const;
  const block = { subject: "block", id: "b" } as const;

  it("is the clicks on blocks for each view of a page; nothing without views", async () => {
    const at = (country: string) => ({ properties: { country } });
    const ledger = await ledgerWith(
      hitAt(NOW, { ...page, ...at("DE"), hits: 3 }),
      hitAt(NOW, { ...block, ...at("DE"), hits: 1 }),
      hitAt(NOW, { ...at("DE"), hits: 50 }),
      hitAt(NOW, { ...page, ...at("US"), hits: 8 }),
      hitAt(NOW, { ...block, ...at("US"), hits: 4 }),
      hitAt(NOW, { ...block, ...at("FR"), hits: 4 }),
      hitAt(NOW, { ...page, ...at("GB"), hits: 2 }),
    );
    expect((await ask(ledger, "metrics=ctr")).data).toEqual([{ ctr: 0.6923 }]);
    expect(tableOf((await ask(ledger, "metrics=ctr,clicks&group_by=country")).data)).toEqual([
      ["US", 0.5, 4],
      ["DE", 0.3333, 51],
      ["GB", 0, 0],
      ["FR", null, 4],
    ]);
  });
});

describe("a comparison", () => {
  it("tells of the range before, row by row, for the groups that there are now", async () => {
    const ledger = await ledgerWith(
      from("DE", "2026-11-20T10:00:00Z", 5),
      from("DE", "2026-11-18T10:00:00Z", 2),
      from("US", "2026-11-18T10:00:00Z", 9),
    );
    const asked = "metrics=clicks&from=2026-11-20&to=2026-11-21&compare=previous&group_by=country";
    const whole = await ask(ledger, asked);
    expect(whole.data).toEqual([{ country: "DE", clicks: 5, previous: { clicks: 2 } }]);
    expect(whole.meta.previous).toEqual({
      from: "2026-11-18T00:00:00+00:00",
      to: "2026-11-20T00:00:00+00:00",
      unattributed: { clicks: 0 },
    });
    const daily = await ask(ledger, `${asked}&interval=day`);
    expect(daily.data).toEqual([
      {
        start: "2026-11-20T00:00:00+00:00",
        country: "DE",
        clicks: 5,
        previous: { start: "2026-11-18T00:00:00+00:00", clicks: 2 },
      },
      {
        start: "2026-11-21T00:00:00+00:00",
        country: "DE",
        clicks: 0,
        previous: { start: "2026-11-19T00:00:00+00:00", clicks: 0 },
      },
    ]);
  });

  it("has no counterpart for an hour that the day before was without", async () => {
    const { data } = await ask(
      new LedgerOracle(),
      "metrics=clicks&from=2026-11-01&to=2026-11-01&interval=hour&compare=previous&time_zone=America/New_York",
    );
    expect(data).toHaveLength(25);
    // One o'clock comes twice.
    expect(data[1]).toEqual({ start: "2026-11-01T01:00:00-04:00", clicks: 0, previous: null });
    expect(data[2]?.previous).toEqual({ start: "2026-10-31T01:00:00-04:00", clicks: 0 });
    expect(data[24]?.previous).toEqual({ start: "2026-10-31T23:00:00-04:00", clicks: 0 });
  });
});

describe("pages", () => {
  const asked = "metrics=clicks&group_by=country&interval=day&period=7d&limit=4";

  async function readAll(ledger: Ledger, onPage?: () => Promise<void>): Promise<AnalyticsRow[]> {
    const rows: AnalyticsRow[] = [];
    for (let cursor = ""; ; ) {
      const page = await ask(ledger, `${asked}&cursor=${cursor}`);
      expect(page.data.length).toBeLessThanOrEqual(4);
      rows.push(...page.data);
      if (page.next_cursor === null) return rows;
      cursor = page.next_cursor;
      await onPage?.();
    }
  }

  it("hold each row once, in order, as the whole does", async () => {
    const hits = ["DE", "US", "", "FR", "Straße"].map((country, n) => {
      return from(country, `2026-11-${17 + n}T10:00:00Z`, n + 1);
    });
    const ledger = await ledgerWith(...hits);
    const whole = await ask(ledger, asked.replace("limit=4", "limit=1000"));
    expect(whole.data).toHaveLength(35);
    expect(await readAll(ledger)).toEqual(whole.data);
  });

  it.each(["2099-12-31", "9999-12-31", "9999-12-31T23:59:59Z"])(
    "go on to the last where a range ends at %s, as no end is often said",
    async (to) => {
      const hits = ["DE", "US", "FR"].map((country, n) => from(country, "2026-11-20", n + 1));
      const ledger = await ledgerWith(...hits);
      const countries: unknown[] = [];
      const endless = `metrics=clicks&group_by=country&from=2026-11-01&to=${to}&limit=1`;
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await ask(ledger, `${endless}&cursor=${cursor}`);
        expect(AnalyticsAnswer.safeParse(page).error).toBeUndefined();
        countries.push(...page.data.map(({ country }) => country));
        cursor = page.next_cursor;
      }
      expect(countries).toEqual(["FR", "US", "DE"]);
    },
  );

  it("are of the range of the first, however late they are asked for", async () => {
    const ledger = await ledgerWith(from("DE", "2026-11-16T10:00:00Z", 1));
    const first = await ask(ledger, asked);
    vi.setSystemTime(NOW + 3 * 24 * 60 * 60_000);
    const second = await ask(ledger, `${asked}&cursor=${first.next_cursor}`);
    expect(second.meta).toMatchObject({ from: first.meta.from, to: first.meta.to });
    expect([...first.data, ...second.data].map(({ start }) => start?.slice(8, 10))).toEqual([
      "16",
      "17",
      "18",
      "19",
      "20",
      "21",
      "22",
    ]);
  });

  it("lose and repeat nothing when hits come in at other times", async () => {
    const ledger = await ledgerWith(
      from("DE", "2026-11-16T10:00:00Z", 1),
      from("US", "2026-11-16T10:00:00Z", 5),
    );
    const rows = await readAll(ledger, () =>
      append(ledger, from("DE", "2026-11-22T10:00:00Z", 100)),
    );
    const places = rows.map(({ start, country }) => `${start} ${country}`);
    expect([places.length, new Set(places).size]).toEqual([14, 14]);
  });

  it("are refused with the cursor of another question", async () => {
    const ledger = await ledgerWith(from("DE", "2026-11-16T10:00:00Z", 1));
    const { next_cursor } = await ask(ledger, asked);
    for (const other of ["&country=DE", "&traffic=all", "&time_zone=Europe/Berlin"]) {
      await expect(ask(ledger, `${asked}${other}&cursor=${next_cursor}`)).rejects.toMatchObject({
        errors: { cursor: [expect.stringContaining("a different question")] },
      });
    }
    // How many are wanted may change.
    const more = await ask(ledger, `${asked.replace("limit=4", "limit=9")}&cursor=${next_cursor}`);
    expect(more.data).toHaveLength(3);
  });

  it("cannot lead back further than anything is kept", async () => {
    const ledger = await ledgerWith(from("DE", "2026-11-16T10:00:00Z", 1));
    const { next_cursor } = await ask(ledger, asked);
    vi.setSystemTime(Date.parse("2029-01-01T00:00:00Z"));
    await expect(ask(ledger, `${asked}&cursor=${next_cursor}`)).rejects.toMatchObject({
      errors: { from: [expect.stringContaining("25 months")] },
    });
  });
});

describe("too many rows", () => {
  it("are refused before they are made", async () => {
    const hits = Array.from({ length: 200 }, (_, n) => {
      return hitAt("2026-10-01T10:00:00Z", { properties: { referrer: `${n}.example` } });
    });
    const ledger = await ledgerWith(...hits);
    const asked = "metrics=clicks&group_by=referrer&from=2026-10-01";
    expect((await ask(ledger, `${asked}&interval=day`)).data).toHaveLength(100);
    await expect(ask(ledger, `${asked}&interval=hour`)).rejects.toMatchObject({
      errors: { group_by: [expect.stringContaining("100000 rows")] },
    });
  });
});

describe("what the ledger would read too much for", () => {
  class Wide extends LedgerOracle {
    override answer(): Promise<never> {
      // As an error comes from a Durable Object.
      return Promise.reject(new Error(QUESTION_TOO_WIDE));
    }
  }

  it("is refused, and named", async () => {
    for (const [search, field] of [
      ["", "period"],
      ["group_by=country", "group_by"],
    ]) {
      await expect(ask(new Wide(), search ?? "")).rejects.toMatchObject({
        errors: { [field ?? ""]: [expect.stringContaining("less time")] },
      });
    }
  });
});
