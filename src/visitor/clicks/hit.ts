import { withoutAddress } from "./address-host.ts";
import { type HIT_COUNTS, type HIT_SUBJECTS, type HIT_TRAFFIC, HIT_TRIGGERS } from "./hit-names.ts";
import type { AgentClass } from "./visitor-kind.ts";

/**
 * What was seen, followed, scanned or sent in. A click on a product is also its block's click, so it
 * adds nothing to the workspace's totals.
 */
export interface HitSubject {
  workspaceId: string;
  subject: (typeof HIT_SUBJECTS)[number];
  id: string;
  count: (typeof HIT_COUNTS)[number];
  /** The host of a custom domain; empty for the platform's. */
  domain: string;
}

/** One visit as it is gathered. */
export interface Hit extends HitSubject {
  /** Milliseconds since the epoch. */
  at: number;
  as: "visit" | "head" | "prefetch";
  country: string;
  /** Cloudflare's code of a part of the country: `BE` of `DE`. */
  region: string;
  language: string;
  /** The host of the referring page; empty when there is none. */
  referrer: string;
  /** Source, medium and campaign, with line ends between them; empty when there is none. */
  utm: string;
  userAgent: string;
  /** The hash of a person who may be counted as a visitor, … */
  visitor: string | undefined;
  /** … or, while it cannot be made, the address that it is to be made of; else both are undefined. */
  address: string | undefined;
}

/**
 * Who may be visitors, and have no hash yet: user agent and address by turns, some of them more than
 * once. In memory only, until hits are sent.
 */
export type People = readonly string[];

/** Hashes of visitors, some of them more than once. */
export type Visitors = readonly string[];

/** Hits that are counted alike, ready to be packed: nobody's user agent or address is in it. */
export interface SettledHits extends Omit<HitSubject, "domain"> {
  slot: number;
  traffic: (typeof HIT_TRAFFIC)[number];
  /** In the order of HIT_PROPERTIES. */
  properties: string[];
  hits: number;
  visitors: Visitors;
  people: People;
}

export const NOBODY: readonly string[] = [];

/** What is told of who hits: the same for all that they hit. */
export type HitFrom = Pick<Hit, "country" | "region" | "language" | "referrer">;
/** What else is told of a hit. */
export type HitOn = Pick<Hit, "subject" | "domain" | "utm">;

/** In the order of HIT_PROPERTIES. */
export function propertiesOf(from: HitFrom, agent: AgentClass, on: HitOn): string[] {
  const { country, region, language, referrer } = from;
  const { device, browser, os } = agent;
  const [source = "", medium = "", campaign = ""] = on.utm ? on.utm.split("\n") : [];
  return [
    on.domain,
    country,
    region && `${country}-${region}`,
    device,
    browser,
    os,
    language,
    withoutAddress(referrer),
    source,
    medium,
    campaign,
    HIT_TRIGGERS[on.subject],
  ];
}

type Settled = Pick<SettledHits, "slot" | "properties" | "hits" | "visitors" | "people">;

/** Hits of a class of agents, as they are to be packed. */
export function settled(
  hit: Hit,
  agent: AgentClass,
  { slot, properties, hits, visitors, people }: Settled,
): SettledHits {
  const { workspaceId, subject, id, count } = hit;
  const traffic = hit.as !== "visit" ? hit.as : agent.isCrawler ? "crawler" : "human";
  return {
    workspaceId,
    subject,
    id,
    count,
    slot,
    traffic,
    properties,
    hits,
    visitors: traffic === "human" ? visitors : NOBODY,
    people: traffic === "human" ? people : NOBODY,
  };
}
