/** What a workspace itself has at an address: read when one address is made to lead to another. */
import type { Context } from "../../../platform/context/context.ts";
import { joinAddress } from "../../../visitor/addresses/addresses.ports.ts";
import { CODE_PREFIX } from "../../../visitor/slug.ts";
import { elsewhere, fromOwnDomain, joinDomain } from "../domains/domains.ports.ts";
import { joinLink, linkAddress } from "./links.ports.ts";

/** An address as visitors' ones are looked up: host (null: the platform's) and slug's key. */
export interface Address {
  host: string | null;
  key: string;
}

/** What is at an address: a link's destination, or where its domain sends visitors without one. */
export interface AtAddress {
  domainId: string | null;
  destination: string | null;
  elsewhere: string | null;
}

/** By workspace (?1), slug's key (?2) and host (?3): one row by a unique index. */
export const FIND_OWN = {
  platform: `SELECT NULL AS domainId, links.destination, NULL AS elsewhere FROM links
    WHERE links.workspace_id = ?1 AND links.slug_key = ?2 AND links.domain_id IS NULL`,
  domain: `SELECT domains.id AS domainId, links.destination, ${elsewhere("?2 = ''")} AS elsewhere
    ${fromOwnDomain(
      "?1",
      "?3",
      "LEFT JOIN links ON links.domain_id = domains.id AND links.slug_key = ?2",
    )}`,
  /**
   * By ?4, too: the platform's origin. A code's key is nobody else's: its domain is neither told nor
   * asked, as it may be out of service now and back later.
   */
  qrCode: `SELECT NULL AS domainId, NULL AS elsewhere,
      coalesce(addresses.document ->> 'url',
        CASE WHEN links.domain_id IS NULL THEN ?4 ELSE '' END || ${linkAddress("links", "target_domain")})
        AS destination
    FROM json_each(json_array(?3)) AS asked
      CROSS ${joinAddress("coalesce(asked.value, '')", "?2")}
        AND addresses.workspace_id = ?1 AND addresses.kind = 'qr_code'
      LEFT ${joinLink("links", "addresses.document ->> 'link'", "?1")}
      LEFT ${joinDomain("target_domain", "links.domain_id")}`,
};

/** Undefined when the workspace has nothing there: at a host of its own at least the domain is. */
export async function findAtAddress(
  { db, workspaceId, platformOrigin }: Context,
  { host, key }: Address,
): Promise<AtAddress | undefined> {
  const d1 = db.$client;
  if (key.startsWith(CODE_PREFIX)) {
    const code = d1.prepare(FIND_OWN.qrCode).bind(workspaceId, key, host, platformOrigin);
    return (await code.first<AtAddress>()) ?? undefined;
  }
  const query =
    host === null
      ? d1.prepare(FIND_OWN.platform).bind(workspaceId, key)
      : d1.prepare(FIND_OWN.domain).bind(workspaceId, key, host);
  return (await query.first<AtAddress>()) ?? undefined;
}
