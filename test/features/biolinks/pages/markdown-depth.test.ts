import { describe, expect, it } from "vitest";
import { markdown } from "../../../../src/features/biolinks/pages/markup/markdown.ts";
import { markdownProblem } from "../../../../src/features/biolinks/pages/markup/markdown-limits.ts";

/** Each list an item of the one before. */
function lists(depth: number, word = (at: number) => `word${at}`): string {
  return Array.from({ length: depth }, (_, at) => `${"  ".repeat(at)}- ${word(at)}`).join("\n");
}

/** The words that are read: tags stand between them as line ends do, but for those of a word's looks. */
function wordsIn(markup: string): string[] {
  const text = markup
    .replaceAll(/<\/?(?:em|strong|a|code)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ");
  return text.split(/\s+/).filter(Boolean);
}

describe("What is nested deeper than is drawn", () => {
  it.each([5, 9, 10, 11, 12, 20, 60])("keeps its words in %i lists in each other", (depth) => {
    const text = lists(depth);
    expect(markdownProblem(text)).toBeUndefined();
    const { text: markup } = markdown(text);
    expect(wordsIn(markup)).toEqual(Array.from({ length: depth }, (_, at) => `word${at}`));
    expect(markup.match(/<ul>/g)?.length).toBeLessThanOrEqual(10);
  });

  it("keeps words that look otherwise, lead somewhere, or are broken into lines", () => {
    const word = () => "a**b**c*d* [e](https://example.com)`f` g  h";
    const { text } = markdown(lists(14, word));
    expect(wordsIn(text)).toEqual(
      Array.from({ length: 14 }, () => ["abcd", "ef", "g", "h"]).flat(),
    );
  });

  it("keeps blocks apart: paragraphs, headings, code, quotes", () => {
    const indent = " ".repeat(28);
    const blocks = ["p\nq  \nr", "# s", "> t\n>\n> > u", "```\nv\n```", "1. w\n2. x", "y"];
    const deep = blocks.join("\n\n").replaceAll(/^(?=.)/gm, indent);
    const text = `${lists(14, () => "o")}\n\n${deep}\n\nafter`;
    expect(wordsIn(markdown(text).text)).toEqual([..."o".repeat(14), ..."pqrstuvwxy", "after"]);
  });

  it.each([
    ["quotes", `${"> ".repeat(10)}word`, ["word"]],
    [
      "lists on a line",
      `${"- ".repeat(10)}word\n${" ".repeat(20)}${"- ".repeat(10)}other`,
      ["word", "other"],
    ],
    [
      "lists of quotes",
      `${"- > ".repeat(5)}word\n${"  > ".repeat(5)}${"- ".repeat(5)}other`,
      ["word", "other"],
    ],
    ["emphasis", `${"*a **b ".repeat(12)}c${"** *".repeat(12)}`, undefined],
  ])("keeps the words of %s", (_name, text, expected) => {
    const all = text
      .replaceAll(/[*>]|- /g, " ")
      .split(/\s+/)
      .filter(Boolean);
    expect(wordsIn(markdown(text).text.replaceAll("*", " "))).toEqual(expected ?? all);
  });

  it("has items, and nothing else, in its lists", () => {
    for (let depth = 1; depth < 20; depth++) {
      for (const before of ["", "> ", "> > "]) {
        const text = lists(depth).replaceAll(/^/gm, before);
        expect(markdown(text).text).not.toMatch(/<[uo]l[^>]*>(?!<li>)|<\/li>(?!<li>|<\/[uo]l>)/);
      }
    }
  });

  it("stays text", () => {
    const { text } = markdown(lists(14, () => "<b>&amp;"));
    expect(text).not.toContain("<b>");
    expect(text.match(/&lt;b&gt;&amp;/g)).toHaveLength(14);
  });
});
