import type { LedgerStore } from "./ledger.repository.ts";
import { NONE, OTHER_VALUES } from "./ledger-counts.ts";
import {
  asksApart,
  type Dimension,
  type LedgerQuestion,
  PROPERTIES,
  SUBJECTS,
  type SubjectKind,
} from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";

/** A question's dimensions and filters, in the numbers that a ledger has for their values. */
export interface Conditions {
  groupBy: { subject?: SubjectKind; property?: number }[];
  /** The different properties that are asked for, by their places among all. */
  properties: number[];
  filters: { property: number; passes: (value: number) => boolean }[];
  /** Of which of these properties a hit with `(other)` may have a value that is asked about. */
  open: ReadonlySet<number>;
  /** The only subjects that count; undefined: all. */
  subjects: number[] | undefined;
  /** Whether it is asked for hits that are told apart, and so for no others. */
  isApart: boolean;
  /** Subjects that do not count. */
  excluded: ReadonlySet<number>;
  kindOf(subject: number): SubjectKind | undefined;
}

/** What is asked for; undefined when nothing can be it. */
export function readConditions(
  store: LedgerStore,
  { groupBy, filters }: LedgerQuestion,
): Conditions | undefined {
  const grouped = groupBy.map((dimension) =>
    isSubject(dimension) ? { subject: dimension } : { property: PROPERTIES.indexOf(dimension) },
  );
  const tests: Conditions["filters"] = [];
  const closed = new Set<number>();
  const excluded = new Set<number>();
  let subjects: number[] | undefined;
  for (const { dimension, values, isExcluded } of filters) {
    if (!isSubject(dimension)) {
      const wanted = new Set(values.map((text) => termOf(store, text)));
      const passes = (value: number) => wanted.has(value) !== isExcluded;
      const property = PROPERTIES.indexOf(dimension);
      tests.push({ property, passes });
      if (wanted.has(OTHER_VALUES)) closed.add(property);
      continue;
    }
    const found = values.map((id) => store.findSubject(dimension, id));
    const numbers = new Set(found.filter((number) => number !== undefined));
    if (isExcluded) for (const number of numbers) excluded.add(number);
    else subjects = subjects ? subjects.filter((one) => numbers.has(one)) : [...numbers];
  }
  subjects = subjects?.filter((one) => !excluded.has(one));
  if (subjects?.length === 0) return undefined;
  const asked = [...grouped, ...tests].flatMap((of) => ("property" in of ? [of.property] : []));
  const properties = [...new Set(asked)];
  const kinds = new Map<number, SubjectKind | undefined>();
  return {
    groupBy: grouped,
    properties,
    filters: tests,
    open: new Set(properties.filter((property) => !closed.has(property))),
    subjects,
    isApart: asksApart({ groupBy, filters }),
    excluded,
    kindOf(subject) {
      if (!kinds.has(subject)) kinds.set(subject, store.subjects([subject]).get(subject)?.kind);
      return kinds.get(subject);
    },
  };
}

export function isSubject(dimension: Dimension): dimension is SubjectKind {
  return (SUBJECTS as readonly string[]).includes(dimension);
}

/** The number of a text; of one that the ledger never had, one that no value has. */
function termOf(store: LedgerStore, text: string): number {
  if (text === "") return NONE;
  if (text === OTHER) return OTHER_VALUES;
  return store.terms.find(text) ?? -1;
}
