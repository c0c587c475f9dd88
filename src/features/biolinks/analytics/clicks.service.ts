import { z } from "zod";
import type { Context, PlatformContext } from "../../../platform/context/context.ts";
import { now } from "../../../platform/time.ts";
import type { ClickKind, ClickPacket, PackedClick } from "../../../visitor/clicks/click-packet.ts";
import { deviceOf, isCrawler } from "../../../visitor/clicks/visitor-kind.ts";
import type { ClickedLinks } from "./clicks.ports.ts";
import { addClicks, type CountedClicks, forgetPackets, sumClicks } from "./clicks.repository.ts";

/** Longer than a queue keeps a message (14 days), so that no packet comes back after it is forgotten. */
const PACKET_MEMORY_MILLISECONDS = 15 * 24 * 60 * 60 * 1000;
const FORGET_AT_ONCE = 5000;

/** Visits by people so far. */
export async function countClicks({ db, workspaceId }: Context, linkId: string): Promise<number> {
  return sumClicks(db, workspaceId, linkId, "human");
}

const Clicks = z.array(
  z.tuple([
    z.string(),
    z.number(),
    z.union([z.literal(0), z.literal(1)]),
    z.string(),
    z.number(),
    z.string(),
    z.number(),
  ]),
);
const Unversioned = z.object({ id: z.string(), agents: z.array(z.string()), clicks: Clicks });
const Current = Unversioned.extend({ v: z.literal(1), workspace: z.uuid() });

/** A packet; without a workspace it is of before 2026-11-21, when one held clicks of several. */
type ReadPacket = Omit<ClickPacket, "v" | "workspace"> & { workspace: string | undefined };

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readClickPacket(body: unknown): ReadPacket | undefined {
  const current = Current.safeParse(body);
  if (current.success) return current.data;
  if (typeof body !== "object" || body === null || "v" in body) return undefined;
  const old = Unversioned.safeParse(body);
  return old.success ? { ...old.data, workspace: undefined } : undefined;
}

/** Counts a packet; a packet that comes again changes nothing. */
export async function countPacket(
  { db }: PlatformContext,
  packet: ReadPacket,
  links: ClickedLinks,
): Promise<void> {
  const agents = packet.agents.map((userAgent) => ({
    crawler: isCrawler(userAgent),
    device: deviceOf(userAgent),
  }));
  const { workspace } = packet;
  const ids = [...new Set(packet.clicks.map(([linkId]) => linkId))];
  const found = workspace ? undefined : await links.findLinkWorkspaces(db, ids);
  const toRow = (click: PackedClick): CountedClicks => {
    const [linkId, hour, head, country, agent, referrer, clicks] = click;
    const { crawler = true, device = "" } = agents[agent] ?? {};
    const kind: ClickKind = head ? "head" : crawler ? "crawler" : "human";
    const owner = workspace ?? found?.get(linkId) ?? "";
    return [linkId, hour, kind, country, device, referrer, clicks, owner];
  };
  await addClicks(db, packet.id, packet.clicks.map(toRow), links, now());
}

export async function forgetCountedPackets({ db }: PlatformContext): Promise<void> {
  await forgetPackets(db, now() - PACKET_MEMORY_MILLISECONDS, FORGET_AT_ONCE);
}
