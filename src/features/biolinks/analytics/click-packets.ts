import { z } from "zod";
import type { ClickPacket, PackedClick } from "../../../visitor/clicks/click-packet.ts";
import type { HitPacket } from "../../../visitor/clicks/hit-packet.ts";
import { deviceOf, isCrawler, standInFor } from "../../../visitor/clicks/visitor-kind.ts";
import {
  type FormerHitPacket,
  formerHits,
  readFormerHitPacket,
  withoutFormerVisitors,
} from "./former-hit-packet.ts";
import { type CountedHits, SLOT_MILLISECONDS, type TrafficKind } from "./ledger-shapes.ts";
import { readHitPacket, withoutVisitors } from "./read-packet.ts";
import { countryOf, referrerOf } from "./referrer.ts";

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

/** A packet of before 2026-11-22; without a workspace of before 2026-11-21: clicks of several. */
type ClicksOfBefore = Omit<ClickPacket, "v" | "workspace" | "prefetches"> & {
  workspace: string | undefined;
  prefetches?: number[] | undefined;
};

export type FormerPacket = ClicksOfBefore | FormerHitPacket;
export type ReadPacket = FormerPacket | HitPacket;

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readClickPacket(body: unknown): ReadPacket | undefined {
  const newest = readHitPacket(body) ?? readFormerHitPacket(body);
  if (newest) return newest;
  const current = Current.safeParse(body);
  if (current.success) return current.data;
  if (typeof body !== "object" || body === null || "v" in body) return undefined;
  const old = Unversioned.safeParse(body);
  return old.success ? { ...old.data, workspace: undefined } : undefined;
}

/** What code of before 2026-11-22 may count too, while a deploy lasts: packets that it can read. */
export function isClicks(packet: ReadPacket): packet is ClicksOfBefore {
  return "clicks" in packet;
}

/** Whether what a packet counts is still to be read. */
export function isPacked(packet: ReadPacket): packet is HitPacket {
  return "packet" in packet;
}

/** Whether a packet is of a shape that code of before 2026-11-24 does not know. */
export function isNewer(packet: ReadPacket): boolean {
  return isPacked(packet) && packet.v > 3;
}

/** What a packet of before counts. Of the hour that packets of version 1 tell, all is in the first quarter. */
export function hitsOf(packet: FormerPacket): CountedHits[] {
  if (!isClicks(packet)) return formerHits(packet);
  const agents = packet.agents.map((userAgent) => ({
    crawler: isCrawler(userAgent),
    device: deviceOf(userAgent),
  }));
  const hosts = new Set(packet.clicks.map(([, , , , , host]) => host));
  const referrers = new Map([...hosts].map((host) => [host, referrerOf(host)]));
  const prefetches = new Set(packet.prefetches);
  return packet.clicks.map(([id, hour, other, given, agent, host, hits], at): CountedHits => {
    const { crawler = true, device = "" } = agents[agent] ?? {};
    const unasked = prefetches.has(at) ? "prefetch" : "head";
    const traffic: TrafficKind = other ? unasked : crawler ? "crawler" : "human";
    const [country, referrer] = [countryOf(given), referrers.get(host) ?? ""];
    return {
      subject: "link",
      id,
      slot: Math.floor(hour / SLOT_MILLISECONDS),
      count: "clicks",
      traffic,
      properties: { country, device, referrer },
      hits,
      visitors: [],
    };
  });
}

/** A packet as it may be stored: it still counts the same, but names nobody's user agent, and no visitor. */
export function withoutAgents(packet: ReadPacket): ReadPacket {
  if (isPacked(packet)) return withoutVisitors(packet);
  if (!isClicks(packet)) return withoutFormerVisitors(packet);
  return { ...packet, agents: packet.agents.map(standInFor) };
}
