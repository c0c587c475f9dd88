import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isApex, readHost } from "../../../../src/features/biolinks/domains/host.ts";

const OWN = ["sign.example.com", "cname.signpost.net"];
const label = (length: number) => "a".repeat(length);
const longHost = (length: number) =>
  `${label(50)}.${label(50)}.${label(50)}.${label(length - 157)}.com`;

const ACCEPTED: [string, string][] = [
  ["go.brand.com", "go.brand.com"],
  ["brand.com", "brand.com"],
  ["GO.Brand.COM", "go.brand.com"],
  ["go.brand.com.", "go.brand.com"],
  ["a.b.c.d.brand.co.uk", "a.b.c.d.brand.co.uk"],
  ["brand.co.uk", "brand.co.uk"],
  ["go-2.brand.io", "go-2.brand.io"],
  ["1.brand.com", "1.brand.com"],
  ["123.com", "123.com"],
  ["1.2.3.4.com", "1.2.3.4.com"],
  ["x.com", "x.com"],
  ["me.github.io", "me.github.io"],
  ["shop.me.github.io", "shop.me.github.io"],
  ["me.workers.dev", "me.workers.dev"],
  ["go.brand.xn--p1ai", "go.brand.xn--p1ai"],
  ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
  ["go.bücher.de", "go.xn--bcher-kva.de"],
  ["GO.BÜCHER.DE", "go.xn--bcher-kva.de"],
  ["go.xn--bcher-kva.de", "go.xn--bcher-kva.de"],
  ["faß.de", "xn--fa-hia.de"],
  ["例え.jp", "xn--r8jz45g.jp"],
  ["例え。jp", "xn--r8jz45g.jp"],
  ["ｇｏ.brand.com", "go.brand.com"],
  ["go\u00ad.brand.com", "go.brand.com"],
  // A confusable is another name: whoever owns it may connect it, and it is shown in punycode.
  ["аpple.com", "xn--pple-43d.com"],
  ["xn--pple-43d.com", "xn--pple-43d.com"],
  ["go.pаypal.com", "go.xn--pypal-4ve.com"],
  ["☃.net", "xn--n3h.net"],
  [`${label(63)}.com`, `${label(63)}.com`],
  [longHost(189), longHost(189)],
  [longHost(190), longHost(190)],
  ["sign.example.com.brand.com", "sign.example.com.brand.com"],
  ["notsign.example.com", "notsign.example.com"],
  ["example.com", "example.com"],
  ["go.brand.museum", "go.brand.museum"],
  ["go.brand.app", "go.brand.app"],
];

const REFUSED: [string, string][] = [
  ["nothing", ""],
  ["191 characters", longHost(191)],
  ["191 characters with the dot", `${longHost(190)}.`],
  [
    "190 characters that punycode makes more",
    `${"ü".repeat(50)}.${"ü".repeat(60)}.${"ü".repeat(60)}.com`,
  ],
  ["a scheme", "https://go.brand.com"],
  ["a path", "go.brand.com/x"],
  ["a backslash", "go.brand.com\\x"],
  ["a query", "go.brand.com?x"],
  ["a fragment", "go.brand.com#x"],
  ["a port", "go.brand.com:443"],
  ["credentials", "user@go.brand.com"],
  ["a space", "go brand.com"],
  ["a space around", " go.brand.com"],
  ["a tab", "go.brand.com\t"],
  ["a line's end", "go.brand.com\n"],
  ["two hosts", "go.brand.com,go.brand.org"],
  ["a wildcard", "*.brand.com"],
  ["a wildcard alone", "*"],
  ["an underscore", "_signpost.brand.com"],
  ["an underscore inside", "go_to.brand.com"],
  ["an escape", "go%2ebrand.com"],
  ["a leading dot", ".brand.com"],
  ["two dots", "go..brand.com"],
  ["two dots at the end", "go.brand.com.."],
  ["a dot", "."],
  ["a leading hyphen", "-go.brand.com"],
  ["a trailing hyphen", "go-.brand.com"],
  ["64 characters in a label", `${label(64)}.com`],
  ["an empty label of punycode", "xn--.com"],
  ["punycode of plain letters", "xn--abc-.com"],
  ["a zero-width joiner alone", "\u200d.com"],
  ["half a surrogate pair", "\ud83d.com"],
  ["a null", "go\u0000.brand.com"],
  ["an exclamation mark", "go!.brand.com"],
  ["an apostrophe", "go'.brand.com"],
  ["IPv4", "93.184.215.14"],
  ["IPv4 with a dot", "93.184.215.14."],
  ["IPv4 in decimal", "1572395022"],
  ["IPv4 in hex", "0x5db8d70e"],
  ["IPv4 in octal", "0135.0270.0327.016"],
  ["IPv4 in parts", "93.12113678"],
  ["IPv4 in full-width digits", "９３.184.215.14"],
  ["loopback", "127.0.0.1"],
  ["a short loopback", "127.1"],
  ["IPv6", "[2606:2800:21f::1]"],
  ["IPv6 without brackets", "2606:2800:21f::1"],
  ["a number that is no address", "256.256.256.256"],
  ["the platform's host", "sign.example.com"],
  ["the platform's host in capitals", "SIGN.example.com"],
  ["the platform's host with a dot", "sign.example.com."],
  ["under the platform's host", "go.sign.example.com"],
  ["deep under the platform's host", "a.b.sign.example.com"],
  ["where traffic is led", "cname.signpost.net"],
  ["under where traffic is led", "x.cname.signpost.net"],
  ["a public suffix", "com"],
  ["a public suffix of two", "co.uk"],
  ["a public suffix of a provider", "github.io"],
  ["another provider's", "workers.dev"],
  ["an international public suffix", "рф"],
  ["localhost", "localhost"],
  ["under localhost", "go.localhost"],
  ["one label", "intranet"],
  ["a private ending", "go.corp.internal"],
  ["mDNS", "printer.local"],
  ["a test ending", "go.brand.test"],
  ["an example ending", "go.brand.example"],
  ["an invalid ending", "go.brand.invalid"],
  ["a hidden service", "abcdefghij.onion"],
  ["an ending that is not there", "go.brand.notatld"],
  ["reverse DNS", "4.3.2.1.in-addr.arpa"],
];

describe("a host that can be connected", () => {
  it.each(ACCEPTED)("%s is kept as %s", (input, host) => {
    expect(readHost(input, OWN)).toEqual({ host });
  });
});

describe("a host that cannot be connected", () => {
  it.each(REFUSED)("%s: %j", (_, input) => {
    expect(readHost(input, OWN)).toEqual({ problem: expect.any(String) });
  });

  it("is in a table of more than eighty", () => {
    expect(ACCEPTED.length + REFUSED.length).toBeGreaterThanOrEqual(80);
  });
});

describe("any text", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "go",
      "brand",
      "com",
      "co",
      "uk",
      "xn--",
      "ü",
      "。",
      "-",
      "_",
      ".",
      "1",
      "0x7f",
    ),
    fc.string({ unit: "grapheme", maxLength: 4 }),
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));

  it("is refused or becomes a host name that is read as itself", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.webUrl(), fc.domain()), (input) => {
        const reading = readHost(input, OWN);
        if ("problem" in reading) return;
        const { host } = reading;
        expect(host).toMatch(
          /^(?=.{1,190}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
        );
        expect(readHost(host, OWN)).toEqual({ host });
        expect(new URL(`https://${host}/`).hostname).toBe(host);
        expect(Object.hasOwn(readHost(host, [host]), "problem")).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("an apex", () => {
  it.each([
    ["brand.com", true],
    ["brand.co.uk", true],
    ["me.github.io", true],
    ["go.brand.com", false],
    ["www.brand.co.uk", false],
  ])("%s: %s", (host, expected) => {
    expect(isApex(host)).toBe(expected);
  });
});
