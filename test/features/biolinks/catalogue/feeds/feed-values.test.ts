import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CURRENCIES,
  decimalsOf,
} from "../../../../../src/features/biolinks/catalogue/currencies.ts";
import {
  readPrice,
  writePrice,
} from "../../../../../src/features/biolinks/catalogue/feeds/feed-price.ts";
import {
  readFeedTime,
  readSaleTimes,
  writeClosedSaleTimes,
  writeSaleTimes,
} from "../../../../../src/features/biolinks/catalogue/feeds/feed-times.ts";
import {
  readAvailability,
  readCondition,
  readStatus,
} from "../../../../../src/features/biolinks/catalogue/feeds/feed-words.ts";
import {
  guardFormulas,
  unguardFormulas,
} from "../../../../../src/features/biolinks/catalogue/feeds/spreadsheet-texts.ts";
import { UnfitValue } from "../../../../../src/features/biolinks/catalogue/feeds/unfit-value.ts";

describe("prices", () => {
  it.each<[string, number, string]>([
    ["12.50 USD", 1250, "USD"],
    ["12.5 USD", 1250, "USD"],
    ["12 USD", 1200, "USD"],
    ["12.50USD", 1250, "USD"],
    ["USD 12.50", 1250, "USD"],
    ["12.50 usd", 1250, "USD"],
    ["0012.50 EUR", 1250, "EUR"],
    ["0 EUR", 0, "EUR"],
    ["0.07 EUR", 7, "EUR"],
    ["1.10 EUR", 110, "EUR"],
    ["4.35 EUR", 435, "EUR"],
    ["1150 JPY", 1150, "JPY"],
    ["1150.00 JPY", 1150, "JPY"],
    ["1.250 KWD", 1250, "KWD"],
    ["1.25 KWD", 1250, "KWD"],
    ["12.500 USD", 1250, "USD"],
    ["9999999999.99 EUR", 999_999_999_999, "EUR"],
  ])("reads %s", (text, amount, currency) => {
    expect(readPrice(text)).toEqual({ amount, currency });
  });

  it.each([
    ["12.50", "with its currency"],
    ["$12.50", "with its currency"],
    ["12,50 EUR", "with its currency"],
    ["1,234.50 USD", "with its currency"],
    ["-1 USD", "with its currency"],
    ["1e3 USD", "with its currency"],
    ["USD", "with its currency"],
    ["EUR 1 USD", "with its currency"],
    ["12. USD", "with its currency"],
    ["1 XYZ", "XYZ is no currency"],
    ["12.505 USD", "USD has 2 decimals"],
    ["1150.50 JPY", "JPY has no decimals"],
    ["1.2501 KWD", "KWD has 3 decimals"],
    ["99999999999999.99 USD", "too large"],
  ])("refuses %s", (text, message) => {
    expect(() => readPrice(text)).toThrow(UnfitValue);
    expect(() => readPrice(text)).toThrow(message);
  });

  it("come back as they were, of every currency", () => {
    const price = fc.record({
      amount: fc.integer({ min: 0, max: 999_999_999_999 }),
      currency: fc.constantFrom(...CURRENCIES),
    });
    fc.assert(
      fc.property(price, (one) => {
        const written = writePrice(one);
        expect(written).toMatch(/^\d+(\.\d+)? [A-Z]{3}$/);
        expect((written.split(" ")[0]?.split(".")[1] ?? "").length).toBe(decimalsOf(one.currency));
        expect(readPrice(written)).toEqual(one);
      }),
      { numRuns: 2000 },
    );
  });
});

const at = (time: string) => Date.parse(time);

describe("the times of a sale", () => {
  it.each<[string, string, string]>([
    ["2026-02-24T11:07+0100/2026-02-29T23:07+0100", "", ""],
    ["2026-02-24T11:07+0100/2026-02-28T23:07+0100", "2026-02-24T10:07Z", "2026-02-28T22:07Z"],
    ["2026-02-24T11:07+01:00 / 2026-02-28T23:07Z", "2026-02-24T10:07Z", "2026-02-28T23:07Z"],
    ["2026-02-24 11:07:30/2026-02-28 23:07:00.5", "2026-02-24T11:07:30Z", "2026-02-28T23:07:00.5Z"],
    ["2026-02-24/2026-02-28", "2026-02-24T00:00Z", "2026-03-01T00:00Z"],
    ["2026-02-24T00:00Z/9999-12-31T23:59-0800", "2026-02-24T00:00Z", "9999-12-31T23:59:59.999Z"],
    ["2026-02-24/9999-12-31", "2026-02-24T00:00Z", "9999-12-31T23:59:59.999Z"],
  ])("reads %s", (text, startsAt, endsAt) => {
    if (startsAt === "") return expect(() => readSaleTimes(text)).toThrow("is no time");
    expect(readSaleTimes(text)).toEqual({ startsAt: at(startsAt), endsAt: at(endsAt) });
  });

  it.each([
    "",
    "/",
    "../..",
    "2026-02-24",
    "tomorrow/",
    "2026-02-24T25:00Z/",
    "1/2/3",
    "2026-13-01/",
  ])("refuses %j", (text) => {
    expect(() => readSaleTimes(text)).toThrow(UnfitValue);
  });

  it("come back as they were", () => {
    const time = fc.option(
      fc.integer({ min: at("0001-01-01T00:00Z"), max: at("9999-12-31T23:59Z") }),
    );
    fc.assert(
      fc.property(time, time, (startsAt, endsAt) => {
        const written = writeSaleTimes({ startsAt, endsAt });
        if (startsAt === null && endsAt === null) expect(written).toBeUndefined();
        else expect(readSaleTimes(written ?? "")).toEqual({ startsAt, endsAt });
      }),
      { numRuns: 1000 },
    );
  });

  it("are written without an open side for those who know none", () => {
    const startsAt = at("2026-11-20T08:00Z");
    expect(writeClosedSaleTimes({ startsAt, endsAt: null })).toBe(
      "2026-11-20T08:00+0000/2100-01-01T00:00+0000",
    );
    expect(writeClosedSaleTimes({ startsAt: null, endsAt: null })).toBeUndefined();
  });

  it("may stand in columns of their own", () => {
    expect(readFeedTime("2026-11-20", "end")).toBe(at("2026-11-21T00:00Z"));
  });
});

describe("words", () => {
  it.each([
    [readAvailability, "in stock", "in_stock"],
    [readAvailability, "in_stock", "in_stock"],
    [readAvailability, "In Stock", "in_stock"],
    [readAvailability, "https://schema.org/InStock", "in_stock"],
    [readAvailability, "out of stock", "out_of_stock"],
    [readAvailability, "pre-order", "preorder"],
    [readAvailability, "available for order", "backorder"],
    [readAvailability, "discontinued", "discontinued"],
    [readCondition, "NEW", "new"],
    [readCondition, "used_like_new", "used"],
    [readCondition, "refurbished", "refurbished"],
    [readStatus, "archived", "hidden"],
    [readStatus, "published", "active"],
  ])("%o of %j is %j", (read, text, word) => {
    expect(read(text)).toBe(word);
  });

  it.each(["soon", "__proto__", "constructor", "toString"])("knows no %j", (text) => {
    expect(() => readAvailability(text)).toThrow(
      "Must be one of in_stock, out_of_stock, preorder, backorder, discontinued.",
    );
  });
});

describe("texts that spreadsheets would run", () => {
  it.each([
    ["=1+1", "'=1+1"],
    [" =1+1", "' =1+1"],
    ["'=1", "''=1"],
    ["a\n-b", "a\n'-b"],
    ["a\n\n=b", "a\n'\n'=b"],
    ["a-b", "a-b"],
    ["'tis", "'tis"],
    ["", ""],
  ])("%j is written as %j", (text, guarded) => {
    expect(guardFormulas(text)).toBe(guarded);
    expect(unguardFormulas(guarded)).toBe(text);
  });

  it("come back as they were, and never begin a line with a formula", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom("=", "+", ";", "'", " ", "\t", "\n", "\r", "a") }),
    );
    fc.assert(
      fc.property(text, (one) => {
        const guarded = guardFormulas(one);
        expect(guarded).not.toMatch(/(?:^|[\r\n;])\s*[=+\-@]/);
        expect(unguardFormulas(guarded)).toBe(one);
      }),
      { numRuns: 2000 },
    );
  });

  it("take no time that grows with the square of their length", () => {
    const long = `a${"\n'".repeat(40_000)}=`;
    expect(unguardFormulas(guardFormulas(long.slice(0, 20_000)))).toBe(long.slice(0, 20_000));
  });
});
