/** What a visitor sent to a form, judged by its fields as they were published. */
import { z } from "zod";
import { isStorable } from "../../../api/text.ts";
import { countCharacters } from "../../../platform/characters.ts";
import { asCompared } from "../pages/blocks/form-options.ts";
import { DEFAULT_MAX_LENGTHS, type FormField } from "../pages/blocks/form-settings.ts";
import type { FormWords } from "../pages/markup/form-words.ts";
import type { Answer, Answers } from "./submissions.schemas.ts";

/** By the names of inputs: a form may send a name more than once. */
export type Posted = Readonly<Record<string, readonly unknown[]>>;

export interface Problem {
  word: keyof FormWords;
  /** What stands for `{n}`. */
  n?: number;
}

export interface JudgedAnswers {
  /** Of what is wrong a text that can be stored: spam is kept as it came. */
  answers: Answers;
  problems: Record<string, Problem>;
}

const MAX_EMAIL = 254;
const MAX_PHONE = 40;
const MAX_HIDDEN = 500;
const MAX_SHORT = 120;
const Email = z.email().max(MAX_EMAIL);
const PHONE = /^\+?\(?[0-9][0-9 ()./-]*$/;
/** How programs set the blanks and hyphens of a number, so that no line ends within it. */
const SET_BLANK = /[\u00a0\u2007\u202f]/g;
const SET_HYPHEN = /[\u2010-\u2015]/g;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TICKED: ReadonlySet<unknown> = new Set(["yes", "on", "true", "1", true]);

export function isEmail(text: string): boolean {
  return Email.safeParse(text).success;
}

/** A telephone number, its blanks and hyphens as keyboards have them; undefined: it is none. */
export function readPhone(text: string): string | undefined {
  const plain = text.replaceAll(SET_BLANK, " ").replaceAll(SET_HYPHEN, "-");
  return plain.length <= MAX_PHONE && PHONE.test(plain) ? plain : undefined;
}

export function judgeAnswers(fields: readonly FormField[], posted: Posted): JudgedAnswers {
  // Without a prototype: a field may be called `constructor`, which every other object has.
  const judged: JudgedAnswers = { answers: Object.create(null), problems: Object.create(null) };
  for (const field of fields) {
    const { answer, problem } = judge(field, posted[field.id] ?? []);
    if (answer !== undefined) judged.answers[field.id] = answer;
    if (problem) judged.problems[field.id] = problem;
  }
  return judged;
}

interface Judged {
  answer?: Answer;
  problem?: Problem | undefined;
}

function judge(field: FormField, given: readonly unknown[]): Judged {
  if (field.type === "checkbox" || field.type === "consent") {
    const answer = given.some((value) => TICKED.has(value));
    return { answer, problem: field.required && !answer ? { word: "tick" } : undefined };
  }
  if (field.type === "multi_select") return judgeChoices(field, given);
  const [first] = given;
  const isText = first === undefined || ["string", "number", "boolean"].includes(typeof first);
  const max = maxLengthOf(field);
  const sent = String(
    first === undefined && field.type === "hidden" ? (field.value ?? "") : (first ?? ""),
  );
  const text = sent.replaceAll("\r\n", "\n").trim();
  if (!isText) return { problem: { word: "text" } };
  if (text === "") return { problem: field.required ? { word: "required" } : undefined };
  const kept = storable(text, max);
  if (!isStorable(text)) return { answer: kept, problem: { word: "text" } };
  if (countCharacters(text) > max) return { answer: kept, problem: { word: "long", n: max } };
  return judgeText(field, kept);
}

function judgeText({ type, options }: FormField, text: string): Judged {
  switch (type) {
    case "email":
      return { answer: text, problem: isEmail(text) ? undefined : { word: "email" } };
    case "phone": {
      const phone = readPhone(text);
      return phone === undefined ? { answer: text, problem: { word: "phone" } } : { answer: phone };
    }
    case "number": {
      const number = readNumber(text);
      return number === undefined
        ? { answer: text, problem: { word: "number" } }
        : { answer: number };
    }
    case "date":
      return { answer: text, problem: isDate(text) ? undefined : { word: "date" } };
    case "select": {
      const option = optionsOf(options).get(asCompared(text));
      return option === undefined
        ? { answer: text, problem: { word: "option" } }
        : { answer: option };
    }
    default:
      return { answer: text };
  }
}

/** In the order of the options, each once. */
function judgeChoices({ options, required }: FormField, given: readonly unknown[]): Judged {
  const sent = given.filter((value) => value !== "");
  const chosen = new Set(
    sent.map((value) => (typeof value === "string" ? asCompared(value) : value)),
  );
  const answer = [...optionsOf(options)].flatMap(([text, option]) =>
    chosen.has(text) ? [option] : [],
  );
  if (answer.length < chosen.size) return { answer, problem: { word: "option" } };
  if (answer.length > 0) return { answer };
  return { problem: required ? { word: "required" } : undefined };
}

/** As they were published, by what is compared of them. */
function optionsOf(options: readonly string[] = []): Map<string, string> {
  return new Map(options.map((option) => [asCompared(option), option]));
}

function maxLengthOf({ type, max_length }: FormField): number {
  switch (type) {
    case "text":
    case "textarea":
      return max_length ?? DEFAULT_MAX_LENGTHS[type];
    case "email":
      return MAX_EMAIL;
    case "phone":
      return MAX_PHONE;
    case "hidden":
      return MAX_HIDDEN;
    default:
      return MAX_SHORT;
  }
}

/** A number as it is kept; undefined: it is none, or would lose digits before its point. */
function readNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) return undefined;
  // Who writes an exponent says few digits.
  const isKept = Math.abs(number) <= Number.MAX_SAFE_INTEGER || /e/i.test(text);
  return isKept ? number : undefined;
}

function isDate(text: string): boolean {
  const time = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text);
}

/** What the database gives back as it was, of at most so many characters. */
function storable(text: string, max: number): string {
  if (text.length <= max && isStorable(text)) return text;
  return [...text.toWellFormed().replaceAll("\0", "\u{FFFD}")].slice(0, max).join("");
}
