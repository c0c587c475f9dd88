/** People, crawlers, HEAD requests (link checkers), and what browsers fetch ahead, apart. */
export type ClickKind = "human" | "crawler" | "head" | "prefetch";

/** Link id, start of the hour, HEAD or prefetch (1) or neither (0), country, index of the agent, referrer, clicks. */
export type PackedClick = [string, number, 0 | 1, string, number, string, number];

/**
 * One queue message of before HitPacket (2026-11-22): clicks of one workspace, equal ones added up,
 * each user agent written once. Nobody sends it any more; it may go after 2026-12-07.
 */
export interface ClickPacket {
  v: 1;
  workspace: string;
  /** What makes a message that comes twice count once. */
  id: string;
  agents: string[];
  clicks: PackedClick[];
  /** Which of `clicks`, all with a 1, are prefetches. */
  prefetches?: number[];
}
