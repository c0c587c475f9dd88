import type { Database } from "../../db/client.ts";
import { describeFault } from "../../db/faults.ts";
import { now } from "../../lib/clock.ts";
import type { ClickKind, ClickPacket } from "./click-packet.ts";
import { addClicks, type CountedClicks, forgetPackets, sumClicks } from "./clicks.repository.ts";
import { deviceOf, isCrawler } from "./visitor-kind.ts";

/** Longer than a queue keeps a message (4 days), so that no packet comes back after it is forgotten. */
const PACKET_MEMORY_MILLISECONDS = 5 * 24 * 60 * 60 * 1000;
const FORGET_AT_ONCE = 5000;

/** Visits by people so far. */
export async function countClicks(
  db: Database,
  workspaceId: string,
  linkId: string,
): Promise<number> {
  return sumClicks(db, workspaceId, linkId, "human");
}

/** Counts a packet; a packet that comes again changes nothing. */
export async function countPacket(db: Database, packet: ClickPacket): Promise<void> {
  const agents = packet.agents.map((userAgent) => ({
    crawler: isCrawler(userAgent),
    device: deviceOf(userAgent),
  }));
  const counted = packet.clicks.map(
    ([linkId, hour, head, country, agent, referrer, clicks]): CountedClicks => {
      const { crawler = true, device = "" } = agents[agent] ?? {};
      const kind: ClickKind = head ? "head" : crawler ? "crawler" : "human";
      return [linkId, hour, kind, country, device, referrer, clicks];
    },
  );
  await addClicks(db, packet.id, counted, now());
}

/** Counts the packets of a queue batch; each that fails is delivered again on its own. */
export async function countPackets(db: Database, batch: MessageBatch<ClickPacket>): Promise<void> {
  for (const message of batch.messages) {
    try {
      await countPacket(db, message.body);
      message.ack();
    } catch (error) {
      console.error({
        event: "clicks_delayed",
        message: message.id,
        fault: describeFault(error),
      });
      message.retry();
    }
  }
}

export async function forgetCountedPackets(db: Database): Promise<void> {
  await forgetPackets(db, now() - PACKET_MEMORY_MILLISECONDS, FORGET_AT_ONCE);
}
