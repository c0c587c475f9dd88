import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiError } from "../../../../src/api/errors.ts";
import { readFilter } from "../../../../src/features/biolinks/analytics/filter-values.ts";
import { deviceOf } from "../../../../src/visitor/clicks/visitor-kind.ts";
import { append, ask, hitAt, OTHER_LINK, SOME_LINK, tableOf } from "../../../support/analytics.ts";
import { LedgerOracle } from "../../../support/ledger-oracle.ts";

const NOW = Date.parse("2026-11-22T14:07:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

async function rangeOf(search: string) {
  const { meta } = await ask(new LedgerOracle(), search);
  return [meta.from, meta.to, meta.previous?.from, meta.previous?.to];
}

describe("a range", () => {
  const BERLIN = "time_zone=Europe/Berlin";

  it.each([
    ["", "2026-10-24T00:00:00+00:00", "2026-11-22T14:15:00+00:00"],
    ["period=24h", "2026-11-21T15:00:00+00:00", "2026-11-22T14:15:00+00:00"],
    ["period=24h&time_zone=Asia/Kolkata", "2026-11-21T20:00:00+05:30", "2026-11-22T19:45:00+05:30"],
    [`period=7d&${BERLIN}`, "2026-11-16T00:00:00+01:00", "2026-11-22T15:15:00+01:00"],
    [`period=30d&${BERLIN}`, "2026-10-24T00:00:00+02:00", "2026-11-22T15:15:00+01:00"],
    [`period=90d&${BERLIN}`, "2026-08-25T00:00:00+02:00", "2026-11-22T15:15:00+01:00"],
    [`period=12mo&${BERLIN}`, "2025-12-01T00:00:00+01:00", "2026-11-22T15:15:00+01:00"],
    [`period=mtd&${BERLIN}`, "2026-11-01T00:00:00+01:00", "2026-11-22T15:15:00+01:00"],
    [`period=ytd&${BERLIN}`, "2026-01-01T00:00:00+01:00", "2026-11-22T15:15:00+01:00"],
    [`from=2026-11-01&${BERLIN}`, "2026-11-01T00:00:00+01:00", "2026-11-22T15:15:00+01:00"],
    // The day that `to` names is in it.
    [
      `from=2026-10-25&to=2026-10-25&${BERLIN}`,
      "2026-10-25T00:00:00+02:00",
      "2026-10-26T00:00:00+01:00",
    ],
    // Between quarters of an hour: outwards.
    [
      "from=2026-11-01T08:14:59Z&to=2026-11-01T09:00:00.001Z",
      "2026-11-01T08:00:00+00:00",
      "2026-11-01T09:15:00+00:00",
    ],
    [
      `from=2026-11-01T08:00:00%2B05:45&to=2026-11-01T09:00:00+05:45&${BERLIN}`,
      "2026-11-01T03:15:00+01:00",
      "2026-11-01T04:15:00+01:00",
    ],
    // What is often sent for no end, and what RFC 3339 cannot name in the zone.
    ["from=2026-11-01&to=2099-12-31", "2026-11-01T00:00:00+00:00", "2100-01-01T00:00:00+00:00"],
    ["from=2026-11-01&to=9999-12-31", "2026-11-01T00:00:00+00:00", "9999-12-31T23:45:00+00:00"],
    [
      `from=2026-11-01&to=9999-12-31&${BERLIN}`,
      "2026-11-01T00:00:00+01:00",
      "9999-12-31T23:45:00+01:00",
    ],
    [
      "from=2026-11-01&to=9999-12-31T23:59:59Z&time_zone=Pacific/Kiritimati",
      "2026-11-01T00:00:00+14:00",
      "9999-12-31T23:45:00+14:00",
    ],
  ])("%j is from %s to %s", async (search, from, to) => {
    expect(await rangeOf(search)).toEqual([from, to, undefined, undefined]);
  });

  it.each([
    // A period: the same part of the one before.
    ["period=24h", "2026-11-20T15:00:00+00:00", "2026-11-21T14:15:00+00:00"],
    [`period=7d&${BERLIN}`, "2026-11-09T00:00:00+01:00", "2026-11-15T15:15:00+01:00"],
    [`period=30d&${BERLIN}`, "2026-09-24T00:00:00+02:00", "2026-10-23T15:15:00+02:00"],
    [`period=12mo&${BERLIN}`, "2024-12-01T00:00:00+01:00", "2025-11-22T15:15:00+01:00"],
    [`period=mtd&${BERLIN}`, "2026-10-01T00:00:00+02:00", "2026-10-22T15:15:00+02:00"],
    [`period=ytd&${BERLIN}`, "2025-01-01T00:00:00+01:00", "2025-11-22T15:15:00+01:00"],
    // Days: as many before, be they of 23 or 25 hours.
    [
      `from=2026-10-25&to=2026-10-25&${BERLIN}`,
      "2026-10-24T00:00:00+02:00",
      "2026-10-25T00:00:00+02:00",
    ],
    // Months: as many.
    [
      `from=2026-03-01&to=2026-03-31&${BERLIN}`,
      "2026-02-01T00:00:00+01:00",
      "2026-03-01T00:00:00+01:00",
    ],
    // Less than a day.
    [
      "from=2026-11-01T08:00:00Z&to=2026-11-01T11:30:00Z",
      "2026-11-01T04:30:00+00:00",
      "2026-11-01T08:00:00+00:00",
    ],
  ])("%j has before it what is from %s to %s", async (search, from, to) => {
    expect((await rangeOf(`${search}&compare=previous`)).slice(2)).toEqual([from, to]);
  });
});

describe("a question that cannot be answered", () => {
  const one = SOME_LINK;
  it.each([
    ["metrics=likes", "metrics"],
    ["metrics=views,,clicks", "metrics"],
    ["metrics=ctr&group_by=page", "metrics"],
    [`metrics=views,ctr&block=${one}`, "metrics"],
    ["metrics=ctr&group_by=referrer", "metrics"],
    ["metrics=views,ctr&referrer=news.example", "metrics"],
    ["metrics=ctr&group_by=country,device", "group_by"],
    ["group_by=shoe_size", "group_by"],
    ["group_by=country,device,os", "group_by"],
    ["group_by=link,page", "group_by"],
    ["interval=minute", "interval"],
    ["interval=hour&period=90d", "interval"],
    ["interval=hour&from=2026-09-20&to=2026-11-21", "interval"],
    ["interval=day&from=2026-11-01&to=9999-12-31", "interval"],
    ["interval=month&from=2026-11-01&to=9999-12-31", "interval"],
    ["from=yesterday", "from"],
    ["from=2026-02-30", "from"],
    ["from=2026-11-01T08:00:00", "from"],
    ["from=2024-10-21", "from"],
    ["from=2026-11-23", "from"],
    ["to=2026-11-01", "from"],
    ["from=2026-11-02&to=2026-11-01", "to"],
    ["from=2026-11-02T08:00:00Z&to=2026-11-02T08:00:00Z", "to"],
    ["period=1y", "period"],
    ["period=7d&from=2026-11-01", "period"],
    ["time_zone=Mars/Olympus", "time_zone"],
    ["time_zone=%2B01:00", "time_zone"],
    ["traffic=bots", "traffic"],
    ["link=nine", "link"],
    ["link=(none)", "link"],
    [`link=${one},-${OTHER_LINK}`, "link"],
    ["country=Germany", "country"],
    ["country=DE,,FR", "country"],
    [`referrer=${"a".repeat(254)}`, "referrer"],
    [`os=${Array.from({ length: 51 }, (_, n) => n)}`, "os"],
    ["device=phone", "device"],
    ["device=bot", "device"],
    ["device=-mobile,-constructor", "device"],
    ["trigger=api", "trigger"],
    ["language=german", "language"],
    ["language=xx", "language"],
    ["compare=last", "compare"],
    ["from=2024-11-01&to=2024-12-31&compare=previous", "compare"],
    ["limit=1001", "limit"],
    ["limit=0", "limit"],
    ["cursor=nonsense", "cursor"],
  ])("%s: the field at fault is %s", async (search, field) => {
    const refused: ApiError = await ask(new LedgerOracle(), search).then(
      () => expect.fail("It was answered."),
      (fault) => fault,
    );
    expect([refused.status, Object.keys(refused.errors ?? {})]).toEqual([422, [field]]);
  });

  it.each([
    "interval=hour&from=2026-09-21&to=2026-11-21",
    "interval=day&from=2024-10-22",
    "from=2024-10-22&to=2030-01-01&interval=month",
    "period=&from=&to=&interval=&group_by=&metrics=&time_zone=&country=&compare=&limit=&cursor=",
    "colour=red",
  ])("is not: %s", async (search) => {
    await expect(ask(new LedgerOracle(), search)).resolves.toBeDefined();
  });
});

const AGENTS: Record<string, string> = {
  desktop: "Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36",
  mobile: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36",
  tablet:
    "Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1",
  tv: "Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 TV Safari/537.36",
  bot: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
};

describe("a filter", () => {
  it.each([
    ["country", "DE", ["DE"], false],
    ["country", "de, fr ,DE", ["DE", "FR"], false],
    ["country", "-US", ["US"], true],
    ["country", "-us, -(none)", ["US", ""], true],
    ["country", "(other)", ["(other)"], false],
    ["link", SOME_LINK.toUpperCase(), [SOME_LINK], false],
    ["utm_campaign", "spring\\, early,\\-20%,a\\\\b", ["spring, early", "-20%", "a\\b"], false],
    ["utm_campaign", "--20%", ["-20%"], true],
    ["utm_source", "News", ["News"], false],
    ["referrer", "T.CO", ["t.co"], false],
    ["browser", "chrome,MICROSOFT edge", ["Chrome", "Microsoft Edge"], false],
    ["browser", "-(none),-safari,-Safari", ["", "Safari"], true],
    ["os", "MacOS,ios,WINDOWS", ["macOS", "iOS", "Windows"], false],
    ["device", "TV,mobile,tablet,desktop", ["tv", "mobile", "tablet", "desktop"], false],
    ["device", "-(none),-(other)", ["", "(other)"], true],
    ["trigger", "QR,(none),(other)", ["qr", "", "(other)"], false],
    // As of a browser's header: the primary subtag, those of before by their present names.
    ["language", "de-DE,DE,pt_BR,iw", ["de", "pt", "he"], false],
    ["language", "-en-GB,-(none)", ["en", ""], true],
    // Of no list that we have: as it was asked for.
    ["browser", "Netscape", ["Netscape"], false],
    ["os", "constructor", ["constructor"], false],
  ] as const)("%s=%s", (dimension, text, values, isExcluded) => {
    expect(readFilter(dimension, text)).toEqual({ values, isExcluded });
  });

  it("names what it may have where that is little", () => {
    expect(readFilter("device", "phone")).toBe(
      "Must be one or more of desktop, mobile, tablet, tv or (none), with commas between.",
    );
    expect(readFilter("trigger", "api")).toBe(
      "Must be one or more of link, page, qr or (none), with commas between.",
    );
  });

  it("knows each device that a visitor can have", () => {
    for (const device of ["desktop", "mobile", "tablet", "tv", "bot"]) {
      const isCounted = deviceOf(AGENTS[device] ?? "") === device;
      expect([device, typeof readFilter("device", device) === "object"]).toEqual([
        device,
        isCounted,
      ]);
    }
  });

  it("leaves what it names, or all but that", async () => {
    const ledger = new LedgerOracle();
    const day = "2026-11-20T10:00:00Z";
    await append(
      ledger,
      hitAt(day, { properties: { country: "DE", device: "mobile" } }),
      hitAt(day, { properties: { country: "DE", device: "desktop" } }),
      hitAt(day, { properties: { country: "US", device: "mobile" } }),
      hitAt(day, { properties: { browser: "Chrome", os: "macOS" } }),
      hitAt(day, { properties: { country: "FR", device: "mobile" }, id: OTHER_LINK }),
    );
    for (const [search, clicks] of [
      ["", 5],
      ["country=DE,FR", 3],
      ["country=-US", 4],
      ["country=-US,-DE", 2],
      ["country=(none)", 1],
      ["country=-(none)", 4],
      ["country=DE&device=mobile", 1],
      ["browser=chrome", 1],
      ["browser=-chrome", 4],
      ["os=MACOS", 1],
      [`link=${SOME_LINK}`, 4],
      [`link=-${SOME_LINK}`, 1],
      [`link=${OTHER_LINK}&country=DE`, 0],
    ]) {
      const { data } = await ask(ledger, `metrics=clicks&${search}`);
      expect([search, tableOf(data)]).toEqual([search, [[clicks]]]);
    }
  });
});
