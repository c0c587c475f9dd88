import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Choice,
  choiceCookies,
  readChoice,
} from "../../../src/visitor/consent/consent-cookie.ts";
import { needsConsent } from "../../../src/visitor/consent/consent-countries.ts";
import { type Consent, mayFire, type PixelConsent } from "../../../src/visitor/consent/may-fire.ts";
import { hasPrivacyControl } from "../../../src/visitor/consent/privacy-control.ts";

const EU = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(
  " ",
);
const GROUPS: Record<string, string[]> = {
  "the European Union": EU,
  "the rest of the EEA": ["IS", "LI", "NO"],
  "the United Kingdom": ["GB"],
  Switzerland: ["CH"],
  "parts of these with a code of their own":
    "AX GF GP MF MQ RE YT BL NC PF PM TF WF SJ GG GI IM JE".split(" "),
  "nowhere known": ["", "XX", "T1", "ZZ", "EU", "AP", "UK", "A1", "D", "DEU", "??", "undefined"],
};
const ELSEWHERE = "US CA BR JP IN AU ZA TR UA RS AL MK XK SM MC VA AD GL RU CN".split(" ");

// What fires, by the visitor's choice, where consent is needed and elsewhere: of a pixel that
// requires consent, and of one that does not.
const TABLE: [
  Choice,
  hasGpc: boolean,
  needed: [boolean, boolean],
  elsewhere: [boolean, boolean],
][] = [
  ["none", false, [false, true], [true, true]],
  ["yes", false, [true, true], [true, true]],
  ["no", false, [false, false], [false, false]],
  ["none", true, [false, false], [false, false]],
  ["yes", true, [false, false], [false, false]],
  ["no", true, [false, false], [false, false]],
];

function fires(visitor: Consent): [boolean, boolean] {
  return [mayFire("required", visitor), mayFire("not_required", visitor)];
}

describe("what may fire", () => {
  it.each(TABLE)("of a visitor who chose %s, with GPC %s", (choice, hasGpc, needed, elsewhere) => {
    for (const [group, countries] of Object.entries(GROUPS)) {
      for (const country of countries) {
        const told = [group, country, ...fires({ country, choice, hasGpc })];
        expect(told).toEqual([group, country, ...needed]);
      }
    }
    for (const country of ELSEWHERE) {
      expect([country, ...fires({ country, choice, hasGpc })]).toEqual([country, ...elsewhere]);
    }
  });

  const anyVisitor: fc.Arbitrary<Consent> = fc.record({
    country: fc.oneof(
      fc.constantFrom(...Object.values(GROUPS).flat(), ...ELSEWHERE),
      fc.string({ maxLength: 4 }),
    ),
    choice: fc.constantFrom<Choice>("yes", "no", "none"),
    hasGpc: fc.boolean(),
  });
  const anySetting = fc.constantFrom<PixelConsent>("required", "not_required");

  it("is nothing without a yes where consent is required and needed, nor against a refusal", () => {
    fc.assert(
      fc.property(anyVisitor, anySetting, (visitor, setting) => {
        if (!mayFire(setting, visitor)) return;
        expect(visitor.hasGpc).toBe(false);
        expect(visitor.choice).not.toBe("no");
        if (setting === "required" && visitor.choice !== "yes") {
          expect(ELSEWHERE.includes(visitor.country) || !needsConsent(visitor.country)).toBe(true);
          expect(visitor.country).toMatch(/^[A-Z]{2}$/);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("is never less after a yes, nor more after a no, and no more where consent is required", () => {
    fc.assert(
      fc.property(anyVisitor, (visitor) => {
        for (const setting of ["required", "not_required"] as const) {
          const by = (choice: Choice) => Number(mayFire(setting, { ...visitor, choice }));
          expect(by("yes")).toBeGreaterThanOrEqual(by("none"));
          expect(by("none")).toBeGreaterThanOrEqual(by("no"));
        }
        const [required, notRequired] = fires(visitor);
        expect(required && !notRequired).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("Global Privacy Control", () => {
  it.each([
    ["1", true],
    [" 1 ", true],
    // As a proxy may say it once more.
    ["1, 1", true],
    ["0, 1", true],
    ["0", false],
    ["", false],
    ["?1", false],
    ["11", false],
    ["true", false],
  ])("of %j is said: %s", (value, isSaid) => {
    expect(hasPrivacyControl(new Headers({ "Sec-GPC": value }))).toBe(isSaid);
    expect(hasPrivacyControl(new Headers())).toBe(false);
  });
});

describe("the consent cookie", () => {
  const KEPT = ["Path=/", "Max-Age=15552000", "HttpOnly", "SameSite=Lax"];
  const GONE = ["Path=/", "Max-Age=0", "HttpOnly", "SameSite=Lax"];

  it.each([
    ["yes", false],
    ["no", false],
    ["yes", true],
    ["no", true],
  ] as const)("is read as it was written: %s, by https %s", (choice, isSecure) => {
    const [kept, gone, ...more] = choiceCookies(choice, isSecure).map((one) => one.split("; "));
    const [pair = "", ...rest] = kept ?? [];
    expect(readChoice(pair, isSecure)).toBe(choice);
    expect(readChoice(`a=b; ${pair};c=d`, isSecure)).toBe(choice);
    expect(readChoice(`a=b, ${pair}`, isSecure)).toBe(choice);
    const isOwn = isSecure && choice === "yes";
    expect([pair.startsWith("__Host-"), rest]).toEqual([isOwn, isOwn ? [...KEPT, "Secure"] : KEPT]);
    expect(more).toEqual([]);
    const other = choice === "yes" ? ["signpost_consent="] : ["__Host-signpost_consent="];
    const secure = choice === "yes" ? [] : ["Secure"];
    expect(gone).toEqual(isSecure ? [...other, ...GONE, ...secure] : undefined);
  });

  it.each<[string, byHttp: Choice, byHttps: Choice]>([
    ["signpost_consent=yes.1", "yes", "none"],
    ["signpost_consent=no.1", "no", "no"],
    ["__Host-signpost_consent=yes.1", "yes", "yes"],
    ["__Host-signpost_consent=yes.1; signpost_consent=no.1", "no", "no"],
    ["__Host-signpost_consent=yes.2; signpost_consent=yes.1", "yes", "none"],
    ["__host-signpost_consent=yes.1", "none", "none"],
  ])("of %j says %s, and by https %s: no other host plants a yes", (header, byHttp, byHttps) => {
    expect([readChoice(header, false), readChoice(header, true)]).toEqual([byHttp, byHttps]);
  });

  it.each<[string, Choice]>([
    ["", "none"],
    ["signpost_consent=", "none"],
    ["signpost_consent=yes", "none"],
    ["signpost_consent=yes.2", "none"],
    ["signpost_consent=YES.1", "none"],
    ["signpost_consent=constructor", "none"],
    ["xsignpost_consent=yes.1", "none"],
    ["other=signpost_consent=yes.1", "none"],
    ["signpost_consent", "none"],
    ["signpost_consent=yes.1; signpost_consent=no.1", "no"],
    ["signpost_consent=no.1; signpost_consent=yes.1", "no"],
    ["signpost_consent=yes.2; signpost_consent=yes.1", "yes"],
    // Two headers, as the runtime joins them.
    ["a=b, signpost_consent=no.1", "no"],
    ["signpost_consent=yes.1, signpost_consent=no.1", "no"],
    ['signpost_consent="yes.1"', "none"],
    ["signpost_consent=yes%2E1", "none"],
    ["signpost_consent=yes.1x", "none"],
  ])("of %j says %s", (header, choice) => {
    expect(readChoice(header, false)).toBe(choice);
  });

  it("is no choice, whatever else is sent", () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        if (/signpost_consent=(?:yes|no)\.1/.test(header)) return;
        expect([readChoice(header, false), readChoice(header, true)]).toEqual(["none", "none"]);
      }),
    );
  });
});
