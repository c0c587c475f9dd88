/** What a workspace itself has at an address: read when one address is made to lead to another. */
import type { Database } from "../../../platform/db/client.ts";
import { elsewhere, fromOwnDomain } from "../domains/domains.ports.ts";

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
};

/** Undefined when the workspace has nothing there: at a host of its own at least the domain is. */
export async function findAtAddress(
  db: Database,
  workspaceId: string,
  { host, key }: Address,
): Promise<AtAddress | undefined> {
  const d1 = db.$client;
  const query =
    host === null
      ? d1.prepare(FIND_OWN.platform).bind(workspaceId, key)
      : d1.prepare(FIND_OWN.domain).bind(workspaceId, key, host);
  return (await query.first<AtAddress>()) ?? undefined;
}
