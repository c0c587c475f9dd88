/** Colours are written as `#rrggbb`. */
export type Rgb = [red: number, green: number, blue: number];

/** The three channels, 0 to 255. */
export function rgbOf(colour: string): Rgb {
  const number = Number.parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 0xff, number & 0xff];
}

/** Channels from 0 to 255; they are rounded. */
export function hexOf(rgb: Rgb): string {
  return `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;
}

/** A channel of sRGB, 0 to 255, as a share of the light that a screen can give. */
export function linearOf(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** WCAG's relative luminance: 0 is black, 1 is white. */
export function luminanceOf([red, green, blue]: Rgb): number {
  return 0.2126 * linearOf(red) + 0.7152 * linearOf(green) + 0.0722 * linearOf(blue);
}

/** WCAG's contrast of two luminances: 1 to 21. */
export function luminanceContrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** WCAG's contrast of two colours: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  return luminanceContrast(luminanceOf(rgbOf(one)), luminanceOf(rgbOf(other)));
}

/** The colour that `share` of `over` upon `under` gives, as browsers mix them. */
export function mix(under: Rgb, over: Rgb, share: number): Rgb {
  const channel = (index: 0 | 1 | 2) => under[index] + (over[index] - under[index]) * share;
  return [channel(0), channel(1), channel(2)];
}

/** A contrast for people, rounded down: 2.999 is not 3. */
export function shownContrast(contrast: number): string {
  return (Math.floor(contrast * 100) / 100).toFixed(2);
}
