import { encode, QrCodeDataType } from "uqr";
import type { Style } from "./qr-style.ts";

/** 117 modules: what is denser is not read off a screen or a label at the sizes that people print. */
const MAX_VERSION = 25;
/**
 * Of a code with a logo: smaller ones have so few codewords that the logo and a tenth of the code
 * that is torn or covered are more than H mends.
 */
const MIN_LOGO_VERSION = 6;
/** Of the width; H mends 30 % of the codewords, and a square of this is 4 % of them. */
const LOGO_SHARE = 0.2;

export type Cell = "light" | "dark" | "clean";

/** A code as its modules. */
export interface Matrix {
  /** Modules a side, without the quiet zone. */
  side: number;
  margin: number;
  errorCorrection: Style["error_correction"];
  /** `clean`: dark, and drawn square whatever the shape: what readers find and measure codes by. */
  at(x: number, y: number): Cell;
  /** The square that the logo has to itself, in modules. */
  logo: { from: number; side: number } | null;
}

/** The modules of a payload; undefined when it is too long for a code that is read. */
export function toMatrix(
  payload: string,
  style: Pick<Style, "margin" | "error_correction">,
  hasLogo: boolean,
): Matrix | undefined {
  const ecc = hasLogo ? "H" : style.error_correction;
  const code = tryEncode(payload, ecc, hasLogo ? MIN_LOGO_VERSION : 1);
  if (!code) return undefined;
  const side = code.size;
  const logo = hasLogo ? logoArea(side) : null;
  const isLogo = (x: number, y: number) =>
    logo !== null && [x, y].every((place) => place >= logo.from && place < logo.from + logo.side);
  return {
    side,
    margin: style.margin,
    errorCorrection: ecc,
    logo,
    at(x, y) {
      if (isLogo(x, y) || !code.data[y]?.[x]) return "light";
      const type = code.types[y]?.[x];
      return type === QrCodeDataType.Position || type === QrCodeDataType.Alignment
        ? "clean"
        : "dark";
    },
  };
}

function tryEncode(payload: string, ecc: Style["error_correction"], minVersion: number) {
  try {
    return encode(payload, {
      ecc,
      border: 0,
      boostEcc: false,
      minVersion,
      maxVersion: MAX_VERSION,
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * A square in the middle, of an odd side as the code's is. It ends a tenth of the width from the
 * middle: finders, timing and format are never as near, in a code of 21 modules neither.
 */
function logoArea(side: number): { from: number; side: number } {
  const most = Math.floor(side * LOGO_SHARE);
  const own = most % 2 === 1 ? most : most - 1;
  return { from: (side - own) / 2, side: own };
}
