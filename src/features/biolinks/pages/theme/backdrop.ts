import {
  luminanceContrast,
  luminanceOf,
  mix,
  type Rgb,
  rgbOf,
} from "../../../../platform/colours.ts";
import { fromOklch, type Oklch, toOklch } from "./oklch.ts";

/** What lies behind a text: the darkest and the lightest of it, as WCAG's luminance. */
export interface Backdrop {
  darkest: number;
  lightest: number;
}

export function plainBackdrop(colour: string): Backdrop {
  const luminance = luminanceOf(rgbOf(colour));
  return { darkest: luminance, lightest: luminance };
}

/** The colours between stops, as browsers mix them in sRGB: darkest anywhere, lightest at a stop. */
export function gradientBackdrop(stops: readonly string[]): Backdrop {
  const colours = stops.map(rgbOf);
  const lightest = Math.max(...colours.map(luminanceOf));
  const darkest = Math.min(
    ...colours.slice(1).map((to, index) => darkestBetween(colours[index] ?? to, to)),
  );
  return { darkest, lightest };
}

/** Any picture under a scrim: at its worst it is black in one place and white in another. */
export function pictureBackdrop(scrim: string, share: number): Backdrop {
  const over = rgbOf(scrim);
  return {
    darkest: luminanceOf(mix([0, 0, 0], over, share)),
    lightest: luminanceOf(mix([255, 255, 255], over, share)),
  };
}

/** Luminance along a mix is convex, so that a search by thirds finds its only minimum. */
function darkestBetween(from: Rgb, to: Rgb): number {
  let [low, high] = [0, 1];
  for (let round = 0; round < 60; round++) {
    const third = (high - low) / 3;
    const [left, right] = [low + third, high - third];
    if (luminanceOf(mix(from, to, left)) <= luminanceOf(mix(from, to, right))) high = right;
    else low = left;
  }
  return luminanceOf(mix(from, to, (low + high) / 2));
}

/** The least contrast of a colour with what lies behind it. */
export function worstContrast(colour: string, { darkest, lightest }: Backdrop): number {
  const luminance = luminanceOf(rgbOf(colour));
  if (luminance >= darkest && luminance <= lightest) return 1;
  return Math.min(luminanceContrast(luminance, darkest), luminanceContrast(luminance, lightest));
}

export interface Need {
  behind: Backdrop;
  needed: number;
}

/** OKLCH lightness: what rounding to `#rrggbb` may cost, and how often it is tried. */
const NUDGE = 0.002;
const NUDGES = 8;

/** The colour of the same hue and the nearest lightness that meets every need, or null. */
export function nearestPassing(colour: string, needs: readonly Need[]): string | null {
  if (passes(colour, needs)) return colour;
  const own = toOklch(colour);
  const candidates = needs
    .flatMap(({ behind, needed }) => [
      { luminance: (behind.darkest + 0.05) / needed - 0.05, way: -1 },
      { luminance: (behind.lightest + 0.05) * needed - 0.05, way: 1 },
    ])
    .filter(({ luminance }) => luminance >= 0 && luminance <= 1)
    .flatMap(({ luminance, way }) => {
      const edge = lightnessAt(luminance, own);
      const tries = Array.from({ length: NUDGES }, (_, index) => edge + way * index * NUDGE);
      const found = tries.find((lightness) => passes(fromOklch({ ...own, lightness }), needs));
      return found === undefined ? [] : [found];
    })
    .sort((one, other) => Math.abs(one - own.lightness) - Math.abs(other - own.lightness));
  const [lightness] = candidates;
  return lightness === undefined ? null : fromOklch({ ...own, lightness });
}

function passes(colour: string, needs: readonly Need[]): boolean {
  return needs.every(({ behind, needed }) => worstContrast(colour, behind) >= needed);
}

/** At one hue, luminance grows with lightness: the lightness that gives it. */
function lightnessAt(luminance: number, { chroma, hue }: Oklch): number {
  let [low, high] = [0, 1];
  for (let round = 0; round < 14; round++) {
    const lightness = (low + high) / 2;
    if (luminanceOf(rgbOf(fromOklch({ lightness, chroma, hue }))) < luminance) low = lightness;
    else high = lightness;
  }
  return (low + high) / 2;
}
