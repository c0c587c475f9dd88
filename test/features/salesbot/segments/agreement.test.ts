import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  countOn,
  NOTHING_COUNTED,
  REQUEST_BUDGET,
  selectPage,
} from "../../../../src/features/salesbot/contacts/contact-scan.ts";
import { toContactScan } from "../../../../src/features/salesbot/contacts/contact-selection.ports.ts";
import type { ContactSelection } from "../../../../src/features/salesbot/contacts/contact-selection.ts";
import type { Contact } from "../../../../src/features/salesbot/contacts/contacts.schemas.ts";
import { sanitise } from "../../../../src/features/salesbot/segments/conditions.ts";
import { OPERATORS } from "../../../../src/features/salesbot/segments/segment-fields.ts";
import { CONTACTS, createLabel, STAGES, TAGS } from "../../../support/contacts.ts";
import { contactInput, NOW, segmentInput } from "../../../support/segment-arbitraries.ts";
import { isInSegment, meetsRule, type OracleSegment } from "../../../support/segment-oracle.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const POPULATIONS = 8;
const CONTACTS_EACH = 60;
const SEGMENTS_EACH = 300;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterAll(() => {
  vi.useRealTimers();
});

interface Population {
  workspace: Workspace;
  contacts: Contact[];
  tags: string[];
  stages: string[];
}

async function populate(seed: number): Promise<Population> {
  const workspace = await createWorkspace();
  const label = (path: string) => (name: string) => createLabel(workspace, path, name);
  const tags = await Promise.all(["a", "b", "c"].map(label(TAGS)));
  const stages = await Promise.all(["lead", "won"].map(label(STAGES)));
  const inputs = fc.sample(contactInput(tags, stages), { numRuns: CONTACTS_EACH, seed });
  const imported = await workspace.send("POST", `${CONTACTS}/import`, {
    body: { contacts: inputs },
  });
  expect(new Set(imported.body.data.map((row: { status: string }) => row.status))).toEqual(
    new Set(["created"]),
  );
  // Created at other times than now, so that dates and inactivity tell them apart.
  await env.DB.prepare(
    "UPDATE contacts SET created_at = created_at - (rowid * 7919 % 40) * 86400000 WHERE workspace_id = ?",
  )
    .bind(workspace.id)
    .run();
  const { body } = await workspace.send("GET", `${CONTACTS}?limit=100`);
  return { workspace, contacts: body.data, tags, stages };
}

function toDefinition(segment: OracleSegment): ContactSelection {
  const { conditions, dropped } = sanitise(segment.conditions);
  expect(dropped).toEqual([]);
  return {
    stageId: segment.stage ?? null,
    includeTags: segment.include_tags ?? [],
    excludeTags: segment.exclude_tags ?? [],
    minDaysInactive: segment.min_days_inactive ?? null,
    conditions,
  };
}

/** Half a minute by itself; beside other tests on a slow machine it took three and more. */
const SLOW_MACHINE_MILLISECONDS = 600_000;

describe("the contacts that the database selects for a segment", () => {
  it(
    `are those of an evaluator in memory, in ${POPULATIONS * SEGMENTS_EACH} random pairs of populations and segments`,
    async () => {
      /** Operators by type that were met by some contact, and by some not. */
      const outcomes = new Map<string, Set<boolean>>();
      let [selected, pairs, sizes] = [0, 0, new Set<number>()];
      for (let seed = 1; seed <= POPULATIONS; seed++) {
        const { workspace, contacts, tags, stages } = await populate(seed);
        for (const segment of fc.sample(segmentInput(tags, stages), {
          numRuns: SEGMENTS_EACH,
          seed,
        })) {
          const asked = toContactScan(toDefinition(segment), NOW);
          // Some are so heavy that a statement looks at 32 contacts only.
          const scan = pairs % 4 === 0 ? { ...asked, weight: 1600 } : asked;
          const page = { limit: 99, beforeId: undefined };
          const { contacts: rows, lastId } = await selectPage(workIn(workspace.id), scan, page);
          const expected = contacts.filter((contact) => isInSegment(contact, segment, NOW));
          expect({ segment, ids: rows.map(({ id }) => id) }).toEqual({
            segment,
            ids: expected.map(({ id }) => id),
          });
          expect(lastId).toBeNull();
          if (pairs % 16 === 0) {
            const work = workIn(workspace.id);
            const counting = await countOn(work, scan, NOTHING_COUNTED, REQUEST_BUDGET);
            expect(counting).toMatchObject({ found: expected.length, beforeId: null });
          }
          pairs++;
          selected += rows.length;
          sizes = sizes.add(rows.length);
          noteOutcomes(outcomes, contacts, segment);
        }
      }
      expect(pairs).toBeGreaterThanOrEqual(2000);
      // Neither everybody nor nobody, all along: else agreeing would be easy.
      expect(selected / (pairs * CONTACTS_EACH)).toBeGreaterThan(0.1);
      expect(selected / (pairs * CONTACTS_EACH)).toBeLessThan(0.9);
      expect(sizes.size).toBeGreaterThan(40);
      const seenBothWays = [...outcomes]
        .filter(([, seen]) => seen.size === 2)
        .map(([rule]) => rule);
      const all = Object.values(OPERATORS).flat();
      for (const op of [...all, "eq boolean", "neq boolean"]) expect(seenBothWays).toContain(op);
    },
    SLOW_MACHINE_MILLISECONDS,
  );
});

function noteOutcomes(
  outcomes: Map<string, Set<boolean>>,
  contacts: Contact[],
  segment: OracleSegment,
): void {
  for (const rule of segment.conditions?.groups.flatMap(({ rules }) => rules) ?? []) {
    const name = typeof rule.value === "boolean" ? `${rule.op} boolean` : rule.op;
    const seen = outcomes.get(name) ?? new Set();
    for (const contact of contacts) seen.add(meetsRule(contact, rule, NOW));
    outcomes.set(name, seen);
  }
}
