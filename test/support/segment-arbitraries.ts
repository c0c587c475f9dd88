import fc from "fast-check";
import type { OracleRule, OracleSegment } from "./segment-oracle.ts";

export const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const DAY = 86_400_000;

const UNITS = ["hours", "days", "weeks", "months"];
const CHANNELS = ["whatsapp", "sms", "email", "webchat"];
const COUNTRIES = ["GB", "IE", "DE", "gb"];
const LANGUAGES = ["en", "EN", "en-GB", "en-gb", "de"];
const STATUSES = ["active", "opted_out", "blocked"];
/** What breaks queries that are glued together, or count characters in another way. */
const WORDS = [
  "Ada",
  "ADA",
  "ada@",
  "a",
  "'; --",
  '"',
  "%",
  "_",
  "\\",
  "Ümit",
  "ümit",
  "👩‍👧",
  "👩",
  "x y",
  "?2",
];
const CUSTOM_KEYS = ["plan", "seats", "k-1"];

const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const word = oneOf(WORDS);
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(""));
const number = fc.oneof(fc.integer({ min: -2, max: 3 }), oneOf([0.5, 1.0, -0, 2 ** 53]));
/** What a careless comparison takes for one another. */
const nearlyBoolean = oneOf([true, false, 1, 0, "true", "false"]);
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 });
/** Days before now, and a millisecond around a few of them. */
const moment = fc
  .tuple(fc.integer({ min: 0, max: 40 }), oneOf([0, 0, -1, 1, 3_600_000, 43_200_000]))
  .map(([days, offset]) => new Date(Math.min(NOW, NOW - days * DAY + offset)).toISOString());

/** A contact as `POST /contacts` takes it. */
export function contactInput(tags: string[], stages: string[]) {
  const contact = fc.record({
    name: orNull(phrase),
    email: orNull(oneOf(["ada@example.com", "Ada@Example.COM", "g@x.io"])),
    phone: orNull(oneOf(["+441", "+4412"])),
    channel: orNull(oneOf(CHANNELS)),
    stage: orNull(oneOf(stages)),
    tags: fc.subarray(tags),
    country: orNull(oneOf(COUNTRIES)),
    language: orNull(oneOf(LANGUAGES)),
    custom: fc.dictionary(
      oneOf(CUSTOM_KEYS),
      fc.oneof(phrase, number, nearlyBoolean, fc.constant("")),
      { maxKeys: 3 },
    ),
    status: oneOf(STATUSES),
    last_active_at: orNull(moment),
    last_inbound_at: orNull(moment),
  });
  const isKnown = ({ name, email, phone }: { [Field in "name" | "email" | "phone"]: unknown }) =>
    [name, email, phone].some((value) => value !== null);
  return contact.filter(isKnown);
}

const time = fc.oneof(
  moment,
  moment.map((at) => at.slice(0, 10)),
);
const times = fc
  .tuple(time, time)
  .map((pair) => pair.sort((a, b) => Date.parse(a) - Date.parse(b)));
const numbers = fc.tuple(number, number).map((pair) => pair.sort((a, b) => a - b));
const span = fc.record({ n: fc.integer({ min: 1, max: 40 }), unit: oneOf(UNITS) });

function rulesOf(
  fields: string[],
  operators: [string[], fc.Arbitrary<unknown>][],
): fc.Arbitrary<OracleRule> {
  const empty: [string[], fc.Arbitrary<unknown>] = [
    ["is_empty", "is_not_empty"],
    fc.constant(undefined),
  ];
  return fc.oneof(
    ...[...operators, empty].map(([ops, value]) =>
      fc.record({ field: oneOf(fields), op: oneOf(ops), value }),
    ),
  );
}

function choice(field: string, values: string[]) {
  const one = oneOf(values);
  return rulesOf(
    [field],
    [
      [["eq", "neq"], one],
      [["in", "not_in"], fc.array(one, { minLength: 1, maxLength: 3 })],
    ],
  );
}

/** A rule that the sanitiser keeps, of any field and operator there is. */
export function validRule(tags: string[], stages: string[]): fc.Arbitrary<OracleRule> {
  const custom = CUSTOM_KEYS.map((key) => `custom.${key}`);
  const textual = ["eq", "neq", "contains", "not_contains", "starts_with", "ends_with"];
  return fc.oneof(
    rulesOf(["name", "email", "phone", ...custom], [[textual, phrase]]),
    rulesOf(custom, [
      [["eq", "neq", "gt", "gte", "lt", "lte"], number],
      [["between"], numbers],
    ]),
    rulesOf(custom, [[["eq", "neq"], fc.boolean()]]),
    choice("channel", CHANNELS),
    choice("country", COUNTRIES),
    choice("language", LANGUAGES),
    choice("status", STATUSES),
    choice("stage", stages),
    rulesOf(
      ["tags"],
      [[["has_any", "has_all", "has_none"], fc.array(oneOf(tags), { minLength: 1, maxLength: 3 })]],
    ),
    rulesOf(
      ["created_at", "updated_at", "last_active_at", "last_inbound_at"],
      [
        [["before", "after"], time],
        [["between"], times],
        [["within_last", "more_than_ago"], span],
      ],
    ),
  );
}

const match = oneOf(["all", "any"]);

export function conditionsOf(rule: fc.Arbitrary<unknown>) {
  const group = fc.record({ match, rules: fc.array(rule, { minLength: 1, maxLength: 4 }) });
  return fc.record({ match, groups: fc.array(group, { minLength: 1, maxLength: 3 }) });
}

/** A segment as `POST /segments` takes it. */
export function segmentInput(tags: string[], stages: string[]): fc.Arbitrary<OracleSegment> {
  const conditions = conditionsOf(validRule(tags, stages)) as fc.Arbitrary<
    NonNullable<OracleSegment["conditions"]>
  >;
  return fc
    .record({
      stage: fc.option(oneOf(stages), { freq: 2 }),
      include: fc.subarray(tags, { maxLength: 2 }),
      exclude: fc.subarray(tags, { maxLength: 1 }),
      some: oneOf([0, 0, 1, 2]),
      min_days_inactive: fc.option(fc.integer({ min: 0, max: 40 }), { freq: 2 }),
      conditions: fc.option(conditions, { freq: 10 }),
    })
    .map(({ include, exclude, some, ...segment }) => ({
      // Mostly the rules decide: with a stage and tags besides, few segments select anybody.
      ...segment,
      stage: some === 1 ? segment.stage : null,
      min_days_inactive: some === 1 ? segment.min_days_inactive : null,
      include_tags: some === 2 ? include : [],
      exclude_tags: some === 2 ? exclude.filter((tag) => !include.includes(tag)) : [],
    }));
}
