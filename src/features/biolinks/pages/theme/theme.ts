export const MODES = ["auto", "light", "dark"] as const;
export const BUTTONS = ["fill", "outline", "soft"] as const;
export const FONTS = ["system", "serif", "mono", "rounded"] as const;
export const DENSITIES = ["compact", "regular", "spacious"] as const;
export const COLOURS = ["background", "surface", "text", "muted", "accent", "on_accent"] as const;

export type ColourName = (typeof COLOURS)[number];
export type ModeName = "light" | "dark";
/** `#rrggbb` for both modes, or one for each. */
export type ModalColour = string | { light: string; dark: string };
export type Palette = Record<ColourName, string>;

export type ThemeBackground =
  | { type: "color" }
  | { type: "gradient"; stops: readonly ModalColour[]; angle?: number | undefined }
  | { type: "image"; file: string; scrim?: number | undefined };

/** What does not depend on the mode. */
export interface Shape {
  background: ThemeBackground;
  button: (typeof BUTTONS)[number];
  /** Pixels. */
  radius: number;
  font: (typeof FONTS)[number];
  align: "start" | "center";
  density: (typeof DENSITIES)[number];
}

/** A theme as it is stored: what is left out is the preset's. */
export type ThemeInput = {
  preset: string;
  mode?: (typeof MODES)[number] | undefined;
  colors?: { [Name in ColourName]?: ModalColour | undefined } | undefined;
} & { [Key in keyof Shape]?: Shape[Key] | undefined };

export interface Preset extends Shape {
  name: string;
  description: string;
  light: Palette;
  dark: Palette;
}
