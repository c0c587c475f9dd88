import { hexOf, mix, rgbOf } from "../../../../platform/colours.ts";
import {
  type Backdrop,
  gradientBackdrop,
  nearestPassing,
  pictureBackdrop,
  plainBackdrop,
  worstContrast,
} from "./backdrop.ts";
import { findPreset } from "./presets.ts";
import {
  COLOURS,
  type ModalColour,
  type ModeName,
  type Palette,
  type Shape,
  type ThemeInput,
} from "./theme.ts";

/** Least contrast of texts, and of the edges of controls. */
export const TEXT_CONTRAST = 4.5;
export const EDGE_CONTRAST = 3;
/** How much accent is in a soft button. */
const SOFTNESS = 0.13;
/** A card's edge is no control's: it only has to be felt. */
const HAIR = 0.1;
const RED = "#d92d20";

/** All colours of one mode: those that a theme names, and those that follow from them. */
export interface ModeColours extends Palette {
  /** What lies behind what stands on no surface. */
  backdrop: Backdrop;
  stops: string[];
  /** Of `background` over a picture; 1 if there is none. */
  scrim: number;
  soft: string;
  hair: string;
  /** Faults in forms. */
  fault: string;
}

export interface ResolvedTheme extends Shape {
  mode: "auto" | ModeName;
  /** One for each mode that visitors may see. */
  modes: Partial<Record<ModeName, ModeColours>>;
}

/** A theme with all that its preset gives. It may still have too little contrast. */
export function resolveTheme(theme: ThemeInput): ResolvedTheme {
  const preset = findPreset(theme.preset);
  const given = Object.fromEntries(
    Object.entries(theme).filter(([, value]) => value !== undefined),
  );
  const shape: Shape = { ...preset, ...given };
  const mode = theme.mode ?? "auto";
  const shown: ModeName[] = mode === "auto" ? ["light", "dark"] : [mode];
  const modes = Object.fromEntries(
    shown.map((name) => [name, coloursOf(theme, { ...preset[name] }, shape, name)]),
  );
  const { background, button, radius, font, align, density } = shape;
  return { background, button, radius, font, align, density, mode, modes };
}

function coloursOf(
  { colors = {} }: ThemeInput,
  palette: Palette,
  { background }: Shape,
  mode: ModeName,
): ModeColours {
  for (const name of COLOURS) palette[name] = inMode(colors[name], mode) ?? palette[name];
  const stops =
    background.type === "gradient" ? background.stops.map((stop) => inMode(stop, mode) ?? "") : [];
  const scrim = background.type === "image" ? (background.scrim ?? leastScrim(palette)) : 1;
  const { surface, accent, text } = palette;
  return {
    ...palette,
    stops,
    scrim,
    backdrop:
      stops.length > 0 ? gradientBackdrop(stops) : pictureBackdrop(palette.background, scrim),
    soft: mixed(surface, accent, SOFTNESS),
    hair: mixed(surface, text, HAIR),
    fault: nearestPassing(RED, [{ behind: plainBackdrop(surface), needed: TEXT_CONTRAST }]) ?? text,
  };
}

/** As little as lets texts and edges be read on any picture, in hundredths; some is always seen. */
function leastScrim({ background, text, muted, accent }: Palette): number {
  for (let hundredths = 50; hundredths < 100; hundredths++) {
    const behind = pictureBackdrop(background, hundredths / 100);
    const passes =
      Math.min(worstContrast(text, behind), worstContrast(muted, behind)) >= TEXT_CONTRAST &&
      worstContrast(accent, behind) >= EDGE_CONTRAST;
    if (passes) return hundredths / 100;
  }
  return 1;
}

function inMode(colour: ModalColour | undefined, mode: ModeName): string | undefined {
  return typeof colour === "object" ? colour[mode] : colour;
}

function mixed(under: string, over: string, share: number): string {
  return hexOf(mix(rgbOf(under), rgbOf(over), share));
}
