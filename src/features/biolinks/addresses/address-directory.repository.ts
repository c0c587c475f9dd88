/** Where visitors' addresses are read: the address book, with the hosts, workspaces and pixels. */
import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import { sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { writtenUrl } from "../../../platform/web-url.ts";
import type { AddressDirectory, Asked, Found } from "../../../visitor/addresses/address.ts";
import { joinAddress, LAST_CHANGE } from "../../../visitor/addresses/addresses.ports.ts";
import type { Pixel } from "../../../visitor/decide/pixel-beacon.ts";
import type { RedirectStatus, Utm, VisitorLink } from "../../../visitor/decide/visitor-link.ts";
import type { VisitorQrCode } from "../../../visitor/decide/visitor-qr-code.ts";
import { elsewhere, joinDomain, joinServedDomain } from "../domains/domains.ports.ts";
import { joinLink, linkAddress, passwordHash } from "../links/links.ports.ts";
import { chosenPixels } from "../pixels/pixels.ports.ts";

/** Of a document that is broken none: its visitors alone are to feel it. */
const CHOSEN = `CASE WHEN json_valid(addresses.document)
  THEN addresses.document -> 'pixels' ELSE '[]' END`;
const DOCUMENT = "CASE WHEN json_valid(addresses.document) THEN addresses.document ELSE '{}' END";
/** Of a QR code that leads to a link: the link's. */
const TARGET_LINK = `CASE WHEN addresses.kind = 'qr_code' THEN ${DOCUMENT} ->> 'link' END`;
/** What later code puts there is nothing to this one. No IN: that reads a row for each of its values. */
const KNOWN = "(addresses.kind = 'link' OR addresses.kind = 'qr_code')";
const PLACE = "CASE WHEN asked.value ->> 0 = '' THEN '' ELSE domains.id END";

/**
 * For each of some addresses (a JSON list of `[host, slug's key]`) one row, in their order: each
 * table by its key. A row without a link says where its domain sends such visitors.
 */
const findWith = (more: string) => `
  SELECT ${more}asked.key AS at, addresses.target_id AS id, addresses.document,
    workspaces.id AS workspace_id, workspaces.status AS workspace_status,
    CASE WHEN workspaces.status <> 'suspended'
      THEN ${elsewhere("asked.value ->> 1 = ''")} END AS elsewhere,
    ${chosenPixels(CHOSEN, "addresses.workspace_id")} AS pixels, addresses.kind,
    ${linkAddress("target_link", "target_domain")} AS target_address,
    ${LAST_CHANGE} AS as_of
  FROM json_each(?1) AS asked
    LEFT ${joinServedDomain("asked.value ->> 0")}
    LEFT ${joinAddress(PLACE, "asked.value ->> 1")} AND ${KNOWN}
    LEFT ${joinLink("target_link", TARGET_LINK, "addresses.workspace_id")}
    LEFT ${joinDomain("target_domain", "target_link.domain_id")}
    LEFT ${joinWorkspace("coalesce(addresses.workspace_id, domains.workspace_id)")}`;

export const FIND_ADDRESSES = findWith("");
const FIND_PROTECTED = findWith(`${passwordHash("addresses.target_id")} AS hash, `);

interface AddressRow {
  at: number;
  kind: "link" | "qr_code" | null;
  id: string | null;
  /** Of a QR code that leads to a link: where that is. */
  target_address: string | null;
  document: string | null;
  workspace_id: string | null;
  workspace_status: string | null;
  elsewhere: string | null;
  pixels: string;
  as_of: number;
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
  async find(env, asked, from) {
    const names = JSON.stringify(asked.map(({ host, slugKey }: Asked) => [host, slugKey]));
    const rows = await retryTransient(async () => {
      const query = sharedSession(env, from).prepare(FIND_ADDRESSES).bind(names);
      return (await query.all<AddressRow>()).results;
    });
    const found: (Found | Error)[] = [];
    for (const row of rows) found[row.at] = read(row);
    return found;
  },

  async findProtected(env, { host, slugKey }) {
    const row = await retryTransient(() =>
      sharedSession(env, "primary")
        .prepare(FIND_PROTECTED)
        .bind(JSON.stringify([[host, slugKey]]))
        .first<AddressRow & { hash: string | null }>(),
    );
    const found = row ? read(row) : new Error("An address was not answered.");
    if (found instanceof Error) throw found;
    return { ...found, hash: row?.hash ?? null };
  },
};

/** A row that cannot be read is nobody's fault but its own. */
function read(row: AddressRow): Found | Error {
  try {
    return {
      link: toLink(row),
      ...toQrCode(row),
      elsewhere: row.elsewhere && writtenUrl(row.elsewhere),
      workspaceId: row.workspace_id,
      asOf: row.as_of,
    };
  } catch (error) {
    return error instanceof Error ? error : new Error("An address cannot be read.");
  }
}

/** A QR code's part of the address book: see the migration `qr-codes-data`. */
interface QrCodeDocument {
  status: "active" | "paused";
  url: string | null;
  link: string | null;
}

function toQrCode(row: AddressRow): { qrCode?: VisitorQrCode } {
  const { kind, id, workspace_id, document } = row;
  if (kind !== "qr_code" || id === null || workspace_id === null || document === null) return {};
  const { status, url } = JSON.parse(document) as QrCodeDocument;
  const isGone = row.workspace_status === "suspended";
  const state = status !== "active" ? "paused" : isGone ? "gone" : "live";
  const leadsTo = url === null ? row.target_address : writtenUrl(url);
  return { qrCode: { id, workspaceId: workspace_id, state, leadsTo } };
}

function toLink({ kind, id, workspace_id, workspace_status, document, pixels }: AddressRow) {
  if (kind !== "link" || id === null || workspace_id === null || document === null) return null;
  const link = JSON.parse(document) as LinkDocument;
  const isGone = link.disabled === 1 || workspace_status === "suspended";
  return {
    id,
    workspaceId: workspace_id,
    state: link.status !== "active" ? "paused" : isGone ? "gone" : "live",
    destination: link.destination,
    httpStatus: link.httpStatus,
    forwardQuery: link.forwardQuery === 1,
    hasPassword: link.hasPassword === 1,
    sensitiveContent: link.sensitiveContent === 1,
    utm: link.utm,
    pixels: JSON.parse(pixels) as Pixel[],
  } satisfies VisitorLink;
}
