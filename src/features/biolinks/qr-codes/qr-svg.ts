import { toBase64 } from "../../../platform/bytes.ts";
import type { Matrix } from "./qr-matrix.ts";
import { cornersOf } from "./qr-shapes.ts";
import type { Style } from "./qr-style.ts";

/** Of the logo's own square, on each side: light, so that no module touches the logo. */
const LOGO_PADDING = 0.5;

/**
 * A code as SVG, drawn in modules: one path, one background, and the logo as data. No script, no
 * style, no reference to anything outside of it.
 */
export function toSvg(
  matrix: Matrix,
  { foreground, background, shape }: Pick<Style, "foreground" | "background" | "shape">,
  size: number,
  logo?: Uint8Array,
): string {
  const { side, margin } = matrix;
  const { from, whole } = viewOf(side + 2 * margin, side, size);
  const parts = [
    ...(background === null
      ? []
      : [`<path fill="${background}" d="M${from} ${from}h${whole}v${whole}h-${whole}z"/>`]),
    `<path fill="${foreground}" d="${pathOf(matrix, shape)}"/>`,
    ...(matrix.logo && logo ? [drawLogo(matrix, background, logo)] : []),
  ];
  // Squares that touch show no seam between them when they are not smoothed.
  const rendering = shape === "square" ? ' shape-rendering="crispEdges"' : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="${from} ${from} ${whole} ${whole}"${rendering}>${parts.join("")}</svg>`;
}

/**
 * What is seen of the plane of modules: so much that a module is a whole number of pixels at the
 * picture's own size, as in a PNG. Small pictures are blurred else.
 */
function viewOf(modules: number, side: number, size: number): { from: number; whole: number } {
  const pixels = Math.floor(size / modules);
  if (pixels === 0) return { from: 0, whole: modules };
  const margin = Math.floor((size - side * pixels) / 2) / pixels;
  return { from: rounded4((modules - side) / 2 - margin), whole: rounded4(size / pixels) };
}

function rounded4(length: number): number {
  return Math.round(length * 10_000) / 10_000;
}

function pathOf(matrix: Matrix, shape: Style["shape"]): string {
  const { side, margin } = matrix;
  const parts: string[] = [];
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const cell = matrix.at(x, y);
      if (cell === "light") continue;
      const [left, top] = [x + margin, y + margin];
      if (cell === "dark" && shape !== "square") {
        parts.push(shape === "dots" ? dot(left, top) : rounded(matrix, x, y));
        continue;
      }
      const isRun = (at: number) =>
        matrix.at(at, y) === cell || (shape === "square" && matrix.at(at, y) !== "light");
      let end = x + 1;
      while (end < side && isRun(end)) end++;
      parts.push(`M${left} ${top}h${end - x}v1h-${end - x}z`);
      x = end - 1;
    }
  }
  return parts.join("");
}

function dot(left: number, top: number): string {
  return `M${left} ${top + 0.5}a.5.5 0 1 1 1 0a.5.5 0 1 1-1 0z`;
}

/** A module whose corners are round where it ends: a run of them is one pill. */
function rounded(matrix: Matrix, x: number, y: number): string {
  const [topLeft, topRight, bottomRight, bottomLeft] = cornersOf(matrix, x, y);
  const [left, top] = [x + matrix.margin, y + matrix.margin];
  const radius = (isRound: boolean | undefined) => (isRound ? 0.5 : 0);
  const arc = (isRound: boolean | undefined, dx: number, dy: number) =>
    isRound ? `a.5.5 0 0 1${dx} ${dy}` : "";
  return [
    `M${left + radius(topLeft)} ${top}`,
    `H${left + 1 - radius(topRight)}`,
    arc(topRight, 0.5, 0.5),
    `V${top + 1 - radius(bottomRight)}`,
    arc(bottomRight, -0.5, 0.5),
    `H${left + radius(bottomLeft)}`,
    arc(bottomLeft, -0.5, -0.5),
    `V${top + radius(topLeft)}`,
    arc(topLeft, 0.5, -0.5),
    "z",
  ].join("");
}

function drawLogo({ logo, margin }: Matrix, background: string | null, png: Uint8Array): string {
  if (!logo) return "";
  const from = logo.from + margin;
  const plate = `<path fill="${background ?? "#ffffff"}" d="M${from} ${from}h${logo.side}v${logo.side}h-${logo.side}z"/>`;
  const inner = logo.side - 2 * LOGO_PADDING;
  const at = from + LOGO_PADDING;
  return `${plate}<image x="${at}" y="${at}" width="${inner}" height="${inner}" href="data:image/png;base64,${toBase64(png)}"/>`;
}
