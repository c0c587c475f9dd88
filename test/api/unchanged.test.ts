import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { changesNothing, ifUnchanged } from "../../src/api/unchanged.ts";

afterEach(() => void vi.useRealTimers());

describe("a change", () => {
  const row = {
    title: "T",
    domainId: null,
    disabled: false,
    count: 0,
    utm: { source: "a", medium: "b" },
    tags: ["a", "b"],
    rules: { groups: [{ match: "all", rules: [{ field: "x", value: null }] }] },
  };

  it.each<[object, boolean]>([
    [{}, true],
    [{ title: "T", domainId: null, disabled: false }, true],
    [{ utm: { medium: "b", source: "a" }, tags: ["a", "b"] }, true],
    [{ rules: { groups: [{ rules: [{ value: null, field: "x" }], match: "all" }] } }, true],
    [{ title: "t" }, false],
    [{ title: null }, false],
    [{ domainId: "" }, false],
    [{ disabled: 0 }, false],
    [{ count: "0" }, false],
    [{ title: "T", disabled: true }, false],
    [{ utm: { source: "a" } }, false],
    [{ utm: { source: "a", medium: "b", campaign: "c" } }, false],
    [{ utm: { source: "a", campaign: "b" } }, false],
    [{ utm: {} }, false],
    [{ utm: null }, false],
    [{ domainId: {} }, false],
    [{ tags: ["b", "a"] }, false],
    [{ tags: ["a"] }, false],
    [{ tags: { 0: "a", 1: "b" } }, false],
    [{ rules: { groups: [{ match: "all", rules: [{ field: "x" }] }] } }, false],
  ])("to %j changes nothing: %s", (changes, expected) => {
    expect(changesNothing<object>(row, changes)).toBe(expected);
  });

  it("to what a row holds already changes nothing, whatever the order of its keys", () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== "object" || value === null) return value;
      const entries = Object.entries(value).map(([key, inner]) => [key, turned(inner)]);
      return Object.fromEntries(entries.toReversed());
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(changesNothing<object>({ value }, { value: turned(value) })).toBe(true);
        expect(changesNothing<object>({ value }, { value: [value] })).toBe(false);
      }),
    );
  });
});

describe("a write that never holds", () => {
  const never = async () => undefined;
  const reread = async () => ({});

  it("is 412 at once for whoever named a revision", async () => {
    await expect(ifUnchanged({}, { any: false }, never, reread)).rejects.toMatchObject({
      code: "precondition_failed",
    });
  });

  it("is given up with 409 after twenty seconds for whoever takes any", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    let tries = 0;
    const write = async () => {
      vi.setSystemTime(Date.now() + (++tries < 3 ? 10 : 20_000));
      return undefined;
    };
    await expect(ifUnchanged({}, { any: true }, write, reread)).rejects.toMatchObject({
      code: "conflict",
    });
    expect(tries).toBe(3);
  });

  it("is 404 as soon as the record is gone", async () => {
    const gone = async () => {
      throw new Error("gone");
    };
    await expect(ifUnchanged({}, { any: true }, never, gone)).rejects.toThrow("gone");
  });
});
