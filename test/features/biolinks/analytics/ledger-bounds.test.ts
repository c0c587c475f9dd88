import { describe, expect, it, vi } from "vitest";
import { toApiError } from "../../../../src/api/errors.ts";
import { MAX_SUBJECTS } from "../../../../src/features/biolinks/analytics/ledger-keys.ts";
import type {
  Ledger,
  LedgerQuestion,
} from "../../../../src/features/biolinks/analytics/ledger-shapes.ts";
import { isOverload } from "../../../../src/platform/overload.ts";
import { ask as askAsApi } from "../../../support/analytics.ts";
import { ask, hit, insideLedger, newLedger, packet, slotOf } from "../../../support/ledger.ts";

const SLOTS_A_DAY = 96;

describe("a ledger that has given the last number of a subject", () => {
  it("counts what is new as (other), and into no other day", async () => {
    const ledger = newLedger();
    await insideLedger(ledger, (_, { storage }) =>
      storage.sql.exec(
        "INSERT INTO subjects (number, kind, id, people) VALUES (?, 'link', 'last', 0)",
        MAX_SUBJECTS,
      ),
    );
    const now = slotOf(Date.now());
    const today = now - (now % SLOTS_A_DAY);
    await ledger.append([packet([hit({ id: "last", slot: now, hits: 5 })])]);
    const ofToday = () =>
      ask(ledger, { groupBy: ["country", "device"], buckets: [today, today + SLOTS_A_DAY] });
    const before = await ofToday();
    expect(before).toEqual([{ bucket: 0, keys: ["", ""], counts: [5] }]);
    // Enough for numbers, were they given, to reach those of the next day's keys.
    const links = Array.from({ length: 14 }, (_, n) => `new-${n}`);
    for (let times = 0; times < 2; times++) {
      await ledger.append([packet(links.map((id) => hit({ id, slot: today - 1 })))]);
      expect(await ledger.totals("link", links)).toEqual({});
    }
    expect(await ofToday()).toEqual(before);
    const yesterday = await ask(ledger, {
      groupBy: ["link", "country"],
      buckets: [today - SLOTS_A_DAY, today],
    });
    expect(yesterday).toEqual([{ bucket: 0, keys: ["(other)", ""], counts: [28] }]);
    const kept = await insideLedger(ledger, (_, { storage }) =>
      storage.sql
        .exec<{ id: string; number: number }>("SELECT id, number FROM subjects ORDER BY number")
        .toArray(),
    );
    expect(kept.map(({ id }) => id)).toEqual(["last", "(other)"]);
    expect(kept.at(-1)?.number).toBeLessThan(2 ** 24);
  });

  it("has room for (other) of each kind", async () => {
    const ledger = newLedger();
    await insideLedger(ledger, (_, { storage }) =>
      storage.sql.exec(
        "INSERT INTO subjects (number, kind, id, people) VALUES (?, 'link', 'last', 0)",
        MAX_SUBJECTS,
      ),
    );
    const kinds = ["link", "page", "block", "qr_code", "product"] as const;
    await ledger.append([packet(kinds.map((subject) => hit({ subject, id: "new" })))]);
    for (const kind of kinds) {
      const rows = await ask(ledger, { groupBy: [kind] });
      expect([kind, rows]).toEqual([kind, [{ bucket: 0, keys: ["(other)"], counts: [1] }]]);
      const { minutes } = await ledger.recent(0, { subject: kind, ids: ["(other)"] });
      expect([kind, minutes.map(({ hits }) => hits)]).toEqual([kind, [1]]);
    }
  });
});

describe("questions that wait for a ledger", () => {
  const question = (): LedgerQuestion => ({
    metrics: ["clicks"],
    groupBy: [],
    buckets: [0, slotOf(Date.now()) + 1],
    traffic: "human",
    filters: [],
  });

  it("are refused at once beyond a number, and the next is answered when they were", async () => {
    const ledger = newLedger();
    await ledger.append([packet([hit()])]);
    const told = await insideLedger(ledger, async (instance) => {
      const order: string[] = [];
      const asked = Array.from({ length: 100 }, () =>
        instance.answer(question()).then(
          () => order.push("answered"),
          (fault) => order.push(isOverload(fault) ? "refused" : String(fault)),
        ),
      );
      await Promise.all(asked);
      return order;
    });
    expect(told).toEqual([
      ...Array.from({ length: 70 }, () => "refused"),
      ...Array.from({ length: 30 }, () => "answered"),
    ]);
    expect((await ledger.answer(question())).rows[0]?.counts).toEqual([1]);
  });

  it("are told to their caller as 503 with Retry-After", async () => {
    const ledger = newLedger();
    const wait = scheduler.wait.bind(scheduler);
    let isHeld = true;
    // The turn that others have after a question: no second one is answered meanwhile.
    const turns = vi.spyOn(scheduler, "wait").mockImplementation(async (milliseconds) => {
      do await wait(milliseconds);
      while (isHeld);
    });
    const faults: unknown[] = [];
    const asked = Array.from({ length: 35 }, () =>
      ledger.answer(question()).catch((fault) => {
        faults.push(fault);
      }),
    );
    await vi.waitFor(() => expect(faults.length).toBeGreaterThanOrEqual(4), { timeout: 60_000 });
    isHeld = false;
    await Promise.all(asked);
    turns.mockRestore();
    expect(faults.length).toBeLessThanOrEqual(5);
    for (const fault of faults) expect(isOverload(fault)).toBe(true);
    const refusing = { answer: () => Promise.reject(faults[0]) } as unknown as Ledger;
    const response = await askAsApi(refusing, "").then(
      () => expect.fail("It was answered."),
      (fault) => toApiError(fault).toResponse(),
    );
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  });
});
