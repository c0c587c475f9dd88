import { describe, expect, it } from "vitest";
import { decide, type Visit } from "../../src/visitor/decide/decide.ts";
import type { Pixel } from "../../src/visitor/decide/pixel-beacon.ts";
import type { VisitorLink } from "../../src/visitor/decide/visitor-link.ts";

const LINK: VisitorLink = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
  workspaceId: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a22",
  state: "live",
  destination: "https://a.example/",
  httpStatus: 302,
  forwardQuery: false,
  hasPassword: false,
  sensitiveContent: false,
  utm: {},
  pixels: [],
};
const VISIT: Visit = {
  method: "GET",
  search: "",
  password: "none",
  consented: false,
  isCrawler: false,
  isPrefetch: false,
  consent: { country: "US", choice: "none", hasGpc: false },
  eventId: "e1",
};
const PASSWORD = { hasPassword: true };
const SENSITIVE = { sensitiveContent: true };
const META: Pixel = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a33",
  provider: "meta",
  tag: "1",
  consent: "required",
  server: false,
};
const GA4: Pixel = { ...META, provider: "ga4", tag: "G-1", server: true };
const PIXELS: Partial<VisitorLink> = { pixels: [META] };
const UNDECIDED = { consent: { country: "DE", choice: "none", hasGpc: false } } as const;
const ACCEPTED = { consent: { country: "DE", choice: "yes", hasGpc: false } } as const;
const POST: Partial<Visit> = { method: "POST" };

describe("what a link does for a visitor", () => {
  it.each<[string, Partial<VisitorLink> | null, Partial<Visit>, object]>([
    ["an unknown link is not found", null, {}, { kind: "not_found" }],
    ["a paused link is not found", { state: "paused" }, {}, { kind: "not_found" }],
    [
      "a paused link hides its password",
      { state: "paused", ...PASSWORD },
      {},
      { kind: "not_found" },
    ],
    ["a link switched off is gone", { state: "gone" }, {}, { kind: "gone" }],
    [
      "a link switched off is gone to a right password",
      { state: "gone", ...PASSWORD },
      { ...POST, password: "right" },
      { kind: "gone" },
    ],
    ["a plain link redirects", {}, {}, { kind: "redirect", status: 302, cacheControl: "no-store" }],
    ["HEAD is like GET", {}, { method: "HEAD" }, { kind: "redirect", status: 302 }],
    [
      "301 may be kept for a moment",
      { httpStatus: 301 },
      {},
      { status: 301, cacheControl: "private, max-age=90" },
    ],
    [
      "308 may be kept for a moment",
      { httpStatus: 308 },
      {},
      { status: 308, cacheControl: "private, max-age=90" },
    ],
    ["303 is not kept", { httpStatus: 303 }, {}, { status: 303, cacheControl: "no-store" }],
    ["307 is not kept", { httpStatus: 307 }, {}, { status: 307, cacheControl: "no-store" }],
    ["a plain link takes no POST", {}, POST, { kind: "method_not_allowed", allow: "GET, HEAD" }],
    [
      "a form takes POST only besides",
      PASSWORD,
      { method: "PUT" },
      { kind: "method_not_allowed", allow: "GET, HEAD, POST" },
    ],
    [
      "a password is asked for",
      PASSWORD,
      {},
      { kind: "password_form", wrong: false, sensitive: false },
    ],
    [
      "a wrong password is told",
      PASSWORD,
      { ...POST, password: "wrong" },
      { kind: "password_form", wrong: true },
    ],
    ["a password cannot be had by GET", PASSWORD, { password: "right" }, { kind: "password_form" }],
    [
      "consent is no password",
      { ...PASSWORD, ...SENSITIVE },
      { ...POST, consented: true },
      { kind: "password_form", sensitive: true },
    ],
    [
      "a right password goes on with 303",
      { ...PASSWORD, httpStatus: 307 },
      { ...POST, password: "right" },
      { kind: "redirect", status: 303, cacheControl: "no-store" },
    ],
    [
      "a right password is consent too",
      { ...PASSWORD, ...SENSITIVE },
      { ...POST, password: "right" },
      { kind: "redirect", status: 303 },
    ],
    ["consent is asked for", SENSITIVE, {}, { kind: "consent_form" }],
    [
      "consent goes on with 303",
      { ...SENSITIVE, httpStatus: 308 },
      { ...POST, consented: true },
      { kind: "redirect", status: 303, cacheControl: "no-store" },
    ],
    ["a POST without consent asks again", SENSITIVE, POST, { kind: "consent_form" }],
    ["pixels fire for people", PIXELS, {}, { kind: "pixels", location: "https://a.example/" }],
    [
      "pixels do not fire for crawlers",
      PIXELS,
      { isCrawler: true },
      { kind: "redirect", status: 302 },
    ],
    ["pixels do not fire for a prefetch", PIXELS, { isPrefetch: true }, { kind: "redirect" }],
    [
      "who has not decided where that is needed is redirected as by any link",
      { ...PIXELS, httpStatus: 308 },
      UNDECIDED,
      { kind: "redirect", status: 308, cacheControl: "private, max-age=90" },
    ],
    ["who has accepted there is not", PIXELS, ACCEPTED, { kind: "pixels" }],
    [
      "of several pixels those fire that may",
      { pixels: [META, { ...META, provider: "linkedin", consent: "not_required" }] },
      UNDECIDED,
      { beacons: ["https://px.ads.linkedin.com/collect/?pid=1&fmt=gif"] },
    ],
    [
      "a beacon bears the visit's event id, as the server event does",
      { pixels: [{ ...META, server: true }] },
      {},
      {
        beacons: ["https://www.facebook.com/tr?id=1&ev=PageView&eid=e1&noscript=1"],
        told: { eventId: "e1", pixels: [{ ...META, server: true }] },
      },
    ],
    [
      "a pixel without a beacon needs no page",
      { pixels: [GA4] },
      {},
      { kind: "redirect", status: 302, told: { eventId: "e1", pixels: [GA4] } },
    ],
    [
      "Google Ads is told a number",
      { pixels: [{ ...META, provider: "google_ads", tag: "AW-12" }] },
      {},
      {
        beacons: [
          "https://googleads.g.doubleclick.net/pagead/viewthroughconversion/12/?guid=ON&script=0",
        ],
      },
    ],
    [
      "a permanent redirect that is fetched ahead is not kept",
      { httpStatus: 308 },
      { isPrefetch: true },
      { kind: "redirect", status: 308, cacheControl: "no-store" },
    ],
    ["a query is kept back", {}, { search: "?x=1" }, { location: "https://a.example/" }],
    [
      "a query is passed on",
      { forwardQuery: true },
      { search: "?x=1" },
      { location: "https://a.example/?x=1" },
    ],
    [
      "a query is passed on after a form",
      { forwardQuery: true, ...PASSWORD },
      { ...POST, password: "right", search: "?x=1" },
      { location: "https://a.example/?x=1" },
    ],
  ])("%s", (_fact, link, visit, expected) => {
    const decision = decide(link && { ...LINK, ...link }, { ...VISIT, ...visit });
    expect(decision).toMatchObject(expected);
  });
});
