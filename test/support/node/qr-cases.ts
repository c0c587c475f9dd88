import { encode } from "fast-png";
import { toMatrix } from "../../../src/features/biolinks/qr-codes/qr-matrix.ts";
import { leastSize, toPng } from "../../../src/features/biolinks/qr-codes/qr-png.ts";
import {
  ERROR_CORRECTIONS,
  SHAPES,
  type Style,
} from "../../../src/features/biolinks/qr-codes/qr-style.ts";
import { toSvg } from "../../../src/features/biolinks/qr-codes/qr-svg.ts";

export interface QrCase {
  name: string;
  payload: string;
  style: Style;
  format: "svg" | "png";
  size: number;
  logo: Uint8Array | undefined;
}

const PAYLOADS = {
  compact: "HTTPS://SIGN.EXAMPLE/Q/7H4T0ZKM",
  "lower case": "https://go.brand.example/q/7h4t0zkm",
  wifi: "WIFI:T:WPA;S:Cafe\\; upstairs;P:correct horse;;",
  vcard:
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:King;Ada;;;\r\nFN:Ada King\r\nTEL:+442079460958\r\nEMAIL:ada@example.com\r\nEND:VCARD",
  long: `Once upon a time ${"there was a long text that nobody read. ".repeat(8)}`.trim(),
};

type Colours = Pick<Style, "foreground" | "background">;

/** Those at the edge of a warning, at 4.5 : 1, and plain ones. */
export const ALLOWED_COLOURS: Colours[] = [
  { foreground: "#000000", background: "#ffffff" },
  { foreground: "#767676", background: "#ffffff" }, // 4.54 : 1
  { foreground: "#000000", background: "#757575" }, // 4.56 : 1
  { foreground: "#c8102e", background: "#ffffff" }, // 5.88 : 1
  { foreground: "#1a237e", background: "#ffd54f" }, // 9.6 : 1
  { foreground: "#000000", background: null },
];

/** At 3 : 1, which is allowed with a warning. */
export const WARNED_COLOURS: Colours[] = [
  { foreground: "#949494", background: "#ffffff" }, // 3.03 : 1
  { foreground: "#000000", background: "#5c5c5c" }, // 3.10 : 1
];

export const REFUSED_COLOURS: Colours[] = [
  { foreground: "#d8d8d8", background: "#ffffff" }, // 1.42 : 1
  { foreground: "#f4f4f4", background: "#ffffff" }, // 1.10 : 1
  { foreground: "#ffffff", background: "#000000" }, // lighter than the background
  { foreground: "#ffe066", background: "#ffffff" }, // 1.29 : 1
  { foreground: "#4caf50", background: "#ff9800" }, // 1.30 : 1
];

/** A PNG of a few colours, with a transparent edge. */
export const LOGO = logo();

function logo(): Uint8Array {
  const side = 96;
  const data = new Uint8Array(4 * side * side);
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [(at % side) - side / 2, Math.floor(at / side) - side / 2];
    const distance = Math.hypot(x, y);
    const colour =
      distance < 20 ? [255, 255, 255, 255] : distance < 46 ? [220, 40, 60, 255] : [0, 0, 0, 0];
    data.set(colour, 4 * at);
  }
  return encode({ width: side, height: side, data, channels: 4, depth: 8 });
}

const SIZES = [128, 300, 1024];

/**
 * Every combination, of which each `every`-th is taken, from the `part`-th on; so a sample holds some
 * of everything.
 */
export function casesOf(colours: Colours[], every: number, part = 0): QrCase[] {
  const cases: QrCase[] = [];
  for (const [kind, payload] of Object.entries(PAYLOADS))
    for (const error_correction of ERROR_CORRECTIONS)
      for (const shape of SHAPES)
        for (const { foreground, background } of colours)
          for (const logo of [undefined, LOGO])
            for (const format of ["svg", "png"] as const)
              for (const size of SIZES) {
                const style = {
                  foreground,
                  background,
                  shape,
                  margin: 4,
                  error_correction,
                  compact: true,
                };
                const name = `${kind}, ${error_correction}, ${shape}, ${foreground} on ${background}${logo ? ", logo" : ""}, ${format} ${size}`;
                cases.push({ name, payload, style, format, size, logo });
              }
  return cases.filter((_, at) => at % every === part);
}

export const DAMAGES = ["none", "blurred", "turned", "jpeg", "covered"] as const;
export type Damage = (typeof DAMAGES)[number];

/**
 * A tenth of a small code lies on a quarter of its codewords, in whole or in part: L mends 7 % of
 * them and M 15 %, so only Q, H, and with it each code with a logo, is held to it.
 */
export function isFair({ style, logo }: QrCase, damage: Damage): boolean {
  return damage !== "covered" || logo !== undefined || /[QH]/.test(style.error_correction);
}

export interface Drawn {
  /** For an `<img>`. */
  url: string;
  /** Pixels a side of the picture, of the code and its margin. */
  size: number;
  /** Modules a side, margins included. */
  modules: number;
  /** What it is printed on. */
  background: string;
}

export function drawCase({ payload, style, format, size, logo }: QrCase): Drawn {
  const matrix = toMatrix(payload, style, logo !== undefined);
  if (!matrix) throw new Error("The payload is too long.");
  const modules = matrix.side + 2 * matrix.margin;
  const pixels = Math.max(size, leastSize(matrix));
  const [type, content] =
    format === "svg"
      ? ["image/svg+xml", Buffer.from(toSvg(matrix, style, pixels, logo))]
      : ["image/png", Buffer.from(toPng(matrix, style, pixels, logo))];
  return {
    url: `data:${type};base64,${content.toString("base64")}`,
    size: pixels,
    modules,
    background: style.background ?? "#ffffff",
  };
}
