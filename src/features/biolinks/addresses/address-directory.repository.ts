/** Where visitors' addresses are read: the address book, with the hosts, workspaces and pixels. */
import { joinSuspension } from "../../../access/workspaces/workspaces.ports.ts";
import { databaseOf, sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { writtenUrl } from "../../../platform/web-url.ts";
import type {
  AddressDirectory,
  Asked,
  AtAddress,
  Found,
} from "../../../visitor/addresses/address.ts";
import { joinAddress } from "../../../visitor/addresses/addresses.ports.ts";
import type { PublishedPage, VisitorBioPage } from "../../../visitor/bio-pages/published-page.ts";
import type { Pixel } from "../../../visitor/decide/pixel-beacon.ts";
import type { RedirectStatus, Utm, VisitorLink } from "../../../visitor/decide/visitor-link.ts";
import type { VisitorQrCode } from "../../../visitor/decide/visitor-qr-code.ts";
import { CODE_PREFIX } from "../../../visitor/slug.ts";
import { elsewhere, joinDomainInService, joinServedDomain } from "../domains/domains.ports.ts";
import { findLinkTargets, joinLink, linkAddress, passwordHash } from "../links/links.ports.ts";
import {
  joinPage,
  joinPageAt,
  joinPageAtRoot,
  joinPageRender,
  pageAddress,
  pagePasswordHash,
} from "../pages/pages.ports.ts";
import { chosenPixels } from "../pixels/pixels.ports.ts";
import { reportBook } from "../reports/reports.service.ts";

/** Of a QR code that leads to a link or a page: which. */
const TARGET_LINK = `CASE WHEN addresses.kind = 'qr_code' AND json_valid(addresses.document)
  THEN addresses.document ->> 'link' END`;
/**
 * A link stands at a domain. A QR code stands at the host that is printed, whatever domain that is
 * by now, as long as it is its workspace's.
 */
const PLACE = `CASE WHEN asked.value ->> 0 = '' OR instr(asked.value ->> 1, '${CODE_PREFIX}') = 1
  THEN asked.value ->> 0 ELSE domains.id END`;
/** What later code puts there is nothing to this one. No IN: that reads a row for each of its values. */
const KNOWN = `(addresses.kind = 'link' OR addresses.kind = 'page' OR addresses.kind = 'qr_code'
  AND (addresses.place = '' OR addresses.workspace_id = domains.workspace_id))`;

/** A page is found by its rendering, which says where it stands: one row says all of it. */
const WITH_HANDLE = `CASE WHEN instr(asked.value ->> 1, '@') = 1
  THEN ${PLACE} || '/' || (asked.value ->> 1) END`;
const AT_ROOT = `CASE WHEN asked.value ->> 1 = '' THEN ${PLACE} || '/' END`;
const PLACED_PAGE = "coalesce(handle_page.page_id, root_page.page_id)";
/** One whose rendering does not say that yet is found in the address book, as all else is. */
const SLUG_KEY = `CASE WHEN ${PLACED_PAGE} IS NULL THEN asked.value ->> 1 END`;
const PAGE_IN_BOOK = "CASE WHEN addresses.kind = 'page' THEN addresses.target_id END";
const PAGE = `coalesce(${PLACED_PAGE}, ${PAGE_IN_BOOK})`;
const ofPage = (column: string) => `handle_page.${column}, root_page.${column}`;
/** Not of a page that is too large now: it is stored after the rendering, which would be read with it. */
const DOCUMENT = `coalesce(CASE WHEN coalesce(${ofPage("bytes")}) <= ?2
  THEN coalesce(${ofPage("document")}) END, addresses.document)`;
/** Of a document that is broken none: its visitors alone are to feel it. */
const CHOSEN = `CASE WHEN json_valid(${DOCUMENT}) THEN ${DOCUMENT} -> 'pixels' ELSE '[]' END`;

/** So much of pages one look-up brings into an isolate's 128 MB, as JSON: eight of the largest. */
const MOST_PAGE_BYTES = 8 * 1024 * 1024;
const RENDER_BYTES = `coalesce(${ofPage("bytes")}, page_renders.bytes)`;
/** Not of a page that takes more than ?2. */
const RENDER = `CASE WHEN ${RENDER_BYTES} <= ?2
  THEN coalesce(${ofPage("render")}, page_renders.render) END`;

const OWNER = `coalesce(${ofPage("workspace_id")}, addresses.workspace_id)`;
const WORKSPACE = `coalesce(${OWNER}, domains.workspace_id)`;

/**
 * For each of some addresses (?1: a JSON list of `[host, slug's key]`) one row, in their order: each
 * table by its key. A row without a link says where its domain sends such visitors. ?2: the bytes
 * of the largest page that is wanted.
 */
const findWith = (more: string, asked: string) => `
  SELECT ${more}asked.key AS at, coalesce(${PLACED_PAGE}, addresses.target_id) AS id,
    ${DOCUMENT} AS document,
    ${WORKSPACE} AS workspace_id, suspension.id IS NOT NULL AS is_suspended,
    CASE WHEN suspension.id IS NULL
      THEN ${elsewhere("asked.value ->> 1 = ''")} END AS elsewhere,
    ${chosenPixels(CHOSEN, OWNER)} AS pixels,
    CASE WHEN ${PLACED_PAGE} IS NULL THEN addresses.kind ELSE 'page' END AS kind,
    coalesce(${linkAddress("target_link", "target_domain")},
      ${pageAddress("target_page", "page_domain")}) AS target_address,
    ${RENDER} AS render, ${RENDER_BYTES} AS render_bytes
  FROM ${asked} AS asked
    LEFT ${joinServedDomain("asked.value ->> 0")}
    LEFT ${joinPageAt("handle_page", WITH_HANDLE)}
    LEFT ${joinPageAtRoot("root_page", AT_ROOT)}
    LEFT ${joinAddress(PLACE, SLUG_KEY)} AND ${KNOWN}
    LEFT ${joinLink("target_link", TARGET_LINK, "addresses.workspace_id")}
    LEFT ${joinDomainInService("target_domain", "target_link.domain_id")}
    LEFT ${joinPage("target_page", TARGET_LINK, "addresses.workspace_id")}
    LEFT ${joinDomainInService("page_domain", "target_page.domain_id")}
    LEFT ${joinPageRender(PAGE_IN_BOOK)}
    LEFT ${joinSuspension("suspension", WORKSPACE)}`;

/** The one address of the list: of a list that is walked, each step is a row that is read. */
const ONE = "(SELECT 0 AS key, ?1 -> 0 AS value)";
export const FIND_ADDRESS = findWith("", ONE);
const FIND_ADDRESSES = findWith("", "json_each(?1)");
const FIND_PROTECTED = findWith(
  `coalesce(${passwordHash("addresses.target_id")}, ${pagePasswordHash(PAGE)}) AS hash, `,
  ONE,
);

interface AddressRow {
  at: number;
  kind: "link" | "qr_code" | "page" | null;
  id: string | null;
  /** Of a QR code that leads to a link or a page: where that is. */
  target_address: string | null;
  document: string | null;
  workspace_id: string | null;
  is_suspended: 0 | 1;
  elsewhere: string | null;
  pixels: string;
  /** Of a page, as JSON; null besides `render_bytes`: too large to be read with so many. */
  render: string | null;
  render_bytes: number | null;
}

/** A link's part of the address book: see the migration `addresses-data`. */
interface LinkDocument {
  status: "active" | "paused";
  disabled: number;
  destination: string;
  httpStatus: RedirectStatus;
  forwardQuery: number;
  sensitiveContent: number;
  hasPassword: number;
  utm: Utm;
}

export const addressDirectory: AddressDirectory = {
  reports: reportBook,

  async find(env, asked, { from, asOf }) {
    const ask = (some: Asked[], mostBytes: number) =>
      retryTransient(async () => {
        const names = JSON.stringify(some.map(({ host, slugKey }) => [host, slugKey]));
        const statement = some.length === 1 ? FIND_ADDRESS : FIND_ADDRESSES;
        const query = sharedSession(env, from).prepare(statement).bind(names, mostBytes);
        return (await query.all<AddressRow>()).results;
      });
    const found: (Found | Error)[] = [];
    let left = MOST_PAGE_BYTES;
    const larger: AddressRow[] = [];
    // Each has its share; what takes more comes after, by one more query, as far as there is room.
    for (const row of await ask(asked, Math.floor(MOST_PAGE_BYTES / asked.length))) {
      if (isLeftOut(row)) larger.push(row);
      else {
        found[row.at] = read(row, { asOf });
        left -= row.render_bytes ?? 0;
      }
    }
    larger.sort((one, other) => (one.render_bytes ?? 0) - (other.render_bytes ?? 0));
    const places: number[] = [];
    let largest = 0;
    for (const { at, render_bytes } of larger) {
      left -= render_bytes ?? 0;
      found[at] = new Error("Too many large pages at once.");
      if (left < 0) continue;
      places.push(at);
      largest = render_bytes ?? 0;
    }
    if (places.length === 0) return found;
    const again = places.flatMap((at) => asked[at] ?? []);
    for (const row of await ask(again, largest)) {
      const at = places[row.at];
      if (at !== undefined && !isLeftOut(row)) found[at] = read(row, { asOf });
    }
    return found;
  },

  async findProtected(env, { host, slugKey }) {
    const row = await retryTransient(() =>
      sharedSession(env, "primary")
        .prepare(FIND_PROTECTED)
        .bind(JSON.stringify([[host, slugKey]]), MOST_PAGE_BYTES)
        .first<AddressRow & { hash: string | null }>(),
    );
    const found = row ? read(row, {}) : new Error("An address was not answered.");
    if (found instanceof Error) throw found;
    return { ...found, hash: row?.hash ?? null };
  },

  async findLinkAddress(env, workspaceId, linkId) {
    const of = { db: databaseOf(env, workspaceId), workspaceId };
    const [link] = await retryTransient(() => findLinkTargets(of, [linkId]));
    return link?.address ?? null;
  },
};

/** Of a page that is too large to be read with the others. */
function isLeftOut({ render, render_bytes }: AddressRow): boolean {
  return render === null && render_bytes !== null;
}

/** A row that cannot be read is nobody's fault but its own. */
function read<As extends object>(row: AddressRow, as: As): (AtAddress & As) | Error {
  try {
    return {
      link: toLink(row),
      ...toQrCode(row),
      ...toPage(row),
      elsewhere: row.elsewhere && writtenUrl(row.elsewhere),
      workspaceId: row.workspace_id,
      ...as,
    };
  } catch (error) {
    return error instanceof Error ? error : new Error("An address cannot be read.");
  }
}

/** A QR code's part of the address book: see the migration `qr-pages-data`. */
interface QrCodeDocument {
  status: "active" | "paused";
  url: string | null;
  /** Or the page. */
  link: string | null;
}

function toQrCode(row: AddressRow): { qrCode?: VisitorQrCode } {
  const { kind, id, workspace_id, document } = row;
  if (kind !== "qr_code" || id === null || workspace_id === null || document === null) return {};
  const { status, url, link } = JSON.parse(document) as QrCodeDocument;
  const state = status !== "active" ? "paused" : row.is_suspended === 1 ? "gone" : "live";
  const leadsTo = url === null ? row.target_address : writtenUrl(url);
  return { qrCode: { id, workspaceId: workspace_id, state, leadsTo, link } };
}

/**
 * The operator's switch comes first: a workspace that pauses what is switched off would send its
 * visitors on, to where its domain sends those of unknown paths.
 */
function stateOf(disabled: number, isOnLine: boolean, isSuspended: number): VisitorLink["state"] {
  if (disabled === 1) return "gone";
  if (!isOnLine) return "paused";
  return isSuspended === 1 ? "gone" : "live";
}

/** What visitors need of a page beside its rendering: see the migration `page-places-data`. */
interface PageDocument {
  status: "published" | "paused";
  disabled: number;
  hasPassword: number;
  sensitiveContent: number;
  utm: Utm | null;
}

function toPage(row: AddressRow): { page?: VisitorBioPage } {
  const { kind, id, workspace_id, document, render } = row;
  if (kind !== "page" || id === null || workspace_id === null) return {};
  // Published by code of before pages were drawn: until it is again, it is not there.
  if (document === null || render === null) return {};
  const page = JSON.parse(document) as PageDocument;
  return {
    page: {
      id,
      workspaceId: workspace_id,
      state: stateOf(page.disabled, page.status === "published", row.is_suspended),
      hasPassword: page.hasPassword === 1,
      sensitiveContent: page.sensitiveContent === 1,
      utm: page.utm ?? {},
      pixels: JSON.parse(row.pixels) as Pixel[],
      published: JSON.parse(render) as PublishedPage,
    },
  };
}

function toLink({ kind, id, workspace_id, is_suspended, document, pixels }: AddressRow) {
  if (kind !== "link" || id === null || workspace_id === null || document === null) return null;
  const link = JSON.parse(document) as LinkDocument;
  return {
    id,
    workspaceId: workspace_id,
    state: stateOf(link.disabled, link.status === "active", is_suspended),
    destination: link.destination,
    httpStatus: link.httpStatus,
    forwardQuery: link.forwardQuery === 1,
    hasPassword: link.hasPassword === 1,
    sensitiveContent: link.sensitiveContent === 1,
    utm: link.utm,
    pixels: JSON.parse(pixels) as Pixel[],
  } satisfies VisitorLink;
}
