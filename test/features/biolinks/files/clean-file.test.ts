import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanFile } from "../../../../src/features/biolinks/files/clean-file.ts";
import { UnfitFile } from "../../../../src/features/biolinks/files/file-bytes.ts";
import { readOrientation } from "../../../../src/features/biolinks/files/orientation.ts";
import {
  AVIF,
  animatedWebp,
  bytesOf,
  contains,
  exif,
  GIF,
  JPEG,
  PDF,
  PNG,
  pngOf,
  SECRETS,
  TAIL,
  tellingGif,
  tellingJpeg,
  tellingPng,
  tellingWebp,
  WEBP,
} from "../../../support/sample-files.ts";

function problemOf(source: Uint8Array): string | undefined {
  try {
    cleanFile(source);
  } catch (error) {
    if (error instanceof UnfitFile) return error.message;
    throw error;
  }
  return undefined;
}

function leftOf(source: Uint8Array): string[] {
  const { bytes } = cleanFile(source);
  return SECRETS.filter((secret) => contains(bytes, secret));
}

const u16 = (n: number) => [n >> 8, n & 255];
const u32 = (n: number) => [...u16(n >>> 16), ...u16(n & 0xffff)];
const none = u32(0);

/** A part of an AVIF. */
function box(type: string, ...parts: (number[] | string | Uint8Array)[]): Uint8Array {
  const content = bytesOf(...parts);
  return bytesOf(u32(content.length + 8), type, content);
}

const PLAIN = { JPEG, PNG, WEBP, GIF, PDF };
const TELLING = {
  JPEG: tellingJpeg(6),
  PNG: tellingPng(6),
  WEBP: tellingWebp(6),
  "animated WEBP": animatedWebp(),
  GIF: tellingGif(),
  AVIF,
};

describe("a file that tells nothing", () => {
  it.each(Object.entries(PLAIN))("stays byte for byte: %s", (_name, source) => {
    expect(cleanFile(source).bytes).toEqual(source);
  });

  it.each(Object.entries(TELLING))("is what becomes of one that does: %s", (_name, source) => {
    const once = cleanFile(source);
    expect(cleanFile(once.bytes)).toEqual(once);
  });
});

describe("a file that tells of its maker", () => {
  it.each(Object.entries(TELLING))("tells of nothing any more: %s", (_name, source) => {
    expect(SECRETS.filter((secret) => contains(source, secret))).not.toEqual([]);
    expect(leftOf(source)).toEqual([]);
  });

  it.each([
    ["JPEG", tellingJpeg],
    ["PNG", tellingPng],
  ])("keeps how it is turned, and says its size as it is seen: %s", (_name, telling) => {
    for (let orientation = 1; orientation <= 8; orientation++) {
      const { bytes, width, height } = cleanFile(telling(orientation));
      const isTurned = orientation > 4;
      expect([orientation, width, height]).toEqual([
        orientation,
        isTurned ? 16 : 24,
        isTurned ? 24 : 16,
      ]);
      const start = new TextDecoder("latin1").decode(bytes).indexOf("MM\0*");
      expect([orientation, start >= 0]).toEqual([orientation, orientation > 1]);
      if (start >= 0) expect(readOrientation(bytes.subarray(start))).toBe(orientation);
    }
  });

  it("is a WebP that says nothing of how it is turned, which browsers take for granted or not", () => {
    for (let orientation = 1; orientation <= 8; orientation++) {
      const clean = cleanFile(tellingWebp(orientation));
      expect([clean.width, clean.height]).toEqual([24, 16]);
      expect(contains(clean.bytes, "EXIF")).toBe(false);
      // VP8X says that there is neither EXIF nor XMP.
      expect(clean.bytes[20]).toBe(0);
    }
  });

  it("keeps the pixels byte for byte", () => {
    const pixels = JPEG.subarray(20);
    const { bytes } = cleanFile(tellingJpeg(1));
    expect(bytes.subarray(-pixels.length)).toEqual(pixels);
    expect(cleanFile(tellingPng(1)).bytes).toEqual(PNG);
  });

  it("keeps an animation's frames, delays and loops", () => {
    const gif = cleanFile(tellingGif()).bytes;
    expect(contains(gif, "NETSCAPE2.0\x03\x01\0\0\0")).toBe(true);
    expect(gif.filter((byte) => byte === 0xf9)).toHaveLength(2);
    expect(cleanFile(animatedWebp())).toMatchObject({ width: 24, height: 16 });
  });

  it("says an AVIF's size as it is turned, and moves none of its bytes", () => {
    const { bytes, width, height } = cleanFile(AVIF);
    expect([width, height, bytes.length]).toEqual([16, 24, AVIF.length]);
    expect(contains(bytes, "application/rdf+xml")).toBe(false);
    const pixels = AVIF.subarray(-61);
    expect(bytes.subarray(-61)).toEqual(pixels);
  });
});

describe("an AVIF that ends with what says how it is drawn", () => {
  const start = box("ftyp", "avif", none, "avifmif1");
  const pixels = box("mdat", [1, 2, 3, 4]);
  const meta = box(
    "meta",
    none,
    box("hdlr", none, none, "pict", none, none, none, [0]),
    box("pitm", none, u16(1)),
    box("iinf", none, u16(1), box("infe", [2, 0, 0, 0], u16(1), u16(0), "av01", [0])),
    box(
      "iprp",
      box("ipco", box("ispe", none, u32(100), u32(50))),
      box("ipma", none, u32(1), u16(1), [1, 1]),
    ),
    box(
      "iloc",
      [1, 0, 0, 0, 0x44, 0],
      u16(1),
      u16(1),
      u16(0),
      u16(0),
      u16(1),
      u32(start.length + 8),
      u32(4),
    ),
  );

  it.each([
    ["says its length", meta],
    ["goes on to the end", bytesOf(none, meta.subarray(4))],
  ])("keeps all of it: %s", (_name, last) => {
    const source = bytesOf(start, pixels, last);
    expect(cleanFile(source)).toMatchObject({ bytes: source, width: 100, height: 50 });
  });
});

describe("what is behind a file's end", () => {
  it.each(Object.entries(PLAIN))("is cut: %s", (_name, source) => {
    expect(cleanFile(bytesOf(source, TAIL)).bytes).toEqual(source);
  });

  it("is cut or zero in an AVIF", () => {
    const free = bytesOf([0, 0, 0, 8 + TAIL.length], "free", TAIL);
    expect(cleanFile(bytesOf(AVIF, free)).bytes).toEqual(cleanFile(AVIF).bytes);
    expect(problemOf(bytesOf(AVIF, TAIL))).toBe("A part is longer than the whole.");
  });
});

describe("what is no file that is taken", () => {
  it.each([
    ["an SVG", bytesOf('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["an SVG", bytesOf("\xef\xbb\xbf  <SVG onload=alert(1)>")],
    ["HTML", bytesOf("<!doctype html><script>alert(1)</script>")],
    ["XML", bytesOf("<feed/>")],
    ["a ZIP archive", bytesOf("PK\x03\x04....")],
    ["a HEIC image", bytesOf([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "mif1heic")],
    ["a video", bytesOf([0, 0, 0, 24], "ftypisom", [0, 0, 0, 0], "isommp42")],
    ["a BMP image", bytesOf("BM....")],
    ["a TIFF image", bytesOf("II*\0....")],
    ["of no known kind", bytesOf("GIF88a")],
    ["of no known kind", bytesOf("just words")],
    ["nothing", new Uint8Array()],
  ])("is named: %s", (name, source) => {
    const problem = problemOf(source);
    expect(problem).toContain(`This is ${name}`);
    expect(problem).toContain("Taken are JPEG, PNG, WebP, GIF, AVIF and PDF.");
  });

  it("may have 8,000 pixels a side and no more, however few bytes", () => {
    expect(problemOf(pngOf(8000, 8000))).toBeUndefined();
    for (const [width, height] of [
      [8001, 1],
      [30_000, 30_000],
      [1, 2 ** 31],
    ] as const) {
      expect(problemOf(pngOf(width, height))).toBe(
        `The image has ${width} by ${height} pixels: at most 8000 a side are taken.`,
      );
    }
    expect(problemOf(pngOf(0, 10))).toBe("The image has no pixels.");
    const gif = GIF.slice();
    gif.set([0x30, 0x75], 6);
    expect(problemOf(gif)).toContain("30000 by 1");
    const jpeg = JPEG.slice();
    const frame = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0);
    jpeg.set([0x75, 0x30, 0x75, 0x30], frame + 5);
    expect(problemOf(jpeg)).toContain("30000 by 30000");
    const webp = tellingWebp(1);
    webp.set([0x2f, 0x75, 0], 24);
    expect(problemOf(webp)).toContain("30000 by 16");
    const avif = AVIF.slice();
    const size = new TextDecoder("latin1").decode(avif).indexOf("ispe");
    avif.set([0, 0, 0x75, 0x30], size + 8);
    expect(problemOf(avif)).toContain("30000 by 16");
  });

  it("is an AVIF that tells of more items than an image has", () => {
    const avifOf = (items: number, properties: number) => {
      const places = new Uint8Array(items * 10);
      for (let n = 0; n < items; n++) places.set([...u32(n + 1), 0, 1], n * 10);
      const owners = new Uint8Array(properties * 3);
      for (let n = 0; n < properties; n++) owners.set(u16(n + 2), n * 3);
      const size = box("ispe", none, u32(100), u32(100));
      const parts = [
        ...Array.from({ length: 900 }, () => box("free")),
        box("pitm", none, u16(1)),
        box("iinf", none, u16(1), box("infe", [2, 0, 0, 0], u16(1), u16(0), "av01")),
        box(
          "iprp",
          box("ipco", size),
          box("ipma", none, u32(properties + 1), owners, u16(1), [1, 1]),
        ),
        box("idat", [1, 2, 3, 4]),
        box("iloc", [2, 0, 0, 0], u16(0), u32(items), places),
      ];
      return bytesOf(box("ftyp", "avif", none, "avifmif1"), box("meta", none, ...parts));
    };
    // A thousand it may have: this one is refused for what it draws.
    expect(problemOf(avifOf(1000, 999))).toContain("pixels are not where");
    expect(problemOf(avifOf(1001, 0))).toBe("The AVIF has too many parts.");
    expect(problemOf(avifOf(1, 1000))).toBe("The AVIF has too many parts.");
    const began = performance.now();
    expect(problemOf(avifOf(900_000, 0))).toBe("The AVIF has too many parts.");
    // To look at each by each would take hours.
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  it("is an animated AVIF", () => {
    const track = bytesOf([0, 0, 0, 8], "moov");
    expect(problemOf(bytesOf(AVIF, track))).toContain("An animated AVIF is not taken");
  });
});

const ALL = [...Object.values(PLAIN), ...Object.values(TELLING)];

describe("whatever the bytes are", () => {
  it("each file that breaks off is refused, or a PDF or whole without its tail", () => {
    for (const source of ALL.filter((one) => one !== PDF)) {
      const { bytes } = cleanFile(source);
      for (let length = 0; length < source.length; length++) {
        const part = source.subarray(0, length);
        const problem = problemOf(part);
        if (problem === undefined) expect(cleanFile(part).bytes).toEqual(bytes);
      }
    }
  });

  it("nothing but the refusal is thrown, and nothing takes long", () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    const property = fc.property(fc.constantFrom(...ALL), changes, (source, list) => {
      const changed = source.slice();
      for (const [at, byte] of list) changed[at % changed.length] = byte;
      if (problemOf(changed) === undefined) {
        const once = cleanFile(changed);
        expect(problemOf(once.bytes)).toBeUndefined();
        expect(once.width ?? 1).toBeLessThanOrEqual(8000);
        expect(once.height ?? 1).toBeLessThanOrEqual(8000);
      }
    });
    fc.assert(property, {
      numRuns: 3000,
      interruptAfterTimeLimit: 30_000,
      markInterruptAsFailure: true,
    });
  });

  it("random bytes behind each format's first ones throw nothing but the refusal", () => {
    const heads = ALL.map((source) => source.subarray(0, 40));
    const property = fc.property(
      fc.constantFrom(...heads),
      fc.nat(40),
      fc.uint8Array({ maxLength: 300 }),
      (head, length, rest) => {
        problemOf(bytesOf(head.subarray(0, length), rest));
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });

  it("an orientation is 1 to 8 whatever EXIF says", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(readOrientation(bytes)).toBe(1);
      }),
    );
    expect([readOrientation(exif(9)), readOrientation(exif(0))]).toEqual([1, 1]);
  });

  it("10 MiB of the smallest parts are gone through in time", () => {
    const size = 10 * 1024 * 1024;
    const fill = (start: Uint8Array, part: number[]) => {
      const whole = new Uint8Array(size);
      whole.set(start);
      for (let at = start.length; at + part.length <= size; at += part.length) whole.set(part, at);
      return whole;
    };
    const startedAt = performance.now();
    expect(problemOf(fill(GIF.subarray(0, 19), [0x21, 0xf9, 0]))).toBeDefined();
    expect(
      problemOf(fill(PNG.subarray(0, 33), [0, 0, 0, 0, 73, 68, 65, 84, 0, 0, 0, 0])),
    ).toBeDefined();
    expect(problemOf(fill(JPEG.subarray(0, -2), [0xff, 0]))).toBeDefined();
    expect(problemOf(fill(bytesOf("%PDF-"), [0x25]))).toBeDefined();
    expect(problemOf(fill(AVIF.subarray(0, 32), [0, 0, 0, 8, 102, 114, 101, 101]))).toBeDefined();
    expect(performance.now() - startedAt).toBeLessThan(120_000);
  });
});
