import type { Pixel } from "../decide/pixel-beacon.ts";
import type { Utm } from "../decide/visitor-link.ts";
import type { PagePart, Times } from "./page-parts.ts";

/** A page as it was rendered when it was published: all that a visit needs. Stored as JSON. */
export interface PublishedPage {
  /** Names these bytes: another rendering has another. */
  hash: string;
  /** Names the code that drew it; code of before 2026-11-23 gave none. */
  code?: string;
  parts: PagePart[];
  /** The CSP source of its style sheet. */
  styleHash: string;
  scripts: string[];
  /** Origins that embeds load from after a click. */
  frames: string[];
  /** What clicks lead to, by block, then by item; `""` is a block's only one. */
  destinations: Record<string, Record<string, string>>;
  /** Blocks that lead to a short link, with its id: where that is, is asked at the click. */
  links: Record<string, string>;
  /**
   * Blocks that lead to a product, with its id; empty: each item is the id of one. Code of before
   * 2026-11-24 did not say.
   */
  products?: Record<string, string>;
  /** What is saved of a block, by the end of its address: `{block}.vcf`, `{block}.ics`. */
  downloads: Record<string, string>;
  noindex: boolean;
  /**
   * When it shows something that is no decoration; left out when that is always, or never. Code of
   * before did not say.
   */
  filledDuring?: Times[];
  /** Its version, for what is sent with its forms. Code of before did not draw forms. */
  version?: number;
  /** The forms that can be sent, by block. */
  forms?: Record<string, PublishedForm>;
  /** Origins beside our own that answers to its forms lead to. */
  formTargets?: string[];
}

/** A form as it was published. */
export interface PublishedForm {
  /** Names these settings. */
  digest: string;
  /** As the form block's schema puts them out. */
  settings: object;
  /** The page's, BCP 47. */
  language: string;
  /** Whether it is drawn closed, as it has taken as many as it may. Code of before did not look. */
  isFull?: boolean;
}

/** What a visit needs to know of a page. Cached, so it holds no secret. */
export interface VisitorBioPage {
  id: string;
  workspaceId: string;
  /** `paused`: as if it were not there. `gone`: switched off by the operator, or its workspace is. */
  state: "live" | "paused" | "gone";
  hasPassword: boolean;
  sensitiveContent: boolean;
  /** Added to what clicks lead to. */
  utm: Utm;
  /** Those that are switched on. */
  pixels: Pixel[];
  published: PublishedPage;
}
