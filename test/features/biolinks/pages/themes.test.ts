import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PRESETS } from "../../../../src/features/biolinks/pages/theme/presets.ts";
import { resolveTheme } from "../../../../src/features/biolinks/pages/theme/resolve-theme.ts";
import { Theme } from "../../../../src/features/biolinks/pages/theme/theme.schemas.ts";
import { BUTTONS, type ThemeInput } from "../../../../src/features/biolinks/pages/theme/theme.ts";
import { themeProblems } from "../../../../src/features/biolinks/pages/theme/theme-contrast.ts";
import { themeCss } from "../../../../src/features/biolinks/pages/theme/theme-css.ts";
import { anyColour, anyTheme, IMAGE } from "../../../support/theme-arbitraries.ts";

/** WCAG 2.2's definitions of relative luminance and contrast ratio, written anew from their text. */
function luminance(rgb: number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((value) => {
    const c = value / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return r * 0.2126 + g * 0.7152 + b * 0.0722;
}
function ratio(one: number[], other: number[]): number {
  const [a, b] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return a > b ? a / b : b / a;
}
const parse = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
const blend = (from: number[], to: number[], share: number) =>
  from.map((value, index) => value * (1 - share) + (to[index] ?? 0) * share);

/** What the style sheet that browsers get says, mode by mode. */
function modesOf(css: string): Record<string, string>[] {
  return [...css.matchAll(/:root\{([^}]*)\}/g)].map(([, body = ""]) =>
    Object.fromEntries(
      [...body.matchAll(/--(\w+):([^;]+)/g)].map(([, name, value]) => [name, value]),
    ),
  );
}

/** Every colour that the page's ground can have under a text. */
function groundsOf({ bg = "", wash, veil }: Record<string, string>): number[][] {
  if (wash) {
    const stops = [...wash.matchAll(/#[0-9a-f]{6}/g)].map(([stop]) => parse(stop));
    return stops
      .slice(1)
      .flatMap((to, index) =>
        Array.from({ length: 65 }, (_, step) => blend(stops[index] ?? to, to, step / 64)),
      );
  }
  if (!veil) return [parse(bg)];
  const share = Number(veil.split("/")[1]?.replace(")", ""));
  return [0, 16, 64, 118, 190, 255].map((grey) => blend([grey, grey, grey], parse(bg), share));
}

function assertReadable(theme: ThemeInput): void {
  for (const mode of modesOf(themeCss(resolveTheme(theme)))) {
    const { ink = "", mute = "", card = "", act = "", on = "", soft, bad = "" } = mode;
    const grounds = groundsOf(mode);
    const pairs: [string, number[], number][] = [
      ...grounds.flatMap((ground): [string, number[], number][] => [
        [ink, ground, 4.5],
        [mute, ground, 4.5],
        [act, ground, 3],
      ]),
      [ink, parse(card), 4.5],
      [mute, parse(card), 4.5],
      [bad, parse(card), 4.5],
      [on, parse(act), 4.5],
      [act, parse(card), 3],
      ...(soft ? [[ink, parse(soft), 4.5] as [string, number[], number]] : []),
    ];
    // What is behind the backdrop is seen before it is there, and beyond the page's ends.
    for (const front of [ink, mute]) pairs.push([front, parse(mode.bg ?? ""), 4.5]);
    for (const [front, behind, needed] of pairs) {
      const found = ratio(parse(front), behind);
      if (found < needed) {
        throw new Error(
          `${front} on ${behind} has ${found}, not ${needed}: ${JSON.stringify(theme)}`,
        );
      }
    }
  }
}

describe("Contrast", () => {
  it("is enough in each preset, with each button, on colour, gradient and picture", () => {
    for (const { name } of PRESETS) {
      for (const button of BUTTONS) {
        for (const ground of [
          undefined,
          { type: "color" as const },
          { type: "image" as const, file: IMAGE },
        ]) {
          const theme: ThemeInput = { preset: name, button, background: ground };
          expect(themeProblems(theme)).toEqual([]);
          assertReadable(theme);
        }
      }
    }
  });

  it("of what is accepted among 10,000 themes passes WCAG's formula in the style sheet", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyTheme, (theme) => {
        if (!Theme.safeParse(theme).success) return;
        accepted++;
        assertReadable(theme);
      }),
      { numRuns: 10_000 },
    );
    expect(accepted).toBeGreaterThan(1000);
  }, 300_000);

  it("that is too low is told with pair, ratio, need and a colour that passes", () => {
    const theme = { preset: "meadow", mode: "light", colors: { text: "#b0b0b0" } };
    const { error } = Theme.safeParse(theme);
    const [issue] = error?.issues ?? [];
    expect(issue?.path).toEqual(["colors", "text"]);
    expect(issue?.message).toMatch(
      /^In light mode, text on background has a contrast of 1\.9\d : 1; 4\.5 : 1 is needed\. The nearest text that passes is #[0-9a-f]{6}\.$/,
    );
    const nearest = issue?.message.slice(-8, -1);
    expect(Theme.safeParse({ ...theme, colors: { text: nearest } }).success).toBe(true);
  });

  it("is mended by the colours that the answer names, whenever all pairs of a colour can be", () => {
    fc.assert(
      fc.property(anyColour, fc.constantFrom("text", "muted", "accent"), (colour, name) => {
        const theme: ThemeInput = { preset: "clay", mode: "dark", colors: { [name]: colour } };
        const [problem] = themeProblems(theme).filter(({ pair }) => pair[0] === name);
        if (!problem?.nearest) return;
        const mended = { ...theme, colors: { [name]: problem.nearest } };
        expect(themeProblems(mended).filter(({ pair }) => pair[0] === name)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("is judged between the stops of a gradient, not only at them", () => {
    const stops = ["#f00000", "#00a800"];
    const plain: ThemeInput = { preset: "meadow", mode: "light", colors: { text: "#000000" } };
    const problems = themeProblems({ ...plain, background: { type: "gradient", stops } });
    const text = problems.find(({ pair }) => pair[0] === "text");
    expect(Math.min(...stops.map((stop) => ratio([0, 0, 0], parse(stop))))).toBeGreaterThan(4.5);
    expect(text?.ratio).toBeLessThan(4.5);
  });
});

describe("A theme", () => {
  const refused: object[] = [
    { preset: "unknown" },
    { preset: "meadow", radius: 33 },
    { preset: "meadow", radius: -1 },
    { preset: "meadow", font: "Comic Sans" },
    { preset: "meadow", colors: { text: "red" } },
    { preset: "meadow", colors: { text: "#123" } },
    { preset: "meadow", colors: { text: "#123456;}" } },
    { preset: "meadow", colors: { link: "#123456" } },
    { preset: "meadow", background: { type: "gradient", stops: ["#ffffff"] } },
    { preset: "meadow", background: { type: "gradient", stops: Array(4).fill("#ffffff") } },
    { preset: "meadow", background: { type: "image" } },
    { preset: "meadow", background: { type: "image", file: IMAGE, scrim: 0.1 } },
    { preset: "meadow", css: "body{}" },
  ];
  it.each(refused)("%j is refused", (theme) => {
    expect(Theme.safeParse(theme).success).toBe(false);
  });

  it("may have one colour for both modes, or one for each", () => {
    const accent = { light: "#7a1fa2", dark: "#e0a6ff" };
    const on_accent = { light: "#ffffff", dark: "#1b0026" };
    expect(Theme.parse({ preset: "paper", colors: { accent, on_accent } }).colors).toEqual({
      accent,
      on_accent,
    });
    expect(Theme.safeParse({ preset: "paper", colors: { text: "#221d16" } }).success).toBe(false);
  });
});
