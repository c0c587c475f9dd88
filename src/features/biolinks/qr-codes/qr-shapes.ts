import type { Matrix } from "./qr-matrix.ts";
import type { Style } from "./qr-style.ts";

/** How many steps a pixel has from light to dark, beside light. */
export const DARKEST = 3;
/** A pixel is looked at in so many places a side. */
const SAMPLES = 4;

/** Which corners of a rounded module are round: top left, then clockwise. */
export type Corners = [boolean, boolean, boolean, boolean];

/** A corner is round where neither neighbour beside it is dark. */
export function cornersOf(matrix: Matrix, x: number, y: number): Corners {
  const isLight = (dx: number, dy: number) => matrix.at(x + dx, y + dy) === "light";
  const [up, right, down, left] = [isLight(0, -1), isLight(1, 0), isLight(0, 1), isLight(-1, 0)];
  return [up && left, up && right, down && right, down && left];
}

/** The pixels of one module, `pixels` a side, each 0 (light) to {@link DARKEST}. */
export type Tile = Uint8Array;

/** Draws the modules of a shape at one size, each picture once: there are 17 at most. */
export class Tiles {
  readonly #pixels: number;
  readonly #tiles = new Map<string, Tile>();

  constructor(pixels: number) {
    this.#pixels = pixels;
  }

  /** The picture of a dark module. */
  tileOf(matrix: Matrix, shape: Style["shape"], x: number, y: number): Tile {
    if (shape === "square" || matrix.at(x, y) === "clean") return this.#tile("square", () => true);
    const corners: Corners = shape === "dots" ? [true, true, true, true] : cornersOf(matrix, x, y);
    return this.#tile(corners.join(), (u, v) => isInside(corners, u, v));
  }

  #tile(name: string, isDark: (u: number, v: number) => boolean): Tile {
    const known = this.#tiles.get(name);
    if (known) return known;
    const side = this.#pixels;
    const tile = new Uint8Array(side * side);
    for (let at = 0; at < tile.length; at++) {
      tile[at] = Math.round(DARKEST * share(at % side, Math.floor(at / side), side, isDark));
    }
    this.#tiles.set(name, tile);
    return tile;
  }
}

/** How much of a pixel is dark. */
function share(
  x: number,
  y: number,
  side: number,
  isDark: (u: number, v: number) => boolean,
): number {
  let dark = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
    const u = (x + ((sample % SAMPLES) + 0.5) / SAMPLES) / side;
    const v = (y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / side;
    if (isDark(u, v)) dark++;
  }
  return dark / (SAMPLES * SAMPLES);
}

/** Whether a place of a module (0 to 1) is within it: a quarter with a round corner is one of a disc. */
function isInside([topLeft, topRight, bottomRight, bottomLeft]: Corners, u: number, v: number) {
  const isRight = u > 0.5;
  const isRound = v > 0.5 ? (isRight ? bottomRight : bottomLeft) : isRight ? topRight : topLeft;
  return !isRound || (u - 0.5) ** 2 + (v - 0.5) ** 2 <= 0.25;
}
