import { describe, expect, it } from "vitest";
import { addressName, type Found } from "../../../src/visitor/addresses/address.ts";
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

const MIB = 1024 * 1024;

/** A page whose text is so long. */
function foundPage(letters: number): Found {
  const [id, workspaceId] = [crypto.randomUUID(), crypto.randomUUID()];
  const nothing = { destinations: {}, links: {}, downloads: {}, scripts: [], frames: [] };
  const published = {
    ...nothing,
    hash: "h",
    parts: ["a".repeat(letters)],
    styleHash: "'sha256-'",
    noindex: false,
  };
  const state = {
    state: "live" as const,
    hasPassword: false,
    sensitiveContent: false,
    utm: {},
    pixels: [],
  };
  const page = { id, workspaceId, ...state, published };
  return { link: null, page, elsewhere: null, workspaceId, asOf: 1 };
}

describe("what is held of the address book", () => {
  it.each([
    [64, 14],
    [8, 3],
  ])("of %i MB keeps pages, and leaves links theirs however many pages come", (most, least) => {
    const held = new HeldAddresses();
    for (let link = 0; link < 100; link++) held.keep(asked(`${link}`), found("a"), most * MIB);
    const pages = Array.from({ length: 100 }, (_, at) => `@${at}`);
    for (const page of pages) held.keep(asked(page), foundPage(0.3 * MIB), most * MIB);
    const isHeld = (slugKey: string) => held.get(`/${slugKey}`) !== undefined;
    expect(pages.filter(isHeld).length).toBeGreaterThanOrEqual(least);
    const links = Array.from({ length: 100 }, (_, at) => `${at}`).filter(isHeld);
    expect(links).toHaveLength(100);
    held.drop("/@99");
    expect(isHeld("@99")).toBe(false);
  });

  it("is all links' where there are no pages", () => {
    const held = new HeldAddresses();
    const { bytes } = toHeld(asked("0"), found("a"));
    for (let link = 0; link < 20; link++) held.keep(asked(`${link}`), found("a"), bytes * 10.5);
    const left = Array.from({ length: 20 }, (_, at) => held.get(`/${at}`)).filter(Boolean);
    expect(left).toHaveLength(10);
  });

  it.each(["a", "é", "漢", "🎈"])("takes a link of %s for no less than its texts", (character) => {
    const one = found(character);
    const { destination = "", utm = {} } = one.link ?? {};
    const written = finalUrl(destination, utm, "").length;
    const wide = character > "\u00ff" ? 2 : 1;
    const texts = wide * (destination.length + Object.values(utm).join("").length) + written;
    expect(toHeld(asked("x"), one).bytes).toBeGreaterThan(texts);
  });

  it("is found by the URL it was last visited under, for as long as it is held", () => {
    const held = new HeldAddresses();
    const { bytes } = toHeld(asked("0"), found("a"));
    const [url, other] = ["https://s.example/0", "https://s.example/0/"];
    const first = held.keep(asked("0"), found("a"), bytes * 3.5);
    for (const at of [url, other, url]) held.nameByUrl(at, first);
    expect([held.getByUrl(url), held.getByUrl(other)]).toEqual([first, undefined]);
    const second = held.keep(asked("0"), found("b"), bytes * 3.5);
    expect(held.getByUrl(url)).toBeUndefined();
    held.nameByUrl(url, first);
    expect(held.getByUrl(url)).toBeUndefined();
    held.nameByUrl(url, second);
    held.dropWhere(() => true);
    expect(held.getByUrl(url)).toBeUndefined();
  });

  it("is found by so many URLs as 4 MB hold, and by none that is longer than a link's", () => {
    const there = found("a");
    const urlOf = (link: number, length: number) => `https://s.example/${link}`.padEnd(length, "/");
    for (const [length, most] of [
      [40, 28_600],
      [330, 9400],
    ] as const) {
      const held = new HeldAddresses();
      const kept = Array.from({ length: most * 1.5 }, (_, link) => {
        const one = held.keep(asked(`${link}`), there, 1e9);
        held.nameByUrl(urlOf(link, length), one);
        return one;
      });
      const isFound = (link: number) => held.getByUrl(urlOf(link, length)) === kept[link];
      const count = kept.filter((_, link) => isFound(link)).length;
      expect(count).toBeGreaterThan(most / 3);
      expect(count).toBeLessThanOrEqual(most);
      expect([isFound(0), isFound(kept.length - 1)]).toEqual([false, true]);
      const [oldest] = kept;
      if (!oldest) throw new Error("Nothing is held.");
      // What is not found by a URL any more does not keep it in memory.
      expect(oldest.url).toBeUndefined();
      held.nameByUrl(urlOf(0, length), oldest);
      expect(isFound(0)).toBe(true);
      const long = urlOf(0, 331);
      held.nameByUrl(long, oldest);
      expect(held.getByUrl(long)).toBeUndefined();
    }
  });

  it("counts what goes out of the URLs, however often one is dropped and named again", () => {
    const held = new HeldAddresses();
    const there = found("a");
    const first = held.keep(asked("first"), there, 1e9);
    held.nameByUrl("https://s.example/first", first);
    // Far more than may be found at once, but one at a time.
    for (let times = 0; times < 40_000; times++) {
      const one = held.keep(asked("other"), there, 1e9);
      held.nameByUrl("https://s.example/other", one);
      if (times % 2) held.drop(addressName(asked("other")));
    }
    expect(held.getByUrl("https://s.example/first")).toBe(first);
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
