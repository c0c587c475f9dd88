import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { selectPage } from "../../../../src/features/salesbot/contacts/contact-scan.ts";
import { toContactScan } from "../../../../src/features/salesbot/contacts/contact-selection.ports.ts";
import type { Conditions } from "../../../../src/features/salesbot/contacts/contact-selection.ts";
import type { Contact } from "../../../../src/features/salesbot/contacts/contacts.schemas.ts";
import { sanitise } from "../../../../src/features/salesbot/segments/conditions.ts";
import { CONTACTS } from "../../../support/contacts.ts";
import {
  conditionsOf,
  contactInput,
  NOW,
  validRule,
} from "../../../support/segment-arbitraries.ts";
import { meetsRule, type OracleRule } from "../../../support/segment-oracle.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const NOBODY = { match: "all", groups: [{ match: "any", rules: [] }] };
const GOOD = { field: "name", op: "eq", value: "Ada" };
const BAD = { field: "shoe_size", op: "eq", value: 44 };

function keptOf(rule: unknown) {
  return sanitise({ groups: [{ rules: [rule] }] });
}

describe("a rule", () => {
  it.each([
    { field: "name", op: "eq", value: "x".repeat(200) },
    { field: "email", op: "not_contains", value: "@" },
    { field: "phone", op: "is_empty" },
    { field: "custom.plan", op: "starts_with", value: "p" },
    { field: "custom.seats", op: "between", value: [1, 5] },
    { field: "name", op: "eq", value: "👩".repeat(200) },
    { field: "custom.seats", op: "neq", value: -0.5 },
    { field: "custom.beta", op: "eq", value: true },
    { field: "custom.beta", op: "neq", value: false },
    { field: "channel", op: "in", value: ["sms", "email"] },
    { field: "country", op: "eq", value: "GB" },
    { field: "language", op: "not_in", value: ["en", "pt-BR", "PT-br"] },
    { field: "status", op: "neq", value: "blocked" },
    { field: "stage", op: "eq", value: ID },
    { field: "tags", op: "has_none", value: [ID] },
    { field: "created_at", op: "after", value: "2026-11-21" },
    { field: "last_active_at", op: "between", value: ["2026-11-21", "2026-11-21T10:00:00Z"] },
    { field: "last_inbound_at", op: "more_than_ago", value: { n: 3, unit: "weeks" } },
  ])("is kept as it is: %j", (rule) => {
    expect(keptOf(rule)).toEqual({
      conditions: { match: "all", groups: [{ match: "all", rules: [rule] }] },
      dropped: [],
    });
  });

  it.each([
    [null, "invalid_rule"],
    ["name eq Ada", "invalid_rule"],
    [[], "invalid_rule"],
    [{}, "unknown_field"],
    [{ ...GOOD, field: 1 }, "unknown_field"],
    [{ ...GOOD, field: "constructor" }, "unknown_field"],
    [{ ...GOOD, field: "Name" }, "unknown_field"],
    [{ ...GOOD, field: "workspace_id" }, "unknown_field"],
    [{ ...GOOD, field: "custom." }, "unknown_field"],
    [{ ...GOOD, field: "custom.a b" }, "unknown_field"],
    [{ ...GOOD, field: 'custom.a"' }, "unknown_field"],
    [{ ...GOOD, field: `custom.${"a".repeat(61)}` }, "unknown_field"],
    [{ field: "name" }, "unknown_operator"],
    [{ ...GOOD, op: "matches" }, "unknown_operator"],
    [{ ...GOOD, op: "toString" }, "unknown_operator"],
    [{ ...GOOD, op: ["eq"] }, "unknown_operator"],
    [{ ...GOOD, op: "has_any" }, "operator_does_not_fit"],
    [{ field: "tags", op: "eq", value: ID }, "operator_does_not_fit"],
    [{ field: "created_at", op: "eq", value: "2026-11-21" }, "operator_does_not_fit"],
    [{ field: "channel", op: "contains", value: "s" }, "operator_does_not_fit"],
    [{ field: "name", op: "eq" }, "invalid_value"],
    [{ ...GOOD, value: "" }, "invalid_value"],
    [{ ...GOOD, value: 1 }, "invalid_value"],
    [{ ...GOOD, value: ["Ada"] }, "invalid_value"],
    [{ ...GOOD, value: null }, "invalid_value"],
    [{ ...GOOD, value: "x".repeat(201) }, "invalid_value"],
    [{ ...GOOD, value: "👩".repeat(201) }, "invalid_value"],
    [{ ...GOOD, value: true }, "invalid_value"],
    [{ ...GOOD, value: "a\u0000" }, "invalid_value"],
    [{ ...GOOD, value: "\udc00" }, "invalid_value"],
    [{ field: "channel", op: "eq", value: "pigeon" }, "invalid_value"],
    [{ field: "channel", op: "in", value: [] }, "invalid_value"],
    [{ field: "channel", op: "in", value: ["sms", "pigeon"] }, "invalid_value"],
    [{ field: "channel", op: "in", value: Array(101).fill("sms") }, "invalid_value"],
    [{ field: "country", op: "eq", value: "Britain" }, "invalid_value"],
    [{ field: "country", op: "eq", value: "ß" }, "invalid_value"],
    [{ field: "stage", op: "eq", value: "won" }, "invalid_value"],
    [{ field: "tags", op: "has_any", value: ID }, "invalid_value"],
    [{ field: "tags", op: "has_any", value: ["vip"] }, "invalid_value"],
    [{ field: "custom.n", op: "gt", value: "5" }, "invalid_value"],
    [{ field: "custom.n", op: "gt", value: true }, "invalid_value"],
    [{ field: "custom.n", op: "contains", value: true }, "invalid_value"],
    [{ field: "status", op: "eq", value: true }, "invalid_value"],
    [{ field: "custom.n", op: "between", value: [5, 1] }, "invalid_value"],
    [{ field: "custom.n", op: "between", value: [1] }, "invalid_value"],
    [{ field: "created_at", op: "before", value: "soon" }, "invalid_value"],
    [{ field: "created_at", op: "before", value: "2026-02-30" }, "invalid_value"],
    [{ field: "created_at", op: "between", value: ["2026-02-02", "2026-02-01"] }, "invalid_value"],
    [{ field: "created_at", op: "within_last", value: { n: 0, unit: "days" } }, "invalid_value"],
    [{ field: "created_at", op: "within_last", value: { n: 1, unit: "eons" } }, "invalid_value"],
    [{ field: "created_at", op: "within_last", value: { n: 1.5, unit: "days" } }, "invalid_value"],
  ])("is dropped: %j, for it is %s", (rule, reason) => {
    expect(keptOf(rule)).toEqual({
      conditions: { match: "all", groups: [{ match: "all", rules: [] }] },
      dropped: [{ group: 0, rule: 0, reason }],
    });
  });
});

it("a country is kept as contacts have it, in capitals; a language as it was sent", () => {
  const rules = [
    { field: "country", op: "in", value: ["gb", "Ie"] },
    { field: "language", op: "eq", value: "EN-us" },
  ];
  expect(sanitise({ groups: [{ rules }] }).conditions?.groups[0]?.rules).toEqual([
    { field: "country", op: "in", value: ["GB", "IE"] },
    { field: "language", op: "eq", value: "EN-us" },
  ]);
});

describe("what is left of conditions", () => {
  const all = (...rules: unknown[]) => ({ match: "all", rules });
  const any = (...rules: unknown[]) => ({ match: "any", rules });
  const conditions = (match: string, ...groups: unknown[]) => ({ match, groups });

  it.each([
    ["nothing sent: no conditions", undefined, null],
    ["null: no conditions", null, null],
    ["no groups sent: no conditions", { match: "any" }, null],
    ["an empty list of groups: no conditions", conditions("any"), null],
    ["no object: nobody", "everyone", NOBODY],
    ["a list: nobody", [], NOBODY],
    ["an unknown match: nobody", conditions("none", all(GOOD)), NOBODY],
    ["groups that are no list: nobody", { groups: {} }, NOBODY],
    [
      "a rule beside an invalid one stays",
      conditions("all", all(BAD, GOOD)),
      conditions("all", all(GOOD)),
    ],
    [
      "all is what is meant where nothing is said",
      { groups: [{ rules: [GOOD] }] },
      conditions("all", all(GOOD)),
    ],
    [
      "a group left without rules stays, empty, in its place",
      conditions("all", all(BAD), all(GOOD), any(BAD)),
      conditions("all", all(), all(GOOD), any()),
    ],
    [
      "an empty group stays",
      conditions("any", any(), all(GOOD), all()),
      conditions("any", any(), all(GOOD), all()),
    ],
    [
      "any of nothing, or else",
      conditions("any", any(BAD), all(GOOD)),
      conditions("any", any(), all(GOOD)),
    ],
    [
      "any of nothing, and besides",
      conditions("all", any(BAD), all(GOOD)),
      conditions("all", any(), all(GOOD)),
    ],
    [
      "a group with an unknown match is one of nothing",
      conditions("all", { match: "no", rules: [GOOD] }, all(GOOD)),
      conditions("all", any(), all(GOOD)),
    ],
    ["groups that are none", conditions("any", 1, null), conditions("any", any(), any())],
    ["all groups left without rules", conditions("all", all(BAD)), conditions("all", all())],
  ])("%s", (_, sent, kept) => {
    expect(sanitise(sent).conditions).toEqual(kept);
  });

  it("holds 10 groups of 15 rules at most", () => {
    const { conditions: kept, dropped } = sanitise(
      conditions("any", ...Array(12).fill(all(...Array(17).fill(GOOD)))),
    );
    expect(kept?.groups.map(({ rules }) => rules.length)).toEqual(Array(10).fill(15));
    expect(dropped).toHaveLength(10 * 2 + 2 * 17);
    expect(new Set(dropped.map(({ reason }) => reason))).toEqual(new Set(["too_many"]));
  });
});

/** Any JSON, and JSON that is nearly conditions. */
const broken = fc.oneof(
  fc.constant(BAD),
  fc.jsonValue(),
  fc.record({
    field: fc.constantFrom("name", "tags", "custom.seats", "x"),
    op: fc.constantFrom("eq", "has_any", "gt", "between"),
    value: fc.jsonValue(),
  }),
);
const anyConditions = fc.oneof(
  fc.jsonValue(),
  conditionsOf(fc.oneof(validRule([ID], [ID]), broken)),
  fc.record({
    match: fc.jsonValue(),
    groups: fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({ match: fc.constantFrom("all", "any", "x"), rules: fc.array(broken) }),
      ),
    ),
  }),
);

describe("for any JSON at all", () => {
  let contacts: Contact[];
  let workspaceId: string;

  afterAll(() => {
    vi.useRealTimers();
  });
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const workspace = await createWorkspace();
    workspaceId = workspace.id;
    const rows = fc.sample(contactInput([], [null] as never), { numRuns: 40, seed: 4 });
    await workspace.send("POST", `${CONTACTS}/import`, {
      body: { contacts: rows.map((row) => ({ ...row, stage: null })) },
    });
    contacts = (await workspace.send("GET", `${CONTACTS}?limit=100`)).body.data;
    expect(contacts).toHaveLength(40);
  });

  async function select(conditions: Conditions | null): Promise<string[]> {
    const definition = { stageId: null, includeTags: [], excludeTags: [], minDaysInactive: null };
    const scan = toContactScan({ ...definition, conditions }, NOW);
    const page = { limit: 99, beforeId: undefined };
    const selected = await selectPage(workIn(workspaceId), scan, page);
    return selected.contacts.map(({ id }) => id);
  }

  it("the sanitiser does not throw, keeps what it kept, and says what it dropped", () => {
    fc.assert(
      fc.property(anyConditions, (sent) => {
        const { conditions, dropped } = sanitise(sent);
        expect(sanitise(conditions)).toEqual({ conditions, dropped: [] });
        if (dropped.length > 0) expect(conditions).not.toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  it("nobody is selected beyond those that the valid rules select", async () => {
    let [seen, fewer] = [0, 0];
    const withInvalidRules = conditionsOf(fc.oneof(validRule([ID], [ID]), broken));
    await fc.assert(
      fc.asyncProperty(withInvalidRules, async (sent) => {
        const { conditions } = sanitise(sent);
        const selected = await select(conditions);
        const allowed = contacts.filter((contact) => meetsReference(contact, sent));
        const ids = new Set(allowed.map(({ id }) => id));
        expect(selected.filter((id) => !ids.has(id))).toEqual([]);
        seen += selected.length;
        fewer += contacts.length - selected.length;
      }),
      { numRuns: 500 },
    );
    expect(seen).toBeGreaterThan(500);
    expect(fewer).toBeGreaterThan(500);
  });

  it.each([
    ["any", ["all"], "nobody"],
    ["all", ["all"], "nobody"],
    ["any", ["any"], "nobody"],
    ["any", ["all", GOOD], "who meets the rule"],
    ["all", ["all", GOOD], "who meets the rule"],
    ["any", ["any", GOOD], "who meets the rule"],
    ["all", ["any", GOOD], "nobody"],
  ])("%s of an empty %j: %s", async (match, [empty, rule], whom) => {
    const groups = [
      { match: empty as string, rules: [] },
      ...(rule ? [{ match: "all", rules: [rule] }] : []),
    ];
    const { conditions } = sanitise({ match, groups });
    const meets = contacts.filter((contact) => meetsRule(contact, GOOD as OracleRule, NOW));
    expect(meets.length).toBeGreaterThan(0);
    const expected = whom === "nobody" ? [] : meets.map(({ id }) => id);
    expect((await select(conditions)).sort()).toEqual(expected.sort());
  });

  it("conditions that reduce to nothing select nobody, and none select all", async () => {
    await fc.assert(
      fc.asyncProperty(conditionsOf(broken), async (sent) => {
        const { conditions } = sanitise(sent);
        fc.pre(conditions?.groups.every(({ rules }) => rules.length === 0) ?? false);
        expect(await select(conditions)).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(await select(null)).toHaveLength(40);
  });
});

/** The invalid rules replaced by "false" in `any` groups, dropped in `all` groups. */
function meetsReference(
  contact: Contact,
  { match, groups }: { match: string; groups: { match: string; rules: unknown[] }[] },
): boolean {
  const verdicts = groups.map((group) => {
    const judged = group.rules.map((rule) => {
      const isValid = keptOf(rule).dropped.length === 0;
      if (!isValid) return group.match === "all";
      return meetsRule(contact, rule as OracleRule, NOW);
    });
    return group.match === "any" ? judged.some(Boolean) : judged.every(Boolean);
  });
  return match === "any" ? verdicts.some(Boolean) : verdicts.every(Boolean);
}
