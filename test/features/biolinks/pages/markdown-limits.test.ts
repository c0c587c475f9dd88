import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { markdown } from "../../../../src/features/biolinks/pages/markup/markdown.ts";
import { markdownProblem } from "../../../../src/features/biolinks/pages/markup/markdown-limits.ts";
import { postPage } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const LENGTH = 5000;
const MOST_WORK = 6_000_000;
const NESTING = ["* - ", "1) ", "> - ", "> ", "+ ", ">> 1. - "];
const MARKS = [
  "*a_ ",
  "*_",
  "[",
  "[a](b (",
  "[a]: b (\n",
  "```\\",
  "\n=",
  "\n",
  "\n- a",
  "<a:",
  "&a",
];

afterEach(() => vi.restoreAllMocks());

function filled(unit: string): string {
  return unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
}

/** What drawing a text takes: the characters that are read, again and again, and the list entries moved. */
function workOf(text: string): number {
  let work = 0;
  const { charCodeAt } = String.prototype;
  const { splice } = Array.prototype;
  vi.spyOn(String.prototype, "charCodeAt").mockImplementation(function (this: string, at) {
    work++;
    return charCodeAt.call(this, at);
  });
  vi.spyOn(Array.prototype, "splice").mockImplementation(function (
    this: unknown[],
    ...moved: unknown[]
  ) {
    work += this.length;
    return Reflect.apply(splice, this, moved);
  });
  markdown(text);
  vi.restoreAllMocks();
  return work;
}

describe("Markdown that would take long to parse", () => {
  it.each([...NESTING, ...MARKS])("%j, again and again, is refused, and never parsed", (unit) => {
    const text = `${filled(unit)}b`;
    expect(markdownProblem(text)).toMatch(/lists and quotes|too many lines/);
    expect(workOf(text)).toBeLessThan(2 * LENGTH);
    expect(markdown(`<b>${text}`).text).toMatch(/^<p>&lt;b&gt;/);
  });

  it.each([
    ["blocks.0.settings.text", { type: "text", settings: { text: filled("* - ") } }],
    [
      "blocks.0.settings.items.0.answer",
      {
        type: "faq",
        settings: { items: [{ question: "a", answer: filled("*a_ ").slice(0, 2000) }] },
      },
    ],
  ])("is refused with errors.%s", async (field, block) => {
    const { status, body } = await postPage(await createWorkspace(), { blocks: [block] });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  });

  it("is counted line by line, too", () => {
    expect(markdownProblem(`${"- ".repeat(10)}a\n`.repeat(227))).toMatch(/too many lines/);
  });

  it("is none of what people write", () => {
    const list = "- **Dishwasher** safe, see [how](https://example.com/care)\n".repeat(40);
    const nested = ["> 1. - a", "* * * * * * * * * * * * * * *", "-".repeat(80), "1. ", ">>> a"];
    for (const text of [list, ...nested, "a\n\n".repeat(120), "2 * 3 * 4 - 5 ".repeat(100)]) {
      expect(markdownProblem(text)).toBeUndefined();
    }
  });

  it("is all of it: whatever is not refused is bounded in what it takes", () => {
    const signs = '* ** _ ` `` ``` [ ] ( ) < > - + 1. 1) # = ~ & : \\ | " ! a \t \n'.split(" ");
    const unit = fc.array(
      fc.constantFrom(...signs, " ", "\n\n", "    ", "](b (", ']: b "', " word"),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(
        unit,
        fc.nat({ max: LENGTH }),
        fc.constantFrom(" word", "*", "`"),
        (pieces, most, rest) => {
          const marks = filled(pieces.join("")).slice(0, most);
          const text = (marks + filled(rest)).slice(0, LENGTH);
          expect(workOf(text)).toBeLessThan(MOST_WORK);
        },
      ),
      { numRuns: 200 },
    );
  });
});
