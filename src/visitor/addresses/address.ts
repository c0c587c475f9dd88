import type { Env } from "../../platform/config.ts";
import type { ReadFrom } from "../../platform/db/client.ts";
import type { VisitorBioPage } from "../bio-pages/published-page.ts";
import type { VisitorLink } from "../decide/visitor-link.ts";
import type { VisitorQrCode } from "../decide/visitor-qr-code.ts";
import type { ReportBook } from "../reports/report-book.ts";

/** What a visitor asks for: a host (empty: the platform's) and a slug's key (empty: its root). */
export interface Asked {
  host: string;
  slugKey: string;
}

/** What there is at an address. */
export interface AtAddress {
  link: VisitorLink | null;
  /** The QR code, where one stands there. */
  qrCode?: VisitorQrCode;
  /** The page, where one stands there. */
  page?: VisitorBioPage;
  /** Where a domain sends visitors of an address without a link; null: to the not-found page. */
  elsewhere: string | null;
  /** Whose link or domain it is; null: nobody's. */
  workspaceId: string | null;
}

/** The same, with how new it is. Cached as it is. */
export interface Found extends AtAddress {
  /** A change for visitors that the database knew when this was read: it may have known later ones. */
  asOf: number;
}

/** From where to read so that all changes up to one are known there: that is what is read as of. */
export interface Position {
  asOf: number;
  from: Exclude<ReadFrom, "anywhere">;
}

/** Where addresses are looked up that are held nowhere. */
export interface AddressDirectory {
  /** What is at each of some addresses, by one query; instead of one that cannot be read, why. */
  find(env: Env, asked: Asked[], position: Position): Promise<(Found | Error)[]>;
  /** What is at an address now, with the stored hash of its password: of one version, both. */
  findProtected(env: Env, asked: Asked): Promise<AtAddress & { hash: string | null }>;
  /** Where a workspace's link is now: a URL, or a path on the platform's host; null: nowhere. */
  findLinkAddress(env: Env, workspaceId: string, linkId: string): Promise<string | null>;
  /** Where visitors' reports go. */
  reports: ReportBook;
}

/** The name of an address: in memory, in the shared cache, and in the change log. */
export function addressName({ host, slugKey }: Asked): string {
  return `${host}/${slugKey}`;
}
