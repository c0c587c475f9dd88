import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../support/node/browser.ts";
import {
  ALLOWED_COLOURS,
  casesOf,
  DAMAGES,
  type Damage,
  drawCase,
  isFair,
  LOGO,
  type QrCase,
  REFUSED_COLOURS,
  WARNED_COLOURS,
} from "../support/node/qr-cases.ts";
import { DISTANCES, damagedPictures } from "../support/node/qr-damage.ts";
import { READERS, type Reader, readWithAll } from "../support/node/qr-readers.ts";

/**
 * `full`: every combination, which takes hours; `3/13`: the fourth thirteenth of it, so that it can
 * be run in parts (by a prime, so that each has some of everything); else a sample.
 */
const GRID = process.env.QR_GRID ?? "0/307";
const [PART = 0, SAMPLE = 1] = GRID === "full" ? [] : GRID.split("/").map(Number);

/** At 3 : 1, in pictures so large that jsqr takes the middle of a module for paper. */
const LARGE = [
  "compact, Q, rounded, #949494 on #ffffff, svg 1024",
  "vcard, L, square, #949494 on #ffffff, logo, svg 1024",
  "vcard, H, rounded, #949494 on #ffffff, svg 1024",
];
const LONG = 2 * 60 * 60_000;

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
});
afterAll(() => browser.close());

interface Tally {
  pictures: number;
  /** What the first frame did not give, by reader. */
  second: Record<Reader, number>;
  /** What no frame gave. */
  missed: string[];
  mistaken: string[];
}

/** Draws cases, damages their pictures in every fair way, and has all readers read them. */
async function read(
  cases: QrCase[],
  damages: readonly Damage[] = DAMAGES,
  distances = DISTANCES,
): Promise<Tally> {
  const second = Object.fromEntries(READERS.map((reader) => [reader, 0])) as Tally["second"];
  const tally: Tally = { pictures: 0, second, missed: [], mistaken: [] };
  for (const one of cases) {
    const drawn = drawCase(one);
    const fair = damages.filter((damage) => isFair(one, damage));
    tally.pictures += fair.length;
    let open = fair.flatMap((damage) => READERS.map((reader) => ({ damage, reader })));
    for (const distance of distances) {
      const left = fair.filter((damage) => open.some((other) => other.damage === damage));
      const pngs = await damagedPictures(page, drawn, left, distance);
      const found = await readWithAll(pngs);
      open = open.filter(({ damage, reader }) => {
        const text = found[reader][left.indexOf(damage)] ?? null;
        if (text !== null && text !== one.payload) {
          tally.mistaken.push(`${reader}: ${one.name}, ${damage}: ${text}`);
        }
        return text !== one.payload;
      });
      if (distance === 1) for (const { reader } of open) tally.second[reader]++;
      if (open.length === 0) break;
    }
    for (const { damage, reader } of open) tally.missed.push(`${reader}: ${one.name}, ${damage}`);
  }
  return tally;
}

function tell(which: string, { pictures, second, missed }: Tally): void {
  const byReader = READERS.map((reader) => {
    const ofReader = missed.filter((one) => one.startsWith(`${reader}:`));
    return `${reader} ${ofReader.length} (at the first look ${second[reader]})`;
  });
  console.log(`${which}: ${pictures} pictures; missed: ${byReader.join(", ")}`, missed);
}

describe("a QR code that the guards allow", () => {
  it(
    "is read by three independent readers, damaged as prints are",
    async () => {
      const tally = await read(casesOf(ALLOWED_COLOURS, SAMPLE, PART));
      tell("allowed", tally);
      expect(tally.mistaken).toEqual([]);
      expect(tally.missed).toEqual([]);
    },
    LONG,
  );

  it("is read at 3 : 1 as well, as long as nothing happens to it", async () => {
    const tally = await read(casesOf(WARNED_COLOURS, SAMPLE, PART), ["none"]);
    tell("at 3 : 1", tally);
    expect(tally.missed).toEqual([]);
  }, 600_000);

  it("is read at 3 : 1 in a large picture too, by who sees it from further away", async () => {
    const cases = casesOf(WARNED_COLOURS, 1).filter(({ name }) => LARGE.includes(name));
    const tally = await read(cases, ["none"]);
    expect(tally.pictures).toBe(LARGE.length);
    expect({ ...tally.second, jsqr: 0 }).toEqual({ zxing: 0, jsqr: 0, zbar: 0 });
    expect(tally.missed).toEqual([]);
  }, 600_000);

  it(
    "is read with a logo in it, in every shape, as SVG and as PNG",
    async () => {
      const cases = casesOf(ALLOWED_COLOURS.slice(0, 1), 1).filter(
        ({ logo, name, size }) => logo === LOGO && size === 300 && name.startsWith("compact, M,"),
      );
      const tally = await read(cases);
      tell("with a logo", tally);
      expect(tally.pictures).toBe(30);
      expect(tally.missed).toEqual([]);
    },
    LONG,
  );
});

describe("a QR code that the guards refuse", () => {
  it(
    "is read measurably less often",
    async () => {
      // One look at each, so that it counts how easily a code is read.
      const look = (colours: typeof ALLOWED_COLOURS) =>
        read(casesOf(colours, SAMPLE, PART), ["none", "blurred", "jpeg"], [1]);
      const [refused, allowed] = [await look(REFUSED_COLOURS), await look(ALLOWED_COLOURS)];
      const share = ({ pictures, missed }: Tally) => missed.length / (pictures * READERS.length);
      console.log(
        `refused: ${refused.missed.length} of ${3 * refused.pictures} missed, allowed: ${allowed.missed.length} of ${3 * allowed.pictures}`,
      );
      expect(share(refused)).toBeGreaterThan(share(allowed) + 0.2);
    },
    LONG,
  );
});
