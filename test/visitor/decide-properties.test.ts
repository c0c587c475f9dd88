import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Consent, mayFire } from "../../src/visitor/consent/may-fire.ts";
import { decide, type Visit } from "../../src/visitor/decide/decide.ts";
import type { Pixel } from "../../src/visitor/decide/pixel-beacon.ts";
import type { VisitorLink } from "../../src/visitor/decide/visitor-link.ts";

const anyLink: fc.Arbitrary<VisitorLink> = fc.record({
  id: fc.constant("0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11"),
  workspaceId: fc.constant("0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a22"),
  state: fc.constantFrom("live", "paused", "gone"),
  destination: fc.constantFrom("https://a.example/?x=1", "mailto:ada@a.example", "tel:+44"),
  httpStatus: fc.constantFrom(301, 302, 303, 307, 308),
  forwardQuery: fc.boolean(),
  hasPassword: fc.boolean(),
  sensitiveContent: fc.boolean(),
  utm: fc.record({ source: fc.string() }, { requiredKeys: [] }),
  pixels: fc.array(
    fc.record<Pixel>({
      id: fc.constant("0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a33"),
      provider: fc.constantFrom("meta", "linkedin", "ga4"),
      tag: fc.string(),
      consent: fc.constantFrom("required", "not_required"),
      server: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});
const anyVisit: fc.Arbitrary<Visit> = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"),
  search: fc.constantFrom("", "?", "?x=2", "?y=%0d%0a"),
  password: fc.constantFrom("none", "right", "wrong"),
  consented: fc.boolean(),
  isCrawler: fc.boolean(),
  isPrefetch: fc.boolean(),
  consent: fc.record<Consent>({
    country: fc.constantFrom("DE", "US", ""),
    choice: fc.constantFrom("yes", "no", "none"),
    hasGpc: fc.boolean(),
  }),
  eventId: fc.uuid(),
});

function always(fact: (link: VisitorLink, visit: Visit) => void): void {
  fc.assert(fc.property(anyLink, anyVisit, fact), { numRuns: 3000 });
}

function letsOn(link: VisitorLink, visit: Visit): boolean {
  return "location" in decide(link, visit);
}

describe("whatever the link and the visit", () => {
  it("nobody is let on by a link that is not live", () => {
    always((link, visit) => {
      if (link.state !== "live") expect(letsOn(link, visit)).toBe(false);
    });
  });

  it("nobody is let past a password but by posting the right one", () => {
    always((link, visit) => {
      if (!link.hasPassword || !letsOn(link, visit)) return;
      expect([visit.method, visit.password]).toEqual(["POST", "right"]);
    });
  });

  it("nobody sees sensitive content without a form", () => {
    always((link, visit) => {
      if (!link.sensitiveContent || !letsOn(link, visit)) return;
      expect(visit.method).toBe("POST");
      expect(link.hasPassword || visit.consented).toBe(true);
    });
  });

  it("what answers a POST is never posted on, nor kept", () => {
    always((link, visit) => {
      const decision = decide(link, { ...visit, method: "POST" });
      if (!("location" in decision)) return;
      expect(decision).toMatchObject({ kind: "redirect", status: 303, cacheControl: "no-store" });
    });
  });

  it("GET and HEAD are alike", () => {
    always((link, visit) => {
      expect(decide(link, { ...visit, method: "HEAD" })).toEqual(
        decide(link, { ...visit, method: "GET" }),
      );
    });
  });

  it("only a page of pixels tells pixels from none, and neither a crawler nor a prefetch meets one", () => {
    always((link, visit) => {
      const { told, ...decision } = { told: undefined, ...decide(link, visit) };
      const without = decide({ ...link, pixels: [] }, visit);
      const firing = link.pixels.filter(({ consent }) => mayFire(consent, visit.consent));
      if (told) {
        expect([visit.isCrawler, visit.isPrefetch]).toEqual([false, false]);
        expect(told.pixels).toEqual(
          firing.filter(({ provider, server }) => server && provider !== "linkedin"),
        );
      }
      if (decision.kind === "pixels") {
        expect([visit.isCrawler, visit.isPrefetch]).toEqual([false, false]);
        expect(without.kind).toBe("redirect");
        const shown = firing.filter(({ provider }) => provider !== "ga4");
        expect(decision.beacons).toHaveLength(shown.length);
      } else if (told) expect(decision).toEqual({ ...without, cacheControl: "no-store" });
      else expect(decision).toEqual(without);
    });
  });

  it("what is fetched ahead goes where the visit goes, and is not kept", () => {
    always((link, visit) => {
      const ahead = decide(link, { ...visit, isPrefetch: true });
      const later = decide(link, { ...visit, isPrefetch: false });
      if (ahead.kind === "redirect") {
        expect(ahead.cacheControl).toBe("no-store");
        expect("location" in later && later.location).toBe(ahead.location);
      } else expect(ahead).toEqual(later);
    });
  });

  it("only GET and HEAD are sent elsewhere by a domain", () => {
    always((link, visit) => {
      const { kind } = decide(link, visit, "https://b.example/");
      if (kind === "elsewhere") expect(["GET", "HEAD"]).toContain(visit.method);
      expect(kind).not.toBe("not_found");
    });
  });

  it("the query changes nothing unless it is passed on", () => {
    always((link, visit) => {
      const kept = { ...link, forwardQuery: false };
      expect(decide(kept, visit)).toEqual(decide(kept, { ...visit, search: "" }));
    });
  });
});
