import { hexOf, linearOf, type Rgb, rgbOf } from "../../../../platform/colours.ts";

/** Björn Ottosson's OKLCH: lightness 0 to 1, chroma, hue in radians. */
export interface Oklch {
  lightness: number;
  chroma: number;
  hue: number;
}

export function toOklch(colour: string): Oklch {
  const [red, green, blue] = rgbOf(colour).map(linearOf) as Rgb;
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return {
    lightness: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

/** A colour of that lightness and hue, with as much of the chroma as a screen can show. */
export function fromOklch({ lightness: wanted, chroma, hue }: Oklch): string {
  const lightness = Math.min(1, Math.max(0, wanted));
  let [least, most] = [0, 1];
  if (isShown(linearRgb(lightness, chroma, hue))) least = 1;
  for (let round = 0; least < 1 && round < 12; round++) {
    const share = (least + most) / 2;
    if (isShown(linearRgb(lightness, chroma * share, hue))) least = share;
    else most = share;
  }
  const channels = linearRgb(lightness, chroma * least, hue).map(
    (light) => 255 * Math.min(1, Math.max(0, gammaOf(light))),
  );
  return hexOf(channels as Rgb);
}

function linearRgb(lightness: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

function isShown(linear: Rgb): boolean {
  return linear.every((light) => light >= -0.0001 && light <= 1.0001);
}

function gammaOf(light: number): number {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
}
