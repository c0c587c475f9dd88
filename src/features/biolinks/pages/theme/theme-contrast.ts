import { shownContrast } from "../../../../platform/colours.ts";
import { type Backdrop, nearestPassing, plainBackdrop, worstContrast } from "./backdrop.ts";
import {
  EDGE_CONTRAST,
  type ModeColours,
  type ResolvedTheme,
  resolveTheme,
  TEXT_CONTRAST,
} from "./resolve-theme.ts";
import type { ColourName, ModeName, ThemeInput } from "./theme.ts";

interface Pair {
  front: ColourName;
  behind: ColourName | "gradient" | "picture" | "soft button";
  backdrop: Backdrop;
  needed: number;
}

export interface ContrastProblem {
  mode: ModeName;
  /** What is read or seen, and what lies behind it. */
  pair: [front: Pair["front"], behind: Pair["behind"]];
  /** WCAG's, at the worst point. */
  ratio: number;
  needed: number;
  /** The nearest colour for the first of the pair that passes; null: none does. */
  nearest: string | null;
}

/** Every pair of colours that is too close, in each mode that a visitor may see. */
export function themeProblems(theme: ThemeInput): ContrastProblem[] {
  const resolved = resolveTheme(theme);
  return Object.entries(resolved.modes).flatMap(([mode, colours]) => {
    const pairs = pairsOf(resolved, colours);
    return pairs.flatMap(({ front, behind, backdrop, needed }): ContrastProblem[] => {
      const ratio = worstContrast(colours[front], backdrop);
      if (ratio >= needed) return [];
      const nearest = nearestOf(colours[front], front, pairs, { backdrop, needed });
      return [{ mode: mode as ModeName, pair: [front, behind], ratio, needed, nearest }];
    });
  });
}

function pairsOf({ background, button }: ResolvedTheme, colours: ModeColours): Pair[] {
  const page = {
    behind: ({ color: "background", gradient: "gradient", image: "picture" } as const)[
      background.type
    ],
    backdrop: colours.backdrop,
  };
  const surface = { behind: "surface" as const, backdrop: plainBackdrop(colours.surface) };
  const accent = { behind: "accent" as const, backdrop: plainBackdrop(colours.accent) };
  const soft = { behind: "soft button" as const, backdrop: plainBackdrop(colours.soft) };
  const text = (front: ColourName, back: Omit<Pair, "front" | "needed">): Pair => ({
    front,
    ...back,
    needed: TEXT_CONTRAST,
  });
  return [
    text("text", page),
    text("text", surface),
    ...(button === "soft" ? [text("text", soft)] : []),
    text("muted", page),
    text("muted", surface),
    text("on_accent", accent),
    { front: "accent", ...page, needed: EDGE_CONTRAST },
    { front: "accent", ...surface, needed: EDGE_CONTRAST },
  ];
}

/** One that mends every pair in which the colour stands, else one that mends this pair. */
function nearestOf(
  colour: string,
  front: ColourName,
  pairs: Pair[],
  { backdrop, needed }: Pick<Pair, "backdrop" | "needed">,
): string | null {
  const needs = pairs
    .filter((pair) => pair.front === front)
    .map((pair) => ({ behind: pair.backdrop, needed: pair.needed }));
  return nearestPassing(colour, needs) ?? nearestPassing(colour, [{ behind: backdrop, needed }]);
}

/** A problem as a 422 tells it. */
export function describeProblem(problem: ContrastProblem): { path: string[]; message: string } {
  const { mode, pair, ratio, needed, nearest } = problem;
  const [front, behind] = pair;
  const help = nearest
    ? `The nearest ${front} that passes is ${nearest}.`
    : `No ${front} passes: change what lies behind it.`;
  return {
    path: ["colors", front],
    message: `In ${mode} mode, ${front} on ${behind} has a contrast of ${shownContrast(ratio)} : 1; ${needed} : 1 is needed. ${help}`,
  };
}
