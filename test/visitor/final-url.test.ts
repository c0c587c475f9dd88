import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { destinationProblem } from "../../src/features/biolinks/links/destination.ts";
import { finalUrl } from "../../src/visitor/decide/final-url.ts";

const UTM = { source: "bio", medium: "social", campaign: "spring sale" };

describe("the final URL", () => {
  it.each([
    // destination, the visitor's query, what the visitor is sent to
    ["https://a.example/", "", "https://a.example/"],
    ["https://a.example/?x=1", "", "https://a.example/?x=1"],
    ["https://a.example/p", "?x=1", "https://a.example/p?x=1"],
    ["https://a.example/??a.js,b.js", "?x=1", "https://a.example/??a.js,b.js&x=1"],
    ["https://a.example/", "??x=1", "https://a.example/??x=1"],
    ["https://a.example/?x=1&y=2", "?x=9", "https://a.example/?x=9&y=2"],
    ["https://a.example/?x=1&y=2&x=3", "?x=9", "https://a.example/?x=9&y=2"],
    ["https://a.example/?y=2", "?x=1&x=2", "https://a.example/?y=2&x=1&x=2"],
    ["https://a.example/?x=1&y=2", "?x=a&z=b&x=c", "https://a.example/?x=a&x=c&y=2&z=b"],
    ["https://a.example/?flag", "?other", "https://a.example/?flag&other"],
    ["https://a.example/?flag=", "?flag", "https://a.example/?flag"],
    ["https://a.example/?q=a%20b+c", "?r=d%20e+f", "https://a.example/?q=a%20b+c&r=d%20e+f"],
    ["https://a.example/?q=100%", "?r=50%&s=%zz", "https://a.example/?q=100%&r=50%&s=%zz"],
    ["https://a.example/?a%62=1", "?ab=2", "https://a.example/?ab=2"],
    ["https://a.example/?a+b=1", "?a%20b=2", "https://a.example/?a%20b=2"],
    ["https://a.example/#part", "?x=1", "https://a.example/?x=1#part"],
    ["https://a.example/?y=2#part?x", "?x=1", "https://a.example/?y=2&x=1#part?x"],
    ["https://bücher.example/ä?ö=1", "?x=2", "https://xn--bcher-kva.example/%C3%A4?%C3%B6=1&x=2"],
    ["https://a.example/?&&x=1&", "", "https://a.example/?&&x=1&"],
    ["https://a.example/?&&x=1&", "?y=2", "https://a.example/?x=1&y=2"],
    ["https://a.example/?", "", "https://a.example/?"],
    ["https://a.example/?x=1", "?", "https://a.example/?x=1"],
    ["https://a.example/?x=1", "?&&", "https://a.example/?x=1"],
    ["https://a.example/?x=1", "?x", "https://a.example/?x"],
    ["https://a.example/?x=1;y=2", "?y=3", "https://a.example/?x=1;y=2&y=3"],
    ["https://a.example/?x=1", "?x;y=2", "https://a.example/?x=1&x;y=2"],
    ["https://a.example/?x=1=2", "?y=3=4", "https://a.example/?x=1=2&y=3=4"],
    ["https://a.example/?=1", "?=2", "https://a.example/?=2"],
    ["https://a.example/?X=1", "?x=2", "https://a.example/?X=1&x=2"],
    ["https://a.example/?x[]=1&x[]=2", "?x%5B%5D=3", "https://a.example/?x%5B%5D=3"],
    ["https://a.example/?%zz=1", "?%zz=2", "https://a.example/?%zz=2"],
    ["https://a.example/?%C3%A4=1", "?ä=2", "https://a.example/?%C3%A4=2"],
    ["https://a.example/?a=1", "?%61=2&a=3", "https://a.example/?%61=2&a=3"],
    ["https://a.example/?x=1", "?y=a#b", "https://a.example/?x=1&y=a%23b"],
    ["https://a.example/?x='", "?y='\"<>", "https://a.example/?x=%27&y=%27%22%3C%3E"],
    [
      "https://a.example/?__proto__=1",
      "?constructor=2",
      "https://a.example/?__proto__=1&constructor=2",
    ],
    ["HTTP://A.Example:80/b/../c", "?x=1", "http://a.example/c?x=1"],
    ["https://a.example\\@evil.example/", "?x=1", "https://a.example/@evil.example/?x=1"],
    ["https://a.example:8443", "?x=1", "https://a.example:8443/?x=1"],
    [
      "https://a.example/",
      "?url=https://evil.example/",
      "https://a.example/?url=https://evil.example/",
    ],
    [
      "mailto:ada@example.com?subject=Hi%20there",
      "?x=1",
      "mailto:ada@example.com?subject=Hi%20there",
    ],
    ["tel:+447700900123", "?x=1", "tel:+447700900123"],
  ])("of %s for a visitor with %s is %s", (destination, search, expected) => {
    expect(finalUrl(destination, {}, search)).toBe(expected);
  });

  it("carries the settings' utm, each unless the destination has it", () => {
    expect(finalUrl("https://a.example/?utm_medium=own&x=1", UTM, "")).toBe(
      "https://a.example/?utm_medium=own&x=1&utm_source=bio&utm_campaign=spring%20sale",
    );
  });

  it("carries the settings' utm before the fragment, and all of it where there is no query", () => {
    expect(finalUrl("https://a.example/#top", UTM, "")).toBe(
      "https://a.example/?utm_source=bio&utm_medium=social&utm_campaign=spring%20sale#top",
    );
    expect(finalUrl("https://a.example/?utm%5Fsource&x", { source: "bio" }, "")).toBe(
      "https://a.example/?utm%5Fsource&x",
    );
    expect(finalUrl("https://a.example/", { source: "a&b=c#d\r\n" }, "")).toBe(
      "https://a.example/?utm_source=a%26b%3Dc%23d%0D%0A",
    );
    expect(finalUrl("https://a.example/??a.js,b.js#x", { source: "bio" }, "")).toBe(
      "https://a.example/??a.js,b.js&utm_source=bio#x",
    );
    expect(finalUrl("mailto:ada@a.example", UTM, "?x=1")).toBe("mailto:ada@a.example");
  });

  it("lets the visitor's utm replace the settings'", () => {
    expect(finalUrl("https://a.example/", { source: "bio" }, "?utm_source=ad")).toBe(
      "https://a.example/?utm_source=ad",
    );
  });

  const destinations = fc
    .oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string({ unit: "binary" }).map((text) => `https://a.example/${text}`),
      fc.string({ unit: "binary" }).map((text) => `https://a.example/?${text}`),
    )
    .filter((text) => destinationProblem(text) === undefined);
  // What the URL parser leaves of a query: workerd hands no other to the Worker.
  const searches = fc
    .string({ unit: "binary" })
    .map((text) => URL.parse(`https://v.example/?${text}`)?.search ?? "");
  const utms = fc.record({ source: fc.string({ unit: "binary", maxLength: 80 }) });

  it("never leads to another host or path, and never splits a header", () => {
    fc.assert(
      fc.property(destinations, utms, searches, (destination, utm, search) => {
        const result = finalUrl(destination, utm, search);
        const [from, to] = [new URL(destination), new URL(result)];
        expect([to.protocol, to.host, to.pathname, to.hash, to.username]).toEqual([
          from.protocol,
          from.host,
          from.pathname,
          from.hash,
          "",
        ]);
        expect(result).toMatch(/^[\x21-\x7e]*$/);
        expect(new Headers({ Location: result }).get("Location")).toBe(result);
      }),
      { numRuns: 2000 },
    );
  });

  it("is the destination as the URL parser has it, when nothing is to be added", () => {
    fc.assert(
      fc.property(destinations, (destination) => {
        expect(finalUrl(destination, {}, "")).toBe(new URL(destination).href);
      }),
    );
  });

  it("names each parameter of the visitor with the visitor's values alone", () => {
    fc.assert(
      fc.property(destinations, searches, (destination, search) => {
        const result = new URL(finalUrl(destination, {}, search)).searchParams;
        const visitors = new URLSearchParams(search);
        for (const name of visitors.keys()) {
          // Names that differ only in malformed bytes are different names to us, the same to these.
          if (name.includes("\ufffd")) continue;
          expect(result.getAll(name)).toEqual(visitors.getAll(name));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps what the visitor did not name byte for byte and in order", () => {
    const pair = fc.tuple(
      fc.constantFrom("a", "b", "c", "d"),
      fc.constantFrom("", "=", "=1", "=%20", "=+", "=%"),
    );
    const query = fc.array(
      pair.map((parts) => parts.join("")),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(query, query, (own, visitors) => {
        const result = new URL(
          finalUrl(`https://a.example/?${own.join("&")}`, {}, `?${visitors.join("&")}`),
        );
        const got = result.search.slice(1).split("&").filter(Boolean);
        const nameOf = (raw: string) => raw.split("=")[0];
        const named = new Set(visitors.map(nameOf));
        expect(got.filter((raw) => !named.has(nameOf(raw)))).toEqual(
          own.filter((raw) => !named.has(nameOf(raw))),
        );
        for (const name of named) {
          expect(got.filter((raw) => nameOf(raw) === name)).toEqual(
            visitors.filter((raw) => nameOf(raw) === name),
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});
