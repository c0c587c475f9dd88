/** A ledger alone, with a clock that is set: for `npm run bench:analytics`. */
import { countsKey } from "../../src/features/biolinks/analytics/ledger-keys.ts";
import {
  type CountedHits,
  type LedgerQuestion,
  SLOT_MILLISECONDS,
} from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { SPLIT_BOUNDS } from "../../src/features/biolinks/analytics/ledger-split.ts";
import { WorkspaceLedger } from "../../src/features/biolinks/analytics/workspace-ledger.ts";
import type { Env } from "../../src/platform/config.ts";
import { newId } from "../../src/platform/ids.ts";
import type { StorageWork } from "../database-work.ts";
import type { Asked, Copying, Filling } from "../ledger-filling.ts";
import { countStorage } from "./counted-storage.ts";

const SLOTS_A_DAY = 96;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
const HITS_A_PACKET = 500;
let random = 42;

/** The same numbers in each run. */
function next(): number {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return random / 2 ** 32;
}

/** A few of many come often, as links and referrers do. */
function skewed(many: number): number {
  return Math.min(many - 1, Math.floor(many ** next()) - 1);
}

const pick = (prefix: string, many: number) => `${prefix}${skewed(many)}`;

function hitsOf(day: number, links: number): CountedHits {
  const country = `C${skewed(60).toString(36)}`.toUpperCase().padEnd(2, "0");
  const isCampaign = next() < 0.3;
  // Most at noon, fewest at night.
  const slot = Math.floor(((next() + next()) / 2) * SLOTS_A_DAY);
  const isHuman = next() < 0.85;
  return {
    subject: "link",
    id: `018f0000-0000-7000-8000-${skewed(links).toString(16).padStart(12, "0")}`,
    slot: day / SLOT_MILLISECONDS + slot,
    count: "clicks",
    traffic: isHuman ? "human" : "crawler",
    properties: {
      domain: "go.brand.com",
      country,
      region: pick(`${country}-`, 12),
      device: ["mobile", "desktop", "tablet"][skewed(3)] ?? "",
      browser: pick("browser ", 8),
      os: pick("os ", 6),
      language: pick("l", 15),
      referrer: next() < 0.4 ? "" : `${pick("site", 2000)}.example`,
      ...(isCampaign && {
        utm_source: pick("source ", 10),
        utm_medium: pick("medium ", 6),
        utm_campaign: pick("campaign ", 50),
      }),
    },
    hits: 1,
    visitors: isHuman
      ? [
          Math.floor(next() * 1e9)
            .toString(36)
            .padStart(11, "A"),
        ]
      : [],
  };
}

let invented = 0;

/** As a stranger would send it to blow a ledger up. */
function inventedHitsOf(day: number, links: number): CountedHits {
  const hits = hitsOf(day, links);
  const text = (invented++).toString(36);
  const properties = {
    ...hits.properties,
    referrer: `${text}.example`,
    utm_source: `source ${text}`.padEnd(120, "."),
    utm_medium: `medium ${text}`.padEnd(120, "."),
    utm_campaign: `campaign ${text}`.padEnd(120, "."),
  };
  return { ...hits, properties };
}

export class BenchLedger extends WorkspaceLedger {
  protected override readonly splitBounds =
    this.ctx.id.name === "split" ? { ...SPLIT_BOUNDS, bytes: 0 } : SPLIT_BOUNDS;
  readonly #work: StorageWork;

  constructor(ctx: DurableObjectState, env: Env) {
    const work = { rowsRead: 0, rowsWritten: 0, keysWritten: 0 };
    countStorage(ctx.storage, work);
    super(ctx, env);
    this.#work = work;
  }

  /** Leaves what comes in the inbox: `totals` adds it up. */
  async send({ day, events, links, parts }: Filling): Promise<void> {
    Date.now = () => day;
    for (let part = 0; part < parts; part++) {
      const hits = Array.from({ length: HITS_A_PACKET }, () =>
        hitsOf(day - DAY_MILLISECONDS, links),
      );
      for (let sent = 0; sent < events / parts; sent += HITS_A_PACKET)
        await this.append([{ id: newId(), hits }]);
    }
  }

  async fill({ day, events, links, parts, isFlood }: Filling): Promise<void> {
    Date.now = () => day + 24 * 60 * 60 * 1000 - 1;
    const make = isFlood ? inventedHitsOf : hitsOf;
    for (let part = 0; part < parts; part++) {
      const hits = Array.from({ length: Math.round(events / parts) }, () => make(day, links));
      const packets = Array.from({ length: Math.ceil(hits.length / HITS_A_PACKET) }, (_, at) => ({
        id: newId(),
        hits: hits.slice(at * HITS_A_PACKET, (at + 1) * HITS_A_PACKET),
      }));
      await this.append(packets);
      await this.totals("link", []);
    }
  }

  copy({ first, days, before }: Copying): void {
    const keys = [first, first + days, before].map((day) => countsKey(day, 0, 0));
    this.ctx.storage.sql.exec(
      "INSERT INTO counts SELECT key - ?3, body FROM counts WHERE key >= ?1 AND key < ?2",
      ...keys,
    );
  }

  async ask(question: LedgerQuestion): Promise<Asked> {
    const before = this.#rowsRead();
    const { rows } = await this.answer(question);
    const total = rows.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0);
    return { rows: rows.length, total, rowsRead: this.#rowsRead() - before };
  }

  /** Asked of no row, so that those of all statements before are known. */
  #rowsRead(): number {
    this.ctx.storage.sql.exec("SELECT 1");
    return this.#work.rowsRead;
  }

  size(): { bytes: number; rows: Record<string, number> } {
    const { sql } = this.ctx.storage;
    const rows: Record<string, number> = {};
    for (const table of ["counts", "terms", "subjects", "marks", "seen"])
      rows[table] = Number(sql.exec(`SELECT count(*) AS n FROM ${table}`).one().n);
    return { bytes: sql.databaseSize, rows };
  }
}

interface BenchEnv {
  LEDGER: DurableObjectNamespace<BenchLedger>;
}

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const ledger = env.LEDGER.getByName(searchParams.get("ledger") ?? "bench");
    if (pathname === "/send") {
      await ledger.send(await request.json<Filling>());
      return Response.json({});
    }
    if (pathname === "/count") return Response.json(await ledger.totals("link", []));
    if (pathname === "/fill") {
      await ledger.fill(await request.json<Filling>());
      return Response.json({});
    }
    if (pathname === "/copy") {
      await ledger.copy(await request.json<Copying>());
      return Response.json({});
    }
    if (pathname === "/size") return Response.json(await ledger.size());
    return Response.json(await ledger.ask(await request.json<LedgerQuestion>()));
  },
};
