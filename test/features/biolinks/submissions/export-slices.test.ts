import { describe, expect, it } from "vitest";
import { ExportSlices } from "../../../../src/features/biolinks/submissions/export-slices.ts";

/** What a file reads of so many submissions of so many bytes each. */
function slicesOf(count: number, bytes: number): ExportSlices {
  const slices = new ExportSlices();
  for (let at = 0; at < count; at++) slices.add(`${at}`, bytes);
  return slices;
}

describe("what an export reads at once", () => {
  it("is 500 submissions, or a megabyte of them", () => {
    expect(slicesOf(1200, 100).all.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(slicesOf(5, 400_000).all.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(slicesOf(3, 5_000_000).all).toHaveLength(3);
  });

  it("is in no more queries than a request may ask, however large the submissions are", () => {
    expect(slicesOf(50_000, 2000).isTooMany).toBe(false);
    expect(slicesOf(700, 600_000).isTooMany).toBe(false);
    expect(slicesOf(701, 600_000).isTooMany).toBe(true);
    expect(slicesOf(50_000, 70_000).isTooMany).toBe(true);
  });
});
