import fc from "fast-check";
import { PRESETS } from "../../src/features/biolinks/pages/theme/presets.ts";
import { BUTTONS, type ThemeInput } from "../../src/features/biolinks/pages/theme/theme.ts";

/** A picture's id. */
export const IMAGE = "01930000-0000-7000-8000-000000000001";

export const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((n) => `#${n.toString(16).padStart(6, "0")}`);
const shade = (low: number, high: number) =>
  fc
    .tuple(...[0, 1, 2].map(() => fc.integer({ min: low, max: high })))
    .map((rgb) => `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`);
const [dark, deep, light] = [shade(0, 70), shade(0, 140), shade(170, 255)];

/** Half of them sensible enough to be accepted often, the others anything. */
const palette = fc.oneof(
  fc.record({
    background: light,
    surface: light,
    text: dark,
    muted: deep,
    accent: deep,
    on_accent: light,
  }),
  fc.record({
    background: dark,
    surface: dark,
    text: light,
    muted: light,
    accent: light,
    on_accent: dark,
  }),
  fc.record(
    {
      background: anyColour,
      surface: anyColour,
      text: anyColour,
      muted: anyColour,
      accent: anyColour,
      on_accent: anyColour,
    },
    { requiredKeys: [] },
  ),
);
const background = fc.oneof(
  fc.constant({ type: "color" as const }),
  fc.record({
    type: fc.constant("gradient" as const),
    stops: fc.oneof(
      fc.array(light, { minLength: 2, maxLength: 3 }),
      fc.array(dark, { minLength: 2, maxLength: 3 }),
      fc.array(anyColour, { minLength: 2, maxLength: 3 }),
    ),
  }),
  fc.record({ type: fc.constant("image" as const), file: fc.constant(IMAGE) }),
  fc.record({
    type: fc.constant("image" as const),
    file: fc.constant(IMAGE),
    scrim: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);
/** Presets with changes, of which some are accepted. */
export const anyTheme: fc.Arbitrary<ThemeInput> = fc.record(
  {
    preset: fc.constantFrom(...PRESETS.map(({ name }) => name)),
    mode: fc.constantFrom("auto", "light", "dark"),
    colors: palette,
    background,
    button: fc.constantFrom(...BUTTONS),
  },
  { requiredKeys: ["preset"] },
);
