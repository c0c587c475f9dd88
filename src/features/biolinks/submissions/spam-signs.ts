import type { FormField } from "../pages/blocks/form-settings.ts";
import type { Answers } from "./submissions.schemas.ts";

/** More than these are what advertising looks like. */
const MAX_LINKS = 3;
const LINK = /https?:\/\/|(?<![\w./])www\./gi;
/** Scripts that put no blanks between words. */
const WITHOUT_BLANKS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
/** Marks too: in many scripts a vowel is one, and a word goes on after it. */
const LETTER = "[\\p{L}\\p{Mn}\\p{Mc}\\p{N}]";
/** What two people do not write alike by chance, as they would choose the same options. */
const PERSONAL: ReadonlySet<string> = new Set(["text", "textarea", "email", "phone"]);

export function hasManyLinks(answers: Answers): boolean {
  return (textOf(answers).match(LINK)?.length ?? 0) > MAX_LINKS;
}

/** Whether an answer has one of the words, in any case, not as a part of another word. */
export function hasBlockedWord(answers: Answers, words: readonly string[] = []): boolean {
  const text = plain(textOf(answers));
  return words.some((word) => {
    const wanted = plain(word);
    // Of a word that nobody sees nothing is left: it would be everywhere.
    if (wanted === "") return false;
    if (WITHOUT_BLANKS.test(word)) return text.includes(wanted);
    const escaped = wanted.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return new RegExp(`(?<!${LETTER})${escaped}(?!${LETTER})`, "u").test(text);
  });
}

/** Whether the same answers once more are the same sender's. */
export function isPersonal(fields: readonly FormField[], answers: Answers): boolean {
  return fields.some(({ id, type }) => PERSONAL.has(type) && answers[id] !== undefined);
}

function textOf(answers: Answers): string {
  return Object.values(answers)
    .flat()
    .filter((answer) => typeof answer === "string")
    .join("\n");
}

function plain(text: string): string {
  // What is not seen, also behind an emoji, hides no word.
  const seen = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC");
  // The Turkish capital becomes an i with a dot of its own above it.
  const lower = seen.toLowerCase().replaceAll("i\u0307", "i");
  return lower.replaceAll(/\s+/g, " ").trim();
}
