/** People, crawlers, HEAD requests (link checkers), and what browsers fetch ahead, apart. */
export type ClickKind = "human" | "crawler" | "head" | "prefetch";

/** One visit as it is gathered. */
export interface Click {
  workspaceId: string;
  linkId: string;
  /** Milliseconds since the epoch. */
  at: number;
  as: "visit" | "head" | "prefetch";
  country: string;
  userAgent: string;
  /** The host of the referring page; empty when there is none. */
  referrer: string;
}

/** Link id, start of the hour, HEAD or prefetch (1) or neither (0), country, index of the agent, referrer, clicks. */
export type PackedClick = [string, number, 0 | 1, string, number, string, number];

/** One queue message: clicks of one workspace, equal ones added up, each user agent written once. */
export interface ClickPacket {
  v: 1;
  workspace: string;
  /** What makes a message that comes twice count once. */
  id: string;
  agents: string[];
  clicks: PackedClick[];
  /**
   * Which of `clicks`, all with a 1, are prefetches. Since 2026-11-21: code from before reads the
   * packet without this, and so counts them as HEAD, never as people.
   */
  prefetches?: number[];
}

/** A queue takes 128 KB a message; the estimate below is generous, and this leaves room besides. */
const MAX_PACKET_BYTES = 115_000;
const ENTRY_BYTES = 97;
/** Characters that JSON and UTF-8 leave as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Packs gathered clicks, with how often each happened, into as few messages as may be sent. */
export function packClicks(
  counted: Iterable<{ click: Click; hour: number; count: number }>,
  newPacketId: () => string,
): ClickPacket[] {
  const packets: ClickPacket[] = [];
  const open = new Map<string, OpenPacket>();
  for (const { click, hour, count } of counted) {
    const { workspaceId, linkId, country, referrer, userAgent } = click;
    const entryBytes = ENTRY_BYTES + jsonBytes(referrer);
    const bytes = entryBytes + jsonBytes(userAgent);
    let filling = open.get(workspaceId);
    if (!filling || bytes > filling.room) {
      const packet: ClickPacket = {
        v: 1,
        workspace: workspaceId,
        id: newPacketId(),
        agents: [],
        clicks: [],
      };
      packets.push(packet);
      filling = { packet, agents: new Map(), room: MAX_PACKET_BYTES };
      open.set(workspaceId, filling);
    }
    const { packet, agents } = filling;
    let agent = agents.get(userAgent);
    filling.room -= agent === undefined ? bytes : entryBytes;
    if (agent === undefined) {
      agent = packet.agents.push(userAgent) - 1;
      agents.set(userAgent, agent);
    }
    const other = click.as === "visit" ? 0 : 1;
    const at = packet.clicks.push([linkId, hour, other, country, agent, referrer, count]) - 1;
    if (click.as !== "prefetch") continue;
    packet.prefetches ??= [];
    packet.prefetches.push(at);
  }
  return packets;
}

/** A workspace's packet that there may be room in, in bytes. */
interface OpenPacket {
  packet: ClickPacket;
  agents: Map<string, number>;
  room: number;
}

/** No fewer bytes than a text takes in JSON: a character that is escaped takes six. */
function jsonBytes(text: string): number {
  return (PLAIN.test(text) ? 1 : 6) * text.length;
}
