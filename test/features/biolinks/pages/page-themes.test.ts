import { describe, expect, it } from "vitest";
import { createPage, patchPage, readPage } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const SOMEBODY = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const WHITE = "#ffffff";

/** What is wrong with a theme, by field. */
async function errorsOf(theme: object): Promise<Record<string, string[]>> {
  const workspace = await createWorkspace();
  const { id, revision } = await createPage(workspace);
  const { status, body } = await patchPage(workspace, id, {
    theme: { preset: "meadow", ...theme },
  });
  expect(status).toBe(422);
  expect((await readPage(workspace, id)).revision).toBe(revision);
  return body.errors;
}

describe("a theme", () => {
  it.each([
    ["theme.preset", { preset: "ugly" }],
    ["theme.mode", { mode: "dim" }],
    ["theme.radius", { radius: 33 }],
    ["theme.radius", { radius: -1 }],
    ["theme.radius", { radius: 1.5 }],
    ["theme.font", { font: "Comic Sans" }],
    ["theme.button", { button: "raised" }],
    ["theme.align", { align: "end" }],
    ["theme.density", { density: "tight" }],
    ["theme.colors.text", { colors: { text: "red" } }],
    ["theme.colors.text", { colors: { text: "#123" } }],
    ["theme.colors.text", { colors: { text: "#123456;}" } }],
    ["theme.colors.link", { colors: { link: "#123456" } }],
    ["theme.background.type", { background: { type: "video" } }],
    ["theme.background.stops", { mode: "light", background: { type: "gradient", stops: [WHITE] } }],
    ["theme.background.stops", { background: { type: "gradient", stops: Array(4).fill(WHITE) } }],
    [
      "theme.background.angle",
      { mode: "light", background: { type: "gradient", stops: [WHITE, WHITE], angle: 360 } },
    ],
    ["theme.background.file", { background: { type: "image" } }],
    ["theme.background.file", { background: { type: "image", file: SOMEBODY } }],
    ["theme.background.scrim", { background: { type: "image", file: SOMEBODY, scrim: 1.1 } }],
    ["theme.css", { css: "body{}" }],
  ])("is refused with errors.%s for %j", async (field, theme) => {
    expect(Object.keys(await errorsOf(theme))).toEqual([field]);
  });

  it("that is wrong in itself is told of that alone, not of contrasts that it has not", async () => {
    const stops = ["#fff", "#000000"];
    const errors = await errorsOf({ background: { type: "gradient", stops } });
    expect(errors).toEqual({ "theme.background.stops.0": ["Must be a colour such as #1f6feb."] });
  });

  it.each([
    ["red", "text"],
    ["#123", "text"],
    [{ light: "red", dark: "#000000" }, "text.light"],
  ])("with a colour that is none is told what one looks like: %j", async (text, field) => {
    const message = "Must be a colour such as #1f6feb.";
    expect(await errorsOf({ colors: { text } })).toEqual({ [`theme.colors.${field}`]: [message] });
  });

  it.each([[5], [null], [{ light: "#000000" }], [{ light: 5, dark: 5 }]])(
    "with a colour that is neither a text nor one for each mode is told of both: %j",
    async (text) => {
      const message =
        "Must be a colour such as #1f6feb, or an object with one as `light` and one as `dark`.";
      expect(await errorsOf({ colors: { text } })).toEqual({ "theme.colors.text": [message] });
    },
  );

  it("of too low a contrast is refused with the pair, the ratio, what is needed and what passes", async () => {
    const theme = { mode: "light", colors: { text: "#b0b0b0" } };
    const [message = ""] = (await errorsOf(theme))["theme.colors.text"] ?? [];
    expect(message).toMatch(
      /^In light mode, text on background has a contrast of 1\.9\d : 1; 4\.5 : 1 is needed\. The nearest text that passes is #[0-9a-f]{6}\.$/,
    );
    const text = message.slice(-8, -1);
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    const mended = { preset: "meadow", mode: "light", colors: { text } };
    expect((await patchPage(workspace, id, { theme: mended })).status).toBe(200);
  });

  it.each([
    [
      "between the stops of a gradient",
      "theme.colors.text",
      {
        mode: "light",
        colors: { text: "#000000" },
        background: { type: "gradient", stops: ["#f00000", "#00a800"] },
      },
      /In light mode, text on gradient .* 4\.5 : 1 is needed/,
    ],
    [
      "in dark mode alone",
      "theme.colors.text",
      { preset: "paper", colors: { text: "#221d16" } },
      /In dark mode, text on .* 4\.5 : 1 is needed/,
    ],
    [
      "at the edges of controls",
      "theme.colors.accent",
      { mode: "light", colors: { accent: "#e8e8e8", on_accent: "#000000" } },
      /accent on .* 3 : 1 is needed/,
    ],
    [
      "of quiet texts on cards",
      "theme.colors.muted",
      { mode: "light", colors: { muted: "#9a9a9a" } },
      /In light mode, muted on surface .* 4\.5 : 1 is needed/,
    ],
    [
      "of texts on cards of their own colour",
      "theme.colors.text",
      { mode: "dark", colors: { background: "#000000", surface: "#dddddd", text: "#f0f0f0" } },
      /In dark mode, text on surface .* 4\.5 : 1 is needed/,
    ],
    [
      "of a button's words",
      "theme.colors.on_accent",
      { mode: "light", colors: { accent: "#1f6feb", on_accent: "#9fc0ff" } },
      /In light mode, on_accent on accent .* 4\.5 : 1 is needed/,
    ],
    [
      "at the third stop of a gradient",
      "theme.colors.text",
      {
        mode: "light",
        colors: { text: "#111111" },
        background: { type: "gradient", stops: [WHITE, WHITE, "#202020"] },
      },
      /In light mode, text on gradient .* 4\.5 : 1 is needed/,
    ],
    [
      "on a picture with too thin a scrim",
      "theme.colors.text",
      { mode: "light", background: { type: "image", file: SOMEBODY, scrim: 0.1 } },
      /In light mode, text on .* 4\.5 : 1 is needed/,
    ],
  ])("is judged %s", async (_, field, theme, message) => {
    const errors = await errorsOf(theme);
    expect(errors[field]?.join("\n")).toMatch(message);
  });
});
