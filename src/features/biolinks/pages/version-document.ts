import type { Visibility } from "../../../visitor/bio-pages/page-parts.ts";
import type { Utm } from "../../../visitor/decide/visitor-link.ts";
import type { PageDocument } from "./view/page-document.ts";

/** What of a version visitors meet before the page itself. */
export interface VersionSettings {
  sensitive_content: boolean;
  pixels: string[];
  utm: Utm;
}

export interface VersionBlock {
  id: string;
  type: string;
  enabled: boolean;
  settings: Record<string, unknown>;
  visibility: Visibility | null;
}

/** What a version holds: all of a draft, blocks that are switched off too, so that it comes back. */
export interface VersionDocument extends Omit<PageDocument, "blocks"> {
  settings: VersionSettings;
  /** In their order. */
  blocks: VersionBlock[];
}
