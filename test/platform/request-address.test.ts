import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOf } from "../../src/platform/request-address.ts";

const piece = fc.oneof(
  fc.constantFrom("/", "//", "\\", ".", "..", "?", "#", "@", ":", "%2e", "%", " ", "é", "a-b_c.D"),
  fc.string({ maxLength: 8 }),
);
const origin = fc.constantFrom(
  "http://localhost:8787",
  "https://SIGN.example:443",
  "http://sign.example:80",
  "http://user:pass@sign.example",
  "http://127.1",
  "https://bücher.example",
  "http://[::1]:8787",
);

describe("the address of a request", () => {
  it("is what the URL parser makes of it, whatever is asked for", () => {
    fc.assert(
      fc.property(origin, fc.array(piece, { maxLength: 6 }), (start, pieces) => {
        const url = `${start}${pieces.join("")}`;
        if (!URL.canParse(url)) return;
        const { host, hostname, pathname, search } = new URL(url);
        const address = addressOf(url);
        expect([address.host, address.hostname, address.pathname, address.search]).toEqual([
          host,
          hostname,
          pathname,
          search,
        ]);
      }),
      { numRuns: 2000 },
    );
  });

  it("is told of a URL without a path too", () => {
    expect(addressOf("http://sign.example").pathname).toBe("/");
  });
});
