/** How a camera was held: the one thing of EXIF that says how an image looks. */
import { Reader, UnfitFile } from "./file-bytes.ts";

const ORIENTATION = 0x0112;
const SHORT = 3;
const UPRIGHT = 1;
const MOST_ORIENTATION = 8;
/** From here on width and height are seen exchanged. */
const FIRST_TURNED = 5;

/** The orientation that EXIF tells, 1 to 8; 1 where it tells none, or cannot be read. */
export function readOrientation(exif: Uint8Array): number {
  try {
    const tiff = new Reader(exif);
    const isLittle = tiff.name(0, 2) === "II";
    const directory = tiff.u32(4, isLittle);
    const entries = tiff.u16(directory, isLittle);
    for (let entry = 0; entry < entries; entry++) {
      const at = directory + 2 + entry * 12;
      if (tiff.u16(at, isLittle) !== ORIENTATION) continue;
      const value = tiff.u16(at + 8, isLittle);
      const isOne = tiff.u16(at + 2, isLittle) === SHORT && value >= UPRIGHT;
      return isOne && value <= MOST_ORIENTATION ? value : UPRIGHT;
    }
  } catch (error) {
    if (!(error instanceof UnfitFile)) throw error;
  }
  return UPRIGHT;
}

/** EXIF that tells an orientation and nothing else; undefined where none has to be told. */
export function exifOf(orientation: number): Uint8Array | undefined {
  if (orientation === UPRIGHT) return undefined;
  const header = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8];
  const entry = [ORIENTATION >> 8, ORIENTATION & 0xff, 0, SHORT, 0, 0, 0, 1, 0, orientation, 0, 0];
  return new Uint8Array([...header, 0, 1, ...entry, 0, 0, 0, 0]);
}

/** EXIF that tells nothing: for where there must be some. */
export const EMPTY_EXIF: readonly number[] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0];

/** A size as it is seen. */
export function turned(
  size: { width: number; height: number },
  orientation: number,
): { width: number; height: number } {
  return orientation < FIRST_TURNED ? size : { width: size.height, height: size.width };
}
