import pMap from "p-map";
import type { Context, PlatformContext } from "../../../platform/context/context.ts";
import { databaseOf } from "../../../platform/db/client.ts";
import { deleteOldest } from "../../../platform/db/oldest.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import {
  type FormerPacket,
  hitsOf,
  isClicks,
  isNewer,
  isPacked,
  type ReadPacket,
} from "./click-packets.ts";
import type { ClickedLinks } from "./clicks.ports.ts";
import { claimPackets, deleteOldClicks, deleteOldDays, findTotal } from "./clicks.repository.ts";
import { clickPackets } from "./clicks.table.ts";
import { ledgerOf } from "./ledger-client.ts";
import {
  type LedgerPacket,
  type LedgerQuestion,
  type PackedLedgerPacket,
  SLOT_MILLISECONDS,
} from "./ledger-shapes.ts";

/** Longer than a queue keeps a message (14 days), so that no packet comes back after it is forgotten. */
const PACKET_MEMORY_MILLISECONDS = 15 * 24 * 60 * 60 * 1000;
const CLICK_MONTHS = 25;
/** How late a packet may come, and a day more: later there is nothing to add to a day. */
const DAYS_COUNTED_INTO = 16;
const PURGED_AT_ONCE = 2000;
const PURGE_MILLISECONDS = 10_000;
/** 250 packets a second. */
const FORGOTTEN: Share = { rows: 1000, slices: 15 };
const LEDGERS_AT_ONCE = 6;
const CHARACTERS_A_CALL = 5_000_000;
/** Of a packet of before, whose hits are handed over one by one. */
const HIT_CHARACTERS = 1000;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Visits by people so far. Those that are still to be moved are counted where they were. */
export async function countClicks(ctx: Context, linkId: string): Promise<number> {
  const { db, env, workspaceId } = ctx;
  // In this order: what is moved between the two counts twice for once, never not at all.
  const former = await findTotal(db, workspaceId, linkId);
  const totals = await ledgerOf(env, workspaceId).totals("link", [linkId]);
  return (former ?? 0) + (totals[linkId] ?? 0);
}

/** People's visits in some months (UTC, since the year 0), in their order. */
export async function countClicksByMonth(
  { env, workspaceId }: Context,
  [first, count]: [month: number, months: number],
): Promise<number[]> {
  const buckets = Array.from({ length: count + 1 }, (_, at) => monthSlot(first + at));
  const question: LedgerQuestion = {
    metrics: ["clicks"],
    groupBy: [],
    buckets,
    traffic: "human",
    filters: [],
  };
  const { rows } = await ledgerOf(env, workspaceId).answer(question);
  const months = new Array<number>(count).fill(0);
  for (const { bucket, counts } of rows) months[bucket] = (months[bucket] ?? 0) + (counts[0] ?? 0);
  return months;
}

function monthSlot(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12) / SLOT_MILLISECONDS;
}

/** Packets that a ledger did not take, and why. They may come again. */
export type Untaken = Map<ReadPacket, unknown>;

/**
 * Hands packets to the ledgers of their workspaces, which count each once. A ledger that is busy
 * holds up no other one's packets. @throws when the database does
 */
export async function countPackets(
  ctx: PlatformContext,
  packets: ReadPacket[],
  links: ClickedLinks,
): Promise<Untaken> {
  const claimed = await claimFormer(ctx, packets.filter(isClicks));
  const fresh = packets.filter((packet) => !isClicks(packet) || claimed.has(packet.id));
  const owners = await ownersOf(ctx, fresh.filter(isClicks), links);
  const byWorkspace = new Map<string, Taken[]>();
  const take = (workspace: string, taken: Taken) => {
    const some = byWorkspace.get(workspace);
    if (some) some.push(taken);
    else byWorkspace.set(workspace, [taken]);
  };
  for (const packet of fresh) {
    const { id, workspace } = packet;
    if (isPacked(packet)) take(packet.workspace, { packet, as: { id, packet: packet.packet } });
    else
      for (const [owner, hits] of Map.groupBy(
        hitsOf(packet),
        (hit) => workspace ?? owners.get(hit.id),
      )) {
        // Clicks of before 2026-11-21, of a link that is gone: nobody's.
        if (owner !== undefined) take(owner, { packet, as: { id, hits } });
      }
  }
  const untaken: Untaken = new Map();
  const append = async ([workspace, some]: [string, Taken[]]) => {
    const ledger = ledgerOf(ctx.env, workspace);
    const newer = some.filter(isOfNewer);
    const others = some.filter((taken) => !isOfNewer(taken));
    // Those that a fault leaves: a ledger that has failed is asked for no more at once.
    let left = some;
    try {
      for (const call of inCalls(others.map(({ as }) => as))) await ledger.append(call);
      left = newer;
      for (const call of inCalls(newer.map(({ as }) => as))) await ledger.appendNewer(call);
    } catch (fault) {
      for (const { packet } of left) untaken.set(packet, fault);
    }
  };
  await pMap(byWorkspace, append, { concurrency: LEDGERS_AT_ONCE });
  return untaken;
}

/** A packet, and what of it a workspace's ledger takes. */
interface Taken {
  packet: ReadPacket;
  as: LedgerPacket | PackedLedgerPacket;
}

function isOfNewer(taken: Taken): taken is Taken & { as: PackedLedgerPacket } {
  return isNewer(taken.packet);
}

/** Packets in as few calls as may be: a call takes 32 MB. */
function inCalls<Packet extends Taken["as"]>(packets: Packet[]): Packet[][] {
  const calls: Packet[][] = [];
  let room = 0;
  for (const packet of packets) {
    const size = "packet" in packet ? packet.packet.length : packet.hits.length * HIT_CHARACTERS;
    const call = calls.at(-1);
    if (call && size <= room) call.push(packet);
    else {
      calls.push([packet]);
      room = CHARACTERS_A_CALL;
    }
    room -= size;
  }
  return calls;
}

/** The workspaces of links in packets that do not name theirs. */
async function ownersOf(
  { db }: PlatformContext,
  packets: FormerPacket[],
  links: ClickedLinks,
): Promise<Map<string, string>> {
  const old = packets.filter(({ workspace }) => workspace === undefined);
  const ids = new Set(old.flatMap((packet) => hitsOf(packet).map(({ id }) => id)));
  return ids.size > 0 ? links.findLinkWorkspaces(db, [...ids]) : new Map();
}

/** Which of the packets that code of before can count too are the ledgers' to count. */
async function claimFormer(
  { env, db }: PlatformContext,
  packets: ReadPacket[],
): Promise<Set<string>> {
  const byDatabase = Map.groupBy(packets, ({ workspace }) =>
    workspace === undefined ? db : databaseOf(env, workspace),
  );
  const claimed = await Promise.all(
    Array.from(byDatabase, ([database, some]) =>
      claimPackets(
        database,
        some.map(({ id }) => id),
        now(),
      ),
    ),
  );
  return new Set(claimed.flatMap((ids) => [...ids]));
}

export async function forgetCountedPackets(ctx: PlatformContext): Promise<void> {
  const before = now() - PACKET_MEMORY_MILLISECONDS;
  await workInSlices(ctx, FORGOTTEN, (limit) => deleteOldest(ctx.db, clickPackets, before, limit));
}

/** Days since the epoch, UTC. */
function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MILLISECONDS);
}

/** Deletes hourly clicks after 25 months, in slices, for ten seconds; links' totals stay. */
export async function purgeOldClicks({ db }: PlatformContext): Promise<void> {
  const time = now();
  const date = new Date(time);
  // No 29th to 31st, which not every month has: better three days longer than one too short.
  const monthDay = Math.min(date.getUTCDate(), 28);
  const oldest = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - CLICK_MONTHS, monthDay);
  for (const [remove, day] of [
    [deleteOldClicks, dayOf(oldest)],
    [deleteOldDays, dayOf(time) - DAYS_COUNTED_INTO],
  ] as const) {
    while (now() - time < PURGE_MILLISECONDS) {
      if ((await remove(db, day, PURGED_AT_ONCE)) === 0) break;
    }
  }
}
