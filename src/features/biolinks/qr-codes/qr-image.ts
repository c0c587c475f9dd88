import { invalid } from "../../../api/errors.ts";
import { type Matrix, toMatrix } from "./qr-matrix.ts";
import { leastSize, toPng } from "./qr-png.ts";
import type { Style } from "./qr-style.ts";
import { toSvg } from "./qr-svg.ts";

export const IMAGE_TYPES = { svg: "image/svg+xml", png: "image/png" } as const;
export type ImageFormat = keyof typeof IMAGE_TYPES;

/** @throws 422 when a payload is too long for a code that is read */
export function matrixOf(payload: string, style: Style, hasLogo: boolean): Matrix {
  const matrix = toMatrix(payload, style, hasLogo);
  if (matrix) return matrix;
  const message = "This is more than a code holds: shorten it, or lower `error_correction`.";
  throw invalid("target", message);
}

export interface ImageRequest {
  format: ImageFormat;
  size: number;
  /** A PNG, if the style names one that is there. */
  logo: Uint8Array | undefined;
}

/** A code's picture. @throws 422 when the payload is too long, or the size too small for it */
export function drawImage(
  payload: string,
  style: Style,
  { format, size, logo }: ImageRequest,
): Uint8Array | string {
  const matrix = matrixOf(payload, style, logo !== undefined);
  if (format === "svg") return toSvg(matrix, style, size, logo);
  const least = leastSize(matrix);
  if (size < least) throw invalid("size", `This code needs at least ${least} pixels.`);
  return toPng(matrix, style, size, logo);
}
