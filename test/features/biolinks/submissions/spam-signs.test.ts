import { describe, expect, it } from "vitest";
import { hasBlockedWord } from "../../../../src/features/biolinks/submissions/spam-signs.ts";

describe("a blocked word", () => {
  it.each([
    ["casino", "Win at the CASINO!", true],
    ["casino", "the casinos", false],
    ["casino", "thecasino", false],
    ["free money", "Free\n  money", true],
    ["a.b", "axb", false],
    // A vowel sign makes another word of it, as a letter would.
    ["काम", "मेरा काम।", true],
    ["काम", "कामी", false],
    ["काम", "कामना", false],
    ["שלום", "שלום לך", true],
    ["istanbul", "İSTANBUL", true],
    ["İstanbul", "in istanbul now", true],
    ["casino", "\u2764\ufe0fcasino", true],
    ["casino", "1\ufe0f\u20e3casino!", true],
    ["casino", "cas\u200bino\u034f", true],
    ["caf\u00e9", "cafe\u034f\u0301", true],
    ["\u200b", "Hi, there!", false],
    ["賭場", "線上賭場優惠", true],
  ])("%s in %j: %s", (word, wish, isThere) => {
    expect(hasBlockedWord({ wish }, [word])).toBe(isThere);
  });
});
