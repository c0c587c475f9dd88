import { describe, expect, it } from "vitest";
import type { Found } from "../../../src/visitor/addresses/address.ts";
import { HeldAddresses, toHeld } from "../../../src/visitor/addresses/held-addresses.ts";
import { finalUrl } from "../../../src/visitor/decide/final-url.ts";

const asked = (slugKey: string) => ({ host: "", slugKey });

function found(character: string, pixels = 0): Found {
  const value = character.repeat(80);
  const link = {
    id: crypto.randomUUID(),
    workspaceId: crypto.randomUUID(),
    state: "live" as const,
    destination: `https://shop.example/${character.repeat(2000)}`,
    httpStatus: 302 as const,
    forwardQuery: false,
    hasPassword: false,
    sensitiveContent: false,
    utm: { source: value, medium: value, campaign: value },
    pixels: Array.from({ length: pixels }, () => ({
      id: crypto.randomUUID(),
      provider: "meta" as const,
      tag: "1",
      consent: "required" as const,
      server: false,
    })),
  };
  return { link, elsewhere: null, workspaceId: link.workspaceId, asOf: 1 };
}

describe("what is held of the address book", () => {
  it.each(["a", "é", "漢", "🎈"])("takes a link of %s for no less than its texts", (character) => {
    const one = found(character);
    const { destination = "", utm = {} } = one.link ?? {};
    const written = finalUrl(destination, utm, "").length;
    const wide = character > "\u00ff" ? 2 : 1;
    const texts = wide * (destination.length + Object.values(utm).join("").length) + written;
    expect(toHeld(asked("x"), one).bytes).toBeGreaterThan(texts);
  });

  it("goes by the bytes, what nobody visited first", () => {
    const held = new HeldAddresses();
    const { bytes } = toHeld(asked("0"), found("🎈"));
    for (let link = 0; link < 10; link++) {
      held.keep(asked(String(link)), found("🎈"), bytes * 3.5);
      const first = held.get("/0");
      if (first) first.isUsed = true;
    }
    const left = Array.from({ length: 10 }, (_, link) => held.get(`/${link}`) && link);
    expect(left.filter((link) => link !== undefined)).toHaveLength(3);
    expect(left).toContain(0);
  });
});
