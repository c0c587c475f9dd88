import { convertIndexedToRgb, decode } from "fast-png";

/** Beside the code's own colours, and the plate's. */
const MOST_COLOURS = 240;
/** In pixels. */
export const MOST_SIDE = 1024;

export interface LogoPixels {
  palette: number[][];
  /** Places in the palette, line by line. */
  pixels: Uint8Array;
}

type Colour = [number, number, number];

/** A logo's PNG, fitted into a square of `side` pixels on an opaque plate, with a palette. */
export function toLogoPixels(png: Uint8Array, side: number, plate: Colour): LogoPixels {
  const colours = scaled(readPng(png), side, plate);
  // A logo of few colours keeps them all; of a photograph, alike ones become one.
  for (let bits = 8; ; bits--) {
    const reduced = withPalette(colours, bits);
    if (reduced) return reduced;
  }
}

interface Picture {
  width: number;
  height: number;
  /** Red, green, blue and alpha of a pixel. */
  at(x: number, y: number): [number, number, number, number];
}

/** @throws when it is no PNG, or too large a one */
export function readPng(png: Uint8Array): Picture {
  const size = new DataView(png.buffer, png.byteOffset);
  // Its header says how large it is: asked before anything is unpacked.
  if (png.length < 24 || Math.max(size.getUint32(16), size.getUint32(20)) > MOST_SIDE) {
    throw new RangeError("A logo is a PNG of at most 1,024 by 1,024 pixels.");
  }
  const decoded = decode(png);
  const { width, height, depth } = decoded;
  const data = decoded.palette ? convertIndexedToRgb(decoded) : decoded.data;
  const channels = decoded.palette ? data.length / (width * height) : decoded.channels;
  if (!decoded.palette && depth < 8) throw new RangeError("A logo has 8 or 16 bits a channel.");
  const shift = depth === 16 ? 8 : 0;
  const read = (place: number) => (data[place] ?? 0) >> shift;
  return {
    width,
    height,
    at(x, y) {
      const place = (y * width + x) * channels;
      const grey = channels < 3;
      const red = read(place);
      const alpha = channels % 2 === 0 ? read(place + channels - 1) : 255;
      return [red, grey ? red : read(place + 1), grey ? red : read(place + 2), alpha];
    },
  };
}

/** The mean of the pixels that lie under each one, so that no thin line is lost: 0xrrggbb each. */
function scaled({ width, height, at }: Picture, side: number, plate: Colour): Uint32Array {
  const scale = Math.max(width, height) / side;
  const [left, top] = [(side * scale - width) / 2, (side * scale - height) / 2];
  const colours = new Uint32Array(side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const sum: Colour = [0, 0, 0];
      let count = 0;
      for (const v of span(y * scale - top, scale)) {
        for (const u of span(x * scale - left, scale)) {
          const isIn = u >= 0 && v >= 0 && u < width && v < height;
          const pixel = isIn ? at(u, v) : [0, 0, 0, 0];
          for (const channel of [0, 1, 2] as const) {
            sum[channel] += blend(pixel[channel] ?? 0, plate[channel], pixel[3] ?? 0);
          }
          count++;
        }
      }
      const [red, green, blue] = sum.map((channel) => Math.round(channel / count));
      colours[y * side + x] = ((red ?? 0) << 16) | ((green ?? 0) << 8) | (blue ?? 0);
    }
  }
  return colours;
}

function blend(channel: number, behind: number, alpha: number): number {
  return (channel * alpha + behind * (255 - alpha)) / 255;
}

/** Whole places from one on, of a length: one at least. */
function span(from: number, length: number): number[] {
  const first = Math.floor(from + 1e-9);
  const count = Math.max(Math.round(length), 1);
  return Array.from({ length: count }, (_, at) => first + at);
}

/** Colours that share their first bits become the first of them; undefined if too many are left. */
function withPalette(colours: Uint32Array, bits: number): LogoPixels | undefined {
  const mask = ((0xff << (8 - bits)) & 0xff) * 0x010101;
  const places = new Map<number, number>();
  const palette: number[][] = [];
  const pixels = new Uint8Array(colours.length);
  for (const [at, colour] of colours.entries()) {
    let place = places.get(colour & mask);
    if (place === undefined) {
      if (palette.length === MOST_COLOURS) return undefined;
      place = palette.push([colour >> 16, (colour >> 8) & 0xff, colour & 0xff]) - 1;
      places.set(colour & mask, place);
    }
    pixels[at] = place;
  }
  return { palette, pixels };
}
