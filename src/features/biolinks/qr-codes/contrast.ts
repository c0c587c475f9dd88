import { contrastOf, luminanceOf, rgbOf, shownContrast } from "../../../platform/colours.ts";

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

/** What is taken to lie behind a transparent background: paper. */
const PAPER = "#ffffff";

/** Why a code of these colours would not be read, or undefined when it would. */
export function colourProblem({ foreground, background }: Colours): string | undefined {
  const behind = background ?? PAPER;
  if (luminanceOf(rgbOf(foreground)) > luminanceOf(rgbOf(behind))) {
    return "The foreground must be darker than the background: many readers see nothing else.";
  }
  const contrast = contrastOf(foreground, behind);
  if (contrast >= LEAST_CONTRAST) return undefined;
  const on = background === null ? "on white" : "on the background";
  return `The foreground has a contrast of ${shownContrast(contrast)} : 1 ${on}; a code needs ${LEAST_CONTRAST} : 1.`;
}

/** What may keep a code of these colours from being read, although it is allowed. */
export function colourWarnings({ foreground, background }: Colours): Warning[] {
  const warnings: Warning[] = [];
  const contrast = contrastOf(foreground, background ?? PAPER);
  if (contrast < GOOD_CONTRAST) {
    const message = `The contrast is ${shownContrast(contrast)} : 1: from ${GOOD_CONTRAST} : 1 on a code is read in poor light, too.`;
    warnings.push({ code: "low_contrast", message });
  }
  if (background === null) {
    const message =
      "The background is transparent: the code is read only on something plain and much lighter than it.";
    warnings.push({ code: "transparent_background", message });
  }
  return warnings;
}
