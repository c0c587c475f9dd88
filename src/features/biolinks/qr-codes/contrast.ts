/** Below this no phone reads a code for sure: refused. */
const LEAST_CONTRAST = 3;
/** Below this it is read, but not in every light: said. */
const GOOD_CONTRAST = 6;

export interface Colours {
  foreground: string;
  /** Null: transparent. */
  background: string | null;
}

export interface Warning {
  code: "low_contrast" | "transparent_background";
  message: string;
}

/** WCAG's relative luminance of `#rrggbb`: 0 is black, 1 is white. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = rgbOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The three channels of `#rrggbb`, 0 to 255. */
export function rgbOf(colour: string): [number, number, number] {
  const number = Number.parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 0xff, number & 0xff];
}

/** WCAG's contrast of two colours: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** What is taken to lie behind a transparent background: paper. */
const PAPER = "#ffffff";

/** Why a code of these colours would not be read, or undefined when it would. */
export function colourProblem({ foreground, background }: Colours): string | undefined {
  const behind = background ?? PAPER;
  if (luminance(foreground) > luminance(behind)) {
    return "The foreground must be darker than the background: many readers see nothing else.";
  }
  const contrast = contrastOf(foreground, behind);
  if (contrast >= LEAST_CONTRAST) return undefined;
  const on = background === null ? "on white" : "on the background";
  return `The foreground has a contrast of ${shown(contrast)} : 1 ${on}; a code needs ${LEAST_CONTRAST} : 1.`;
}

/** What may keep a code of these colours from being read, although it is allowed. */
export function colourWarnings({ foreground, background }: Colours): Warning[] {
  const warnings: Warning[] = [];
  const contrast = contrastOf(foreground, background ?? PAPER);
  if (contrast < GOOD_CONTRAST) {
    const message = `The contrast is ${shown(contrast)} : 1: from ${GOOD_CONTRAST} : 1 on a code is read in poor light, too.`;
    warnings.push({ code: "low_contrast", message });
  }
  if (background === null) {
    const message =
      "The background is transparent: the code is read only on something plain and much lighter than it.";
    warnings.push({ code: "transparent_background", message });
  }
  return warnings;
}

/** Rounded down: 2.999 is not 3. */
function shown(contrast: number): string {
  return (Math.floor(contrast * 100) / 100).toFixed(2);
}
