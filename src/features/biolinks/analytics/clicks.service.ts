import { z } from "zod";
import type { Context, PlatformContext } from "../../../platform/context/context.ts";
import { type Database, databaseOf } from "../../../platform/db/client.ts";
import { deleteOldest } from "../../../platform/db/oldest.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import type { ClickKind, ClickPacket, PackedClick } from "../../../visitor/clicks/click-packet.ts";
import type { HitPacket } from "../../../visitor/clicks/hit-packet.ts";
import { deviceOf, isCrawler, standInFor } from "../../../visitor/clicks/visitor-kind.ts";
import { addUp, type CountedClicks, dayOf } from "./click-counts.ts";
import type { ClickedLinks } from "./clicks.ports.ts";
import {
  addClicks,
  deleteOldClicks,
  deleteOldDays,
  findCountedPackets,
  findTotal,
} from "./clicks.repository.ts";
import { clickPackets } from "./clicks.table.ts";
import { SLOT_MILLISECONDS } from "./ledger-shapes.ts";
import { readHitPacket, toLedgerPacket, withoutVisitors } from "./read-packet.ts";
import { countryOf, referrerOf } from "./referrer.ts";

/** Longer than a queue keeps a message (14 days), so that no packet comes back after it is forgotten. */
const PACKET_MEMORY_MILLISECONDS = 15 * 24 * 60 * 60 * 1000;
const HOUR_MILLISECONDS = 60 * 60 * 1000;
const CLICK_MONTHS = 25;
/** How late a packet may come, and a day more: later there is nothing to add to a day. */
const DAYS_COUNTED_INTO = 16;
const PURGED_AT_ONCE = 2000;
const PURGE_MILLISECONDS = 10_000;
/** 250 packets a second. */
const FORGOTTEN: Share = { rows: 1000, slices: 15 };

/** Visits by people so far. */
export async function countClicks({ db, workspaceId }: Context, linkId: string): Promise<number> {
  return (await findTotal(db, workspaceId, linkId)) ?? 0;
}

/** By hand: a packet may hold thousands, and they are read beside visitors' requests. */
const Clicks = z.custom<PackedClick[]>(
  (clicks) => Array.isArray(clicks) && clicks.every(isPackedClick),
);

function isPackedClick(click: unknown): boolean {
  if (!Array.isArray(click) || click.length !== 7) return false;
  const [linkId, hour, other, country, agent, referrer, count] = click;
  const isSaid = [linkId, country, referrer].every((text) => typeof text === "string");
  const isCounted = [hour, agent, count].every(
    (number) => Number.isSafeInteger(number) && number >= 0,
  );
  return isSaid && isCounted && (other === 0 || other === 1);
}

const Unversioned = z.object({ id: z.string(), agents: z.array(z.string()), clicks: Clicks });
const Current = Unversioned.extend({
  v: z.literal(1),
  workspace: z.uuid(),
  prefetches: z.array(z.number()).optional(),
});

/** A packet of before HitPacket; without a workspace of before 2026-11-21: clicks of several. */
type ReadClickPacket = Omit<ClickPacket, "v" | "workspace" | "prefetches"> & {
  workspace: string | undefined;
  prefetches?: number[] | undefined;
};

export type ReadPacket = ReadClickPacket | HitPacket;

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readClickPacket(body: unknown): ReadPacket | undefined {
  const newest = readHitPacket(body);
  if (newest) return newest;
  const current = Current.safeParse(body);
  if (current.success) return current.data;
  if (typeof body !== "object" || body === null || "v" in body) return undefined;
  const old = Unversioned.safeParse(body);
  return old.success ? { ...old.data, workspace: undefined } : undefined;
}

/** Counts packets, those in one database all or none; one that comes again changes nothing. */
export async function countPackets(
  { env, db }: PlatformContext,
  packets: ReadPacket[],
  links: ClickedLinks,
): Promise<void> {
  const databaseFor = ({ workspace }: ReadPacket) =>
    workspace === undefined ? db : databaseOf(env, workspace);
  const together = Map.groupBy(packets, databaseFor);
  await Promise.all([...together].map(([at, some]) => addAll(at, some, links)));
}

async function addAll(db: Database, packets: ReadPacket[], links: ClickedLinks): Promise<void> {
  const ids = new Set(packets.flatMap(ownerlessLinks));
  const owners = ids.size > 0 ? await links.findLinkWorkspaces(db, [...ids]) : undefined;
  const left = new Map(packets.map((packet) => [packet.id, packet]));
  while (left.size > 0) {
    const parts = addUp([...left.values()].flatMap((packet) => rowsOf(packet, owners)));
    if (await addClicks(db, [...left.keys()], parts, links, now())) return;
    const counted = await findCountedPackets(db, [...left.keys()]);
    if (counted.size === 0) throw new Error("A packet was counted before, and none of them was.");
    for (const id of counted) left.delete(id);
  }
}

function ownerlessLinks(packet: ReadPacket): string[] {
  if (packet.workspace !== undefined || isHitPacket(packet)) return [];
  return packet.clicks.map(([linkId]) => linkId);
}

function isHitPacket(packet: ReadPacket): packet is HitPacket {
  return "texts" in packet;
}

function rowsOfHits(packet: HitPacket): CountedClicks[] {
  const clicks = toLedgerPacket(packet).hits.filter(
    ({ subject, count }) => subject === "link" && count === "clicks",
  );
  return clicks.map(({ id, slot, traffic, properties, hits }) => ({
    linkId: id,
    workspaceId: packet.workspace,
    hour: Math.floor((slot * SLOT_MILLISECONDS) / HOUR_MILLISECONDS) * HOUR_MILLISECONDS,
    kind: traffic,
    country: properties.country ?? "",
    device: properties.device ?? "",
    referrer: properties.referrer ?? "",
    clicks: hits,
  }));
}

function rowsOf(packet: ReadPacket, owners: Map<string, string> | undefined): CountedClicks[] {
  if (isHitPacket(packet)) return rowsOfHits(packet);
  const agents = packet.agents.map((userAgent) => ({
    crawler: isCrawler(userAgent),
    device: deviceOf(userAgent),
  }));
  const hosts = new Set(packet.clicks.map(([, , , , , host]) => host));
  const referrers = new Map([...hosts].map((host) => [host, referrerOf(host)]));
  const prefetches = new Set(packet.prefetches);
  return packet.clicks.map(([linkId, hour, other, given, agent, host, clicks], at) => {
    const { crawler = true, device = "" } = agents[agent] ?? {};
    const unasked = prefetches.has(at) ? "prefetch" : "head";
    const kind: ClickKind = other ? unasked : crawler ? "crawler" : "human";
    const workspaceId = packet.workspace ?? owners?.get(linkId) ?? "";
    const [country, referrer] = [countryOf(given), referrers.get(host) ?? ""];
    return { linkId, workspaceId, hour, kind, country, device, referrer, clicks };
  });
}

/** A packet as it may be stored: it still counts the same hits, but tells nothing of anybody. */
export function withoutAgents(packet: ReadPacket): ReadPacket {
  if (isHitPacket(packet)) return withoutVisitors(packet);
  return { ...packet, agents: packet.agents.map(standInFor) };
}

export async function forgetCountedPackets(ctx: PlatformContext): Promise<void> {
  const before = now() - PACKET_MEMORY_MILLISECONDS;
  await workInSlices(ctx, FORGOTTEN, (limit) => deleteOldest(ctx.db, clickPackets, before, limit));
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
