import { encode } from "fast-png";
import { rgbOf } from "../../../platform/colours.ts";
import { type LogoPixels, toLogoPixels } from "./qr-logo.ts";
import type { Matrix } from "./qr-matrix.ts";
import { DARKEST, Tiles } from "./qr-shapes.ts";
import type { Style } from "./qr-style.ts";

/** A module that is smaller is lost when a picture is scaled or photographed: with 2, one in a hundred. */
const LEAST_MODULE_PIXELS = 3;

/** How many pixels a picture of a code needs at least. */
export function leastSize({ side, margin }: Matrix): number {
  return LEAST_MODULE_PIXELS * (side + 2 * margin);
}

/**
 * A code as PNG with a palette: a bit a pixel for squares, two where edges are smooth, so that 4,096
 * pixels a side take 2 or 4 MB and not 64. A module is a whole number of pixels; what is left over
 * widens the quiet zone.
 */
export function toPng(
  matrix: Matrix,
  style: Pick<Style, "foreground" | "background" | "shape">,
  size: number,
  logo?: Uint8Array,
): Uint8Array {
  const { side, margin } = matrix;
  const pixels = Math.floor(size / (side + 2 * margin));
  const from = Math.floor((size - side * pixels) / 2);
  const picture = matrix.logo && logo ? logoAt(matrix, style, logo, pixels, from) : undefined;
  const depth = picture ? 8 : style.shape === "square" ? 1 : 2;
  const rows = new Rows(size, depth);
  const tiles = new Tiles(pixels);
  for (let y = 0; y < side; y++) {
    for (let line = 0; line < pixels; line++) {
      const top = from + y * pixels + line;
      // Of squares, all lines of a row of modules are alike.
      if (line > 0 && style.shape === "square" && !picture?.hasLine(top)) {
        rows.repeat(top);
        continue;
      }
      const row = new Uint8Array(size);
      for (let x = 0; x < side; x++) {
        if (matrix.at(x, y) === "light") continue;
        const tile = tiles.tileOf(matrix, style.shape, x, y);
        row.set(tile.subarray(line * pixels, (line + 1) * pixels), from + x * pixels);
      }
      picture?.drawLine(row, top);
      rows.write(top, style.shape === "square" && !picture ? row.map((dark) => dark && 1) : row);
    }
  }
  const palette = [...paletteOf(style, depth), ...(picture?.palette ?? [])];
  return encode({ width: size, height: size, depth, channels: 1, data: rows.data, palette });
}

/** From light to dark. Those that are not opaque come first, as the format wants it. */
function paletteOf(
  { foreground, background }: Pick<Style, "foreground" | "background">,
  depth: number,
) {
  const steps = depth === 1 ? 1 : DARKEST;
  const dark = rgbOf(foreground);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / steps;
    if (background === null) return [...dark, Math.round(255 * share)];
    const light = rgbOf(background);
    return dark.map((channel, at) => Math.round(channel * share + (light[at] ?? 0) * (1 - share)));
  });
}

/** The lines of a picture, packed as PNG has them. */
class Rows {
  readonly data: Uint8Array;
  readonly #bytes: number;
  readonly #depth: number;

  constructor(size: number, depth: number) {
    this.#depth = depth;
    this.#bytes = Math.ceil((size * depth) / 8);
    this.data = new Uint8Array(this.#bytes * size);
  }

  write(line: number, row: Uint8Array): void {
    const perByte = 8 / this.#depth;
    const end = (line + 1) * this.#bytes;
    let at = 0;
    for (let place = line * this.#bytes; place < end; place++) {
      let byte = 0;
      for (let n = 0; n < perByte; n++) byte = (byte << this.#depth) | (row[at++] ?? 0);
      this.data[place] = byte;
    }
  }

  /** The line above once more. */
  repeat(line: number): void {
    this.data.copyWithin(line * this.#bytes, (line - 1) * this.#bytes, line * this.#bytes);
  }
}

interface LogoPicture {
  palette: number[][];
  hasLine(line: number): boolean;
  drawLine(row: Uint8Array, line: number): void;
}

/** The logo in its square, half a module from its edge, in colours of its own behind the code's four. */
function logoAt(
  { logo }: Matrix,
  { background }: Pick<Style, "background">,
  png: Uint8Array,
  pixels: number,
  from: number,
): LogoPicture | undefined {
  if (!logo) return undefined;
  const inner = Math.max(Math.floor((logo.side - 1) * pixels), 1);
  const start = from + logo.from * pixels + Math.floor((logo.side * pixels - inner) / 2);
  const plate = rgbOf(background ?? "#ffffff");
  const drawn: LogoPixels = toLogoPixels(png, inner, plate);
  const isOpaque = background !== null;
  const plateAt = DARKEST + 1 + drawn.palette.length;
  const [plateFrom, plateSide] = [from + logo.from * pixels, logo.side * pixels];
  return {
    palette: [...drawn.palette, plate].map((colour) => (isOpaque ? colour : [...colour, 255])),
    hasLine: (line) => line >= plateFrom - 1 && line <= plateFrom + plateSide,
    drawLine(row, line) {
      if (line < plateFrom || line >= plateFrom + plateSide) return;
      row.fill(plateAt, plateFrom, plateFrom + plateSide);
      if (line < start || line >= start + inner) return;
      const source = drawn.pixels.subarray((line - start) * inner, (line - start + 1) * inner);
      row.set(
        source.map((colour) => colour + DARKEST + 1),
        start,
      );
    },
  };
}
