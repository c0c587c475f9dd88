import { z } from "@hono/zod-openapi";
import { optional, withDefault } from "../../../api/blank.ts";
import { queryInteger } from "../../../api/query-values.ts";
import { Time } from "../../../api/times.ts";
import { ANALYTICS_META, ANALYTICS_ROW, REALTIME } from "./analytics.examples.ts";
import {
  allOf,
  type FilterValues,
  MAX_LENGTH,
  MAX_VALUES,
  NONE,
  readFilter,
} from "./filter-values.ts";
import { COUNTS, type Dimension, PROPERTIES, SUBJECTS, TOLD_APART } from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";
import { findTimeZone, INTERVALS } from "./time-buckets.ts";
import { type Bound, DEFAULT_PERIOD, KEPT_MONTHS, PERIODS } from "./time-range.ts";

export const METRICS = ["views", "visitors", "clicks", "scans", "submissions", "ctr"] as const;
export type Metric = (typeof METRICS)[number];
export const DIMENSIONS: readonly Dimension[] = [...SUBJECTS, ...PROPERTIES];
export const MAX_LIMIT = 1000;
const KINDS = SUBJECTS.map((kind) => `\`${kind}\``).join(", ");

/** Some of a list of names, with commas between. */
function someOf<Name extends string>(names: readonly Name[], most: number) {
  return z.string().transform((text, context): Name[] => {
    const given = [...new Set(text.split(",").map((name) => name.trim()))];
    const isKnown = (name: string): name is Name => (names as readonly string[]).includes(name);
    if (given.every(isKnown) && given.length <= most) return given;
    const message = given.every(isKnown)
      ? `May be at most ${most}.`
      : `Must be of: ${names.join(", ")}, with commas between.`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

const Metrics = withDefault(someOf(METRICS, METRICS.length), [
  "views",
  "visitors",
  "clicks",
]).openapi({
  type: "string",
  description: `Of ${METRICS.join(", ")}, with commas between; rows are sorted by the first. \`visitors\`: people, once a UTC day and each link, page, block, code or product that they came to; of several, the sum. \`ctr\`: clicks on blocks for each view of a page, null without views; with one dimension at most, and none of ${KINDS} and referrer.`,
  default: "views,visitors,clicks",
  example: "clicks,visitors",
});

const TRIGGER =
  "`trigger` is how it came about: `link`, a short link's address was opened; `qr`, a QR code was scanned; `page`, a page was opened, or something on it clicked or sent in. Where a scan or a click of a block leads on to a short link, both are counted: that, and then the link's click as `link`.";

const GroupBy = optional(someOf(DIMENSIONS, 2)).openapi({
  type: "string",
  description: `At most two of ${DIMENSIONS.join(", ")}, with a comma between: a row for each of their values. Of ${KINDS} only one, and then only its own hits are counted. \`domain\` is a custom domain's host, null the platform's. ${TRIGGER}`,
  example: "country",
});

const TimeZone = withDefault(
  z.string().transform((name, context) => {
    const zone = findTimeZone(name.trim());
    if (zone) return zone;
    context.addIssue({ code: "custom", message: "Must be an IANA time zone as Europe/Berlin." });
    return z.NEVER;
  }),
  "UTC",
).openapi({
  type: "string",
  description: "The IANA time zone that hours, days, weeks and months are those of.",
  default: "UTC",
  example: "America/New_York",
});

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const RangeBound = z.string().transform((text, context): Bound => {
  const given = text.trim();
  if (DAY.test(given) && z.iso.date().safeParse(given).success) return given;
  // A plus that was not percent-encoded comes as a space.
  const time = Time.safeParse(given.replace(" ", "+"));
  if (time.success) return time.data;
  const message = "Must be a day as 2026-11-01, or a time as 2026-11-01T08:00:00+01:00.";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const range = {
  from: optional(RangeBound).openapi({
    type: "string",
    description: `The begin: a day of the time zone, or a time (RFC 3339), which is rounded down to a quarter of an hour. At most ${KEPT_MONTHS} months back.`,
    example: "2026-11-01",
  }),
  to: optional(RangeBound).openapi({
    type: "string",
    description:
      "The end: a day, which is still in it, or a time, which is not, and is rounded up to a quarter of an hour. Default: now.",
    example: "2026-11-30",
  }),
  period: optional(z.enum(PERIODS)).openapi({
    description: `Instead of \`from\` and \`to\`: up to now, the present hour, day or month being one of those that are named. \`mtd\` and \`ytd\`: since the month or the year began. Default: ${DEFAULT_PERIOD}.`,
  }),
};

function filterOf(dimension: Dimension) {
  const Filter = z.string().transform((text, context): FilterValues => {
    const read = readFilter(dimension, text);
    if (typeof read !== "string") return read;
    context.addIssue({ code: "custom", message: read });
    return z.NEVER;
  });
  return optional(Filter).openapi({ type: "string", description: FILTERS[dimension] ?? FILTER });
}

const FILTER = `Up to ${MAX_VALUES} values of up to ${MAX_LENGTH} characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. \`${NONE}\`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only.`;
const FILTERS: Partial<Record<Dimension, string>> = {
  country: `\`DE,FR\`: only these; \`-US\`: all but that, those not known (\`${NONE}\`) included.`,
  referrer: `${FILTER} None is known of clicks on a page's blocks, and of visitors who came through a form for a password or a consent.`,
  domain: `Hosts of custom domains, \`${NONE}\` for the platform's. With a minus before each: all but those.`,
  device: `${allOf("device")}, with commas between, or with a minus before each: all but those. \`${NONE}\`: where it is not known.`,
  language: `Languages without their country: \`de\`; \`de-DE\` is taken as \`de\`. With commas between, or with a minus before each: all but those. \`${NONE}\`: where it is not known.`,
  trigger: `${allOf("trigger")}, with commas between, or with a minus before each: all but those. \`${NONE}\`: counted by a version of Signpost that did not tell it yet. ${TRIGGER}`,
  ...Object.fromEntries(
    SUBJECTS.map((subject) => [
      subject,
      `Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds.`,
    ]),
  ),
  [TOLD_APART]:
    "Ids: only clicks that led to one of them. With a minus before each, and with `group_by=product` only: all but those. Who asks for products may name no other of what hits are of.",
};

const filters = Object.fromEntries(
  DIMENSIONS.map((dimension) => [dimension, filterOf(dimension)]),
) as Record<Dimension, ReturnType<typeof filterOf>>;

const Traffic = withDefault(z.enum(["human", "crawler", "all"]), "human").openapi({
  description:
    "Whose hits: people's, crawlers', or all, HEAD requests and prefetches among them. `visitors` are always people.",
  default: "human",
});

export const ExportQuery = z.object({
  metrics: Metrics,
  group_by: GroupBy,
  interval: optional(z.enum(INTERVALS)).openapi({
    description:
      "A row for each hour, day, week (from Monday) or month of the time zone, those without hits included. The first and the last row have only what of them is in the range; an hour ends where clocks are set.",
  }),
  ...range,
  time_zone: TimeZone,
  traffic: Traffic,
  ...filters,
  compare: optional(z.enum(["previous"])).openapi({
    description:
      "Each row also tells of the range before, as long in the time zone's calendar: with a period, the same part of the period before; else what ends at `from`. Each row with the same stretch of time in it, so that all rows together tell of all of it.",
  }),
});

export const AnalyticsQuery = ExportQuery.extend({
  limit: withDefault(queryInteger(1, MAX_LIMIT), 100).openapi({
    description: "How many rows to answer at most.",
    default: 100,
  }),
  cursor: z.string().optional().openapi({
    description:
      "The `next_cursor` of the page before, with the same parameters; blank: the first page.",
  }),
});

export const ExportFileQuery = ExportQuery.extend({
  format: withDefault(z.enum(["csv", "ndjson"]), "csv").openapi({
    description: "What kind of file.",
    default: "csv",
  }),
});

export type AskedQuestion = z.output<typeof ExportQuery>;

const Start = z.iso.datetime({ offset: true }).openapi({
  description: "When it begins, with the time zone's offset at that time.",
  example: "2026-11-01T00:00:00+01:00",
});
const Amount = z.number().int().min(0).optional();
const measures = {
  views: Amount,
  visitors: Amount,
  clicks: Amount,
  scans: Amount,
  submissions: Amount,
  ctr: z.number().min(0).nullable().optional().openapi({ example: 0.25 }),
};
const keys = Object.fromEntries(
  DIMENSIONS.map((dimension) => [dimension, z.string().nullable().optional()]),
) as Record<Dimension, z.ZodOptional<z.ZodNullable<z.ZodString>>>;

const AnalyticsRow = z
  .object({
    start: Start.optional(),
    ...keys,
    block_name: z.string().nullable().optional().openapi({
      description:
        "With `block`: what that is called, or was when it was deleted; null once its page is deleted.",
    }),
    product_name: z.string().nullable().optional().openapi({
      description: "With `product`: its title; null once it is deleted.",
    }),
    ...measures,
    previous: z
      .object({ start: Start.optional(), ...measures })
      .nullable()
      .optional()
      .openapi({
        description:
          "With `compare`: the same of the range before, in the stretch of time that answers to the row's; `start` is when that begins. Null where the range before had no such hour or day.",
      }),
  })
  .openapi("AnalyticsRow", {
    description:
      "Has `start` with `interval`, the fields of `group_by` (null: not known; `(other)`: more values than are kept apart, as `meta.unattributed` counts them; `(address)`: of a page whose host is an IP address), and those of `metrics`.",
    example: ANALYTICS_ROW,
  });
export type AnalyticsRow = z.output<typeof AnalyticsRow>;

const { ctr: _, ...amounts } = measures;
const Range = {
  from: Start,
  to: Start,
  unattributed: z.object(amounts).openapi({
    description: `For each number that is asked for: hits of which a value that the question names was not kept, as too many different ones came at once (\`${OTHER}\`). A filter for values leaves them out, one with a minus takes them in, and \`group_by\` shows them as \`${OTHER}\`: so the true number is off by so many at most. Zero: the answer is exact.`,
  }),
};

export const AnalyticsAnswer = z.object({
  data: z.array(AnalyticsRow),
  next_cursor: z.string().nullable().openapi({
    description: "Null on the last page.",
    example: null,
  }),
  meta: z
    .object({
      time_zone: z.string(),
      ...Range,
      fresh_until: z.iso.datetime().openapi({
        description: "What happened before is counted, but for what is late.",
      }),
      previous: z.object(Range).optional(),
    })
    .openapi({ example: ANALYTICS_META }),
});
export type AnalyticsMeta = z.output<typeof AnalyticsAnswer>["meta"];

export const RealtimeQuery = z.object({
  traffic: Traffic,
  link: filters.link,
  page: filters.page,
  block: filters.block,
  qr_code: filters.qr_code,
  product: filters.product,
});

const counts = Object.fromEntries(COUNTS.map((count) => [count, z.number().int().min(0)]));
const Counts = z
  .object(counts as Record<(typeof COUNTS)[number], z.ZodNumber>)
  .openapi("RealtimeCounts");

export const RealtimeAnswer = z
  .object({
    data: z.object({
      last_5_minutes: Counts,
      last_30_minutes: Counts,
      minutes: z.array(Counts.extend({ start: z.iso.datetime() })).openapi({
        description: "Each of the last 30 minutes, the present one last.",
      }),
    }),
    meta: z.object({ fresh_until: z.iso.datetime() }),
  })
  .openapi({ example: REALTIME });
