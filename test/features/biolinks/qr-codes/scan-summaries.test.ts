import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_CODES_AN_HOUR } from "../../../../src/features/biolinks/analytics/ledger-scans.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { change, eventsOf } from "../../../support/contacts.ts";
import { newAddress, send } from "../../../support/http.ts";
import {
  countIn,
  hit,
  insideLedger,
  type LedgerStub,
  ledgerAt,
  packet,
  shardsOf,
  slotOf,
  splitNext,
} from "../../../support/ledger.ts";
import { createQrCode, QR_CODES } from "../../../support/qr-codes.ts";
import { PERSON } from "../../../support/visitor.ts";
import { createLiveEndpoint, env, laneOf, newBox, receivedBy } from "../../../support/webhooks.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const SCANNED = { event: "biolinks.qr.scanned", channel: "all" };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** When the latest of all ledgers has told of an hour that began at 0. */
const TOLD = HOUR + 27 * MINUTE;
/** Of a day to come, so that no alarm comes by itself. */
const NINE = (Math.floor(Date.now() / (24 * HOUR)) + 2) * 24 * HOUR + 9 * HOUR;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NINE + 5 * MINUTE });
});

afterEach(() => {
  vi.useRealTimers();
});

async function newListener() {
  const workspace = await createWorkspace({ plan: "pro" });
  const endpoint = await createLiveEndpoint(workspace, newBox(), [SCANNED]);
  return { workspace, endpoint, ledger: ledgerAt(workspace.id) };
}

/** Scans of a code, of a time, that its ledger counts now. */
async function scan(ledger: LedgerStub, id: string, at: number, hits = 1, visitors: string[] = []) {
  const plain = { subject: "qr_code", count: "scans", slot: slotOf(at) } as const;
  await ledger.append([packet([hit({ ...plain, id, hits, visitors })])]);
  await ledger.totals("qr_code", []);
}

async function wakeAt(ledger: LedgerStub, time: number): Promise<void> {
  vi.setSystemTime(time);
  await runDurableObjectAlarm(ledger);
}

/** What was told so far: the hour, the code, its scans and visitors. */
async function toldIn(workspace: Workspace) {
  const events = await eventsOf(workspace);
  return events
    .filter(([type]) => type === SCANNED.event)
    .map(([, , { from, qr_code, scans, visitors }]) => [
      from.slice(11, 16),
      qr_code,
      scans,
      visitors,
    ]);
}

describe("the scans of a QR code", () => {
  it("are told to who wants them: those of an hour as one event, some minutes after it", async () => {
    const { workspace, endpoint, ledger } = await newListener();
    const { id, code } = await createQrCode(workspace);
    const from = newAddress();
    for (const headers of [
      { "User-Agent": PERSON, "CF-Connecting-IP": from },
      { "User-Agent": PERSON, "CF-Connecting-IP": from },
      { "User-Agent": PERSON, "CF-Connecting-IP": newAddress() },
      { "User-Agent": "Googlebot/2.1" },
    ]) {
      expect((await send(`/Q/${code}`, { headers })).status).toBe(302);
    }
    await vi.waitFor(
      async () => {
        const people = (await ledger.totals("qr_code", [id]))[id];
        if (people !== 3) throw new Error(`${people} counted`);
      },
      { timeout: 60_000, interval: 200 },
    );
    await wakeAt(ledger, NINE + HOUR + 9 * MINUTE);
    expect(await toldIn(workspace)).toEqual([]);
    await wakeAt(ledger, NINE + TOLD);
    const lane = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
    const [webhook] = await vi.waitFor(
      async () => {
        await runDurableObjectAlarm(lane.stub);
        const received = await receivedBy(endpoint.box);
        if (received.length === 0) throw new Error("nothing received");
        return received;
      },
      { timeout: 60_000, interval: 200 },
    );
    const { type, data } = JSON.parse(webhook?.body ?? "");
    expect([type, data]).toEqual([
      SCANNED.event,
      {
        id: expect.any(String),
        qr_code: id,
        name: "Table 7",
        scans: 3,
        visitors: 2,
        from: new Date(NINE).toISOString(),
        to: new Date(NINE + HOUR).toISOString(),
      },
    ]);
    await wakeAt(ledger, NINE + 3 * HOUR);
    expect(await toldIn(workspace)).toHaveLength(1);
  });

  it("are told by code and hour, and of a code that is deleted since without its name", async () => {
    const { workspace, ledger } = await newListener();
    const [one, two] = [await createQrCode(workspace), await createQrCode(workspace)];
    await scan(ledger, one.id, NINE, 2, ["AAAAAAAAAAA"]);
    await scan(ledger, one.id, NINE + 50 * MINUTE, 1, ["AAAAAAAAAAA", "BBBBBBBBBBA"]);
    await scan(ledger, two.id, NINE, 4);
    vi.setSystemTime(NINE + HOUR + 5 * MINUTE);
    await scan(ledger, one.id, NINE + HOUR, 5, ["BBBBBBBBBBA"]);
    await change(workspace, "DELETE", `${QR_CODES}/${two.id}`);
    await wakeAt(ledger, NINE + TOLD);
    expect(await toldIn(workspace)).toEqual([
      ["09:00", one.id, 3, 2],
      ["09:00", two.id, 4, 0],
    ]);
    const names = (await eventsOf(workspace)).map(([, , data]) => data.name);
    expect(names).toEqual(["Table 7", null]);
    await wakeAt(ledger, NINE + HOUR + TOLD);
    expect((await toldIn(workspace)).slice(2)).toEqual([["10:00", one.id, 5, 0]]);
  });

  it("are told by each object of a ledger that has split, and add up to what is counted", async () => {
    const { workspace, ledger } = await newListener();
    const { id } = await createQrCode(workspace);
    await scan(ledger, id, NINE, 2);
    await splitNext(ledger);
    vi.setSystemTime(NINE + DAY + 15 * MINUTE);
    await scan(ledger, id, NINE, 3);
    await scan(ledger, id, NINE + DAY, 4);
    expect(await ledger.totals("qr_code", [id])).toEqual({ [id]: 9 });
    for (const of of [ledger, ...shardsOf(workspace.id)]) {
      await wakeAt(of, NINE + DAY + TOLD);
      await wakeAt(of, NINE + DAY + TOLD);
    }
    expect(await toldIn(workspace)).toEqual([
      ["09:00", id, 2, 0],
      ["09:00", id, 3, 0],
      ["09:00", id, 4, 0],
    ]);
  });

  it("that come late are told with the hour that is open then, so that all adds up", async () => {
    const { workspace, ledger } = await newListener();
    const { id } = await createQrCode(workspace);
    await scan(ledger, id, NINE);
    vi.setSystemTime(NINE + HOUR + 9 * MINUTE);
    await scan(ledger, id, NINE + 59 * MINUTE, 2);
    vi.setSystemTime(NINE + HOUR + 10 * MINUTE);
    await scan(ledger, id, NINE + 59 * MINUTE, 4);
    await wakeAt(ledger, NINE + TOLD);
    expect(await toldIn(workspace)).toEqual([["09:00", id, 3, 0]]);
    await wakeAt(ledger, NINE + HOUR + TOLD);
    vi.setSystemTime(NINE + 40 * HOUR + 30 * MINUTE);
    await scan(ledger, id, NINE, 8);
    await wakeAt(ledger, NINE + 40 * HOUR + TOLD);
    expect((await toldIn(workspace)).slice(1)).toEqual([
      ["10:00", id, 4, 0],
      ["01:00", id, 8, 0],
    ]);
    expect((await ledger.totals("qr_code", [id]))[id]).toBe(15);
  });

  it("are told once when the ledger dies at any of its statements", async () => {
    let statements = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= statements; at++) {
      vi.setSystemTime(NINE + 5 * MINUTE);
      const { workspace, ledger } = await newListener();
      const [one, two] = [await createQrCode(workspace), await createQrCode(workspace)];
      await scan(ledger, one.id, NINE, 2);
      await scan(ledger, one.id, NINE, 3);
      await scan(ledger, two.id, NINE, 1);
      vi.setSystemTime(NINE + TOLD);
      statements = await insideLedger(ledger, async (instance, { storage }) => {
        const exec = storage.sql.exec.bind(storage.sql);
        let done = 0;
        Object.assign(storage.sql, {
          exec: (...given: Parameters<typeof exec>) => {
            if (++done >= at) throw new Error("The process has died.");
            return exec(...given);
          },
        });
        await instance.alarm().catch(() => undefined);
        Reflect.deleteProperty(storage.sql, "exec");
        return done < at ? done : Number.POSITIVE_INFINITY;
      });
      await evictDurableObject(ledger);
      await insideLedger(ledger, (instance) => instance.alarm());
      await wakeAt(ledger, NINE + HOUR + TOLD);
      const told = await toldIn(workspace);
      const sums = [one.id, two.id].map((id) =>
        told.reduce((sum, [, code, scans]) => sum + (code === id ? scans : 0), 0),
      );
      expect([at, ...sums]).toEqual([at, 5, 1]);
      expect(new Set(told.map(([from, code]) => `${from} ${code}`)).size).toBe(told.length);
    }
    expect(statements).toBeLessThan(200);
  }, 240_000);

  it("are told once when the database is gone, before it wrote them or after", async () => {
    const { workspace, ledger } = await newListener();
    const { id } = await createQrCode(workspace);
    await scan(ledger, id, NINE, 3);
    vi.setSystemTime(NINE + TOLD);
    for (const isWritten of [false, true]) {
      await insideLedger(ledger, async (instance) => {
        const { DB } = env;
        const lost = (prepared: D1PreparedStatement): object => ({
          bind: (...given: unknown[]) => lost(prepared.bind(...given)),
          run: async () => {
            if (isWritten) await prepared.run();
            throw new Error("D1_ERROR: Network connection lost.");
          },
        });
        const database = new Proxy(DB, {
          get(target, name) {
            if (name === "prepare") return (sql: string) => lost(target.prepare(sql));
            const value = Reflect.get(target, name, target);
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
        Object.assign(instance, { env: { ...env, DB: database } });
        await instance.alarm();
        Object.assign(instance, { env });
      });
      expect(await toldIn(workspace)).toHaveLength(isWritten ? 1 : 0);
    }
    await evictDurableObject(ledger);
    await insideLedger(ledger, (instance) => instance.alarm());
    expect(await toldIn(workspace)).toEqual([["09:00", id, 3, 0]]);
    expect(await insideLedger(ledger, (_, state) => countIn(state, "scans"))).toBe(0);
  });

  it("are written nowhere when nobody wants them, or there is no room", async () => {
    const workspace = await createWorkspace();
    const { id } = await createQrCode(workspace);
    const ledger = ledgerAt(workspace.id);
    await scan(ledger, id, NINE);
    await wakeAt(ledger, NINE + TOLD);
    expect(await eventsOf(workspace)).toEqual([]);

    const full = await newListener();
    const code = await createQrCode(full.workspace);
    vi.setSystemTime(NINE);
    await scan(full.ledger, code.id, NINE);
    await env.DB.prepare("UPDATE workspace_usage SET stored_bytes = 1e12 WHERE id = ?")
      .bind(full.workspace.id)
      .run();
    await wakeAt(full.ledger, NINE + TOLD);
    expect(await toldIn(full.workspace)).toEqual([]);
    for (const one of [ledger, full.ledger]) {
      expect(await insideLedger(one, (_, state) => countIn(state, "scans"))).toBe(0);
    }
  });

  it("of more codes than an hour takes are told with the next", async () => {
    const ledger = ledgerAt(newId());
    const slot = slotOf(NINE);
    const hits = Array.from({ length: MAX_CODES_AN_HOUR + 1 }, () =>
      hit({ subject: "qr_code", count: "scans", id: newId(), slot, visitors: ["AAAAAAAAAAA"] }),
    );
    await ledger.append([packet(hits)]);
    await ledger.totals("qr_code", []);
    const hours = () => insideLedger(ledger, (_, state) => countIn(state, "scans"));
    expect(await hours()).toBe(2);
    await wakeAt(ledger, NINE + TOLD);
    expect(await hours()).toBe(1);
    await wakeAt(ledger, NINE + HOUR + TOLD);
    expect(await hours()).toBe(0);
  });
});
