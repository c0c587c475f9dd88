import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress, publicUrlProblem } from "../../../src/platform/outbound/public-url.ts";

const SPECIAL_IPV4 = [
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.8",
  "192.0.0.170",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
];
const SPECIAL_IPV6 = [
  "::",
  "::1",
  "::7f00:1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::ffff:8.8.8.8",
  "::ffff:0808:808",
  "0:0:0:0:0:ffff:1.1.1.1",
  "0000:0000:0000:0000:0000:FFFF:0101:0101",
  "::FFFF:8.8.8.8",
  "::ffff:0:127.0.0.1",
  "::ffff:0:8.8.8.8",
  "2001:4:112::1",
  "2620:4f:8000::1",
  "4000::1",
  "e000::1",
  "1::1",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::1",
  "100::1",
  "100:0:0:1::1",
  "2001::1",
  "2001:0:53aa:64c::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2002:808:808::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00::1",
  "fd12:3456::1",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff00::1",
  "ff02::1",
  "ff0e::1",
];
/** Other spellings that URL parsers take for an IPv4 address. */
const SPELLINGS = [
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.1",
  "127.0.1",
  "127.0.0.1.",
  "0",
  "0x0",
  "0.0",
  "167772161",
  "0xa000001",
  "012.0.0.1",
  "10.1",
  "3232235521",
  "0xc0a80001",
  "192.168.1",
  "0300.0250.0.1",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.43518",
  "0x7F.0x0.0x0.0x1",
  "%31%32%37.0.0.1",
  "１２７.0.0.1",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "0177.1",
];
const HOSTS = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "a.b.localhost.",
  "ｌｏｃａｌｈｏｓｔ",
  "printer.local",
  "printer.LOCAL.",
  "db.internal",
  "metadata.google.internal",
  "intranet",
  "router",
  "a.lan",
  "nas.home",
  "x.home.arpa",
  "mail.corp",
  "a.intranet",
  "site.test",
  "a.invalid",
  "hidden.onion",
  "com",
  "com.",
  "localhost..",
  "a.localhost..",
  "10.0.0.1.",
  "10.0.0.1..",
  "127.0.0.1..",
  "169.254.169.254.",
  "2130706433.",
  "foo.internal.",
  "foo.internal..",
  "db.local..",
  "example.com..",
  "example..com",
  ".example.com",
  ".",
  "..",
  "a.b.example。。",
  `${"a".repeat(64)}.example.com`,
  `${"a.".repeat(126)}ab`,
];
/** What the URL parser forgives, and people read as another address than it does. */
const MISWRITTEN = [
  "https:example.com",
  "https:example.com/hook",
  "https:/example.com/hook",
  "https:///example.com/hook",
  "https:////example.com/hook",
  "https:\\\\example.com\\hook",
  "https:/\\example.com/hook",
  "https://\\example.com/hook",
  "https://example.com\\hook",
  "https://example.com/a\\b",
  "https://example.com\\@evil.example/",
  "https://@example.com/",
  "https://:@example.com/",
  "https://example.com:0/",
  "https://example.com:1/",
  "https://example.com:25/",
  "https://example.com:1023/",
  "https://example.com:65536/",
  "https://example.com:x/",
  "https://?x",
  "https://#x",
  "https:?x",
  " https://example.com/",
  "https://example.com/ ",
  "\u00a0https://example.com/",
  "https://example.com/\u2028",
  "\ufeffhttps://example.com/",
  "https://exam\tple.com/",
  "ht\ntps://example.com/",
  "https://example.com/a\r\nb",
  "https://example.com/\u0000",
  "https://example.com/?a=\u007f",
];
const REFUSED: string[] = [
  ...SPECIAL_IPV4.map((address) => `https://${address}/`),
  ...SPECIAL_IPV6.map((address) => `https://[${address}]/hook`),
  ...SPELLINGS.map((address) => `https://${address}/hook`),
  ...HOSTS.map((host) => `https://${host}/hook`),
  ...MISWRITTEN,
  "http://example.com/",
  "ftp://example.com/",
  "ws://example.com/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,x",
  "example.com",
  "//example.com",
  "/hook",
  "",
  "https://",
  "https://user@example.com/",
  "https://user:pass@example.com/",
  "https://:pass@example.com/",
  "https://exa mple.com/",
  "https://[fe80::1%25eth0]/",
  "https://[::1",
  "https://256.256.256.256/",
  "https://1.2.3.4.5/",
];

describe("a public URL", () => {
  it("has a table of at least 120 that are none", () => {
    expect(REFUSED.length).toBeGreaterThanOrEqual(120);
    expect(new Set(REFUSED).size).toBe(REFUSED.length);
  });

  it.each(REFUSED)("is not %s", (url) => {
    expect(publicUrlProblem(url)).toEqual(expect.any(String));
  });

  it.each(["a", "🚦"])("has as many of %j as of any character", (character) => {
    const long = (length: number) => `https://example.com/${character.repeat(length - 20)}`;
    expect(publicUrlProblem(long(2048))).toBeUndefined();
    expect(publicUrlProblem(long(2049))).toBe("The URL may have at most 2048 characters.");
  });

  it("is none with half a character, which the runner could not name", () => {
    expect(publicUrlProblem("https://example.com/\ud800")).toEqual(expect.any(String));
  });

  it.each([
    "https://example.com",
    "https://example.com:8443/hook?x=1",
    "https://hooks.zapier.com/hooks/catch/1/a/",
    "https://bücher.example/hook",
    "https://xn--bcher-kva.example/",
    "https://8.8.8.8/",
    "https://93.184.215.14:443/",
    "https://[2606:4700:4700::1111]/",
    "https://[2a00:1450:4001:80b::200e]/",
    "https://example.com./hook",
    "https://example.com.:8443/hook",
    "https://8.8.8.8./",
    "https://example.com?x=1",
    "https://example.com#x",
    "https://example.com/?path=C:\\temp&at=@here",
    "https://example.com/@name/a b",
    "https://example.com:443/",
    "https://example.com:80/",
    "https://example.com:1024/",
    "https://example.com:65535/",
    "https://local.example.com/",
    "https://localhost.example.com/",
    "https://100.63.255.255/",
    "https://172.32.0.1/",
    "https://11.0.0.1/",
    "HTTPS://EXAMPLE.COM/",
  ])("may be %s", (url) => {
    expect(publicUrlProblem(url)).toBeUndefined();
  });

  it("never leads into a private network, however its address is spelt", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const inside = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    );
    const spelling = fc.constantFrom<(part: number) => string>(
      String,
      (part) => `0x${part.toString(16)}`,
      (part) => `0${part.toString(8)}`,
    );
    fc.assert(
      fc.property(inside, fc.array(spelling, { minLength: 4, maxLength: 4 }), (parts, spell) => {
        const [a, b, c, d] = parts;
        const word = ((a * 256 + b) * 256 + c) * 256 + d;
        const spelt = parts.map((part, at) => spell[at]?.(part)).join(".");
        for (const host of [
          parts.join("."),
          spelt,
          String(word),
          `0x${word.toString(16)}`,
          `${a}.${b}.${c * 256 + d}`,
          `[::ffff:${parts.join(".")}]`,
          `[64:ff9b::${parts.join(".")}]`,
        ]) {
          expect([host, publicUrlProblem(`https://${host}/`)]).toEqual([host, expect.any(String)]);
          expect([host, publicUrlProblem(`https://${host}./`)]).toEqual([host, expect.any(String)]);
        }
        expect(isPublicAddress(parts.join("."))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("is none when it is a v4-mapped address, of whatever address in whatever spelling", () => {
    const word = fc.integer({ min: 0, max: 0xffff });
    const zeros = fc.constantFrom("::", "0:0:0:0:0:", "0000::", "::0:", "0::0:0:");
    fc.assert(
      fc.property(zeros, word, word, fc.boolean(), (start, high, low, dotted) => {
        const four = `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
        const end = dotted ? four : `${high.toString(16)}:${low.toString(16)}`;
        const host = `[${start}ffff:${end}]`;
        expect([host, publicUrlProblem(`https://${host}/`)]).toEqual([host, expect.any(String)]);
        expect(isPublicAddress(host.slice(1, -1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("names the same host to people and to the URL parser", () => {
    const piece = fc.constantFrom("/", "\\", "@", ":", "?", "#", "a", "b.example", "\t", " ", ".");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `https:${pieces.join("")}`;
        if (publicUrlProblem(text) !== undefined) return;
        const written = /^https:\/\/([^/?#:]+)/.exec(text)?.[1];
        expect([text, new URL(text).hostname]).toEqual([text, written]);
      }),
      { numRuns: 2000 },
    );
  });
});
