import { rgbOf } from "../../../../platform/colours.ts";
import type { ModeColours, ResolvedTheme } from "./resolve-theme.ts";
import type { ModeName, Shape } from "./theme.ts";

const FONT_STACKS: Record<Shape["font"], string> = {
  system: "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif",
  serif: "ui-serif,'Iowan Old Style',Charter,'Palatino Linotype',Georgia,serif",
  mono: "ui-monospace,SFMono-Regular,'Cascadia Mono',Menlo,Consolas,monospace",
  rounded:
    "ui-rounded,'SF Pro Rounded','Hiragino Maru Gothic ProN',Nunito,Quicksand,system-ui,sans-serif",
};

/** Gap between blocks, height of a button, room above and below, in rem. */
const DENSITY: Record<Shape["density"], [gap: number, button: number, edge: number]> = {
  compact: [0.625, 3, 2],
  regular: [0.875, 3.5, 3],
  spacious: [1.125, 4, 4],
};

/** The custom properties of a theme. Numbers and `#rrggbb` only: no text of a person's. */
export function themeCss(theme: ResolvedTheme): string {
  const { light, dark } = theme.modes;
  const [gap, button, edge] = DENSITY[theme.density];
  const shape = `--r:${theme.radius}px;--gap:${gap}rem;--tall:${button}rem;--edge:${edge}rem;--font:${FONT_STACKS[theme.font]}`;
  const first = light ?? dark;
  const scheme = light && dark ? "light dark" : light ? "light" : "dark";
  const root = `:root{color-scheme:${scheme};${shape}${first ? `;${colourCss(theme, first)}` : ""}}`;
  if (!light || !dark) return root;
  return `${root}@media(prefers-color-scheme:dark){:root{${colourCss(theme, dark)}}}`;
}

function colourCss({ background, button }: ResolvedTheme, colours: ModeColours): string {
  const { stops, scrim } = colours;
  const angle = background.type === "gradient" ? (background.angle ?? 180) : 180;
  const veil = scrim < 1 ? `;--veil:rgb(${rgbOf(colours.background).join(" ")}/${scrim})` : "";
  const gradient =
    stops.length > 0 ? `;--wash:linear-gradient(${angle}deg,${stops.join(",")})` : "";
  const soft = button === "soft" ? `;--soft:${colours.soft}` : "";
  // Before a gradient is there, and beyond the page's ends where a finger drags it, texts stand on this.
  const behind = stops[0] ?? colours.background;
  return `--bg:${behind};--card:${colours.surface};--ink:${colours.text};--mute:${colours.muted};--act:${colours.accent};--on:${colours.on_accent};--hair:${colours.hair};--bad:${colours.fault}${soft}${veil}${gradient}`;
}

/** The colour of the browser's own bars, in the head. */
export function barColours(theme: ResolvedTheme): [ModeName, string][] {
  return Object.entries(theme.modes).map(([mode, { background, stops }]) => [
    mode as ModeName,
    stops[0] ?? background,
  ]);
}
