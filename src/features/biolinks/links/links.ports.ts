/** What other features' statements need of the links table. */
import type { Context } from "../../../platform/context/context.ts";
import type { Database } from "../../../platform/db/client.ts";
import { joinDomain, joinDomainInService } from "../domains/domains.ports.ts";

/** The workspaces of links, by the links' ids, which travel as one parameter. */
export async function findLinkWorkspaces(
  db: Database,
  ids: string[],
): Promise<Map<string, string>> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, workspace_id AS workspaceId FROM links
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(ids))
    .all<{ id: string; workspaceId: string }>();
  return new Map(results.map(({ id, workspaceId }) => [id, workspaceId]));
}

/** SQL of the stored hash of a link's password, by the SQL of the link's id; null when it has none. */
export function passwordHash(id: string): string {
  return `(SELECT links.password_hash FROM links WHERE links.id = ${id})`;
}

/** SQL: no link uses a pixel, by the SQL of the pixel's id. */
export function unusedByLinks(pixelId: string): string {
  return `NOT EXISTS (SELECT 1 FROM link_pixels WHERE link_pixels.pixel_id = ${pixelId})`;
}

/** SQL that joins a link of a workspace, by the SQL of both ids. */
export function joinLink(as: string, id: string, workspaceId: string): string {
  return `JOIN links AS ${as} ON ${as}.id = ${id} AND ${as}.workspace_id = ${workspaceId}`;
}

/**
 * SQL of a link's address: its URL on its domain, its path on the platform's host; null when there
 * is no link, or its domain is not among those that were joined. `link` and `domain` are what they are
 * joined as.
 */
export function linkAddress(link: string, domain: string): string {
  return `CASE WHEN ${link}.domain_id IS NULL THEN '/' || ${link}.slug
    ELSE 'https://' || ${domain}.host || '/' || ${link}.slug END`;
}

/** Where a link is, and where it leads. */
export interface LinkTarget {
  id: string;
  /** Its URL on its domain, its path on the platform's host. */
  address: string;
  destination: string;
  isProtected: boolean;
}

/**
 * Those of some links that the workspace has, and that have an address. By one query.
 * `alsoOutOfService`: also those whose domain is out of service, to where nobody may be sent.
 */
export async function findLinkTargets(
  { db, workspaceId }: Pick<Context, "db" | "workspaceId">,
  ids: readonly string[],
  { alsoOutOfService = false } = {},
): Promise<LinkTarget[]> {
  if (ids.length === 0) return [];
  const join = alsoOutOfService ? joinDomain : joinDomainInService;
  const { results } = await db.$client
    .prepare(
      `SELECT link.id, ${linkAddress("link", "domain")} AS address, link.destination,
         link.password_hash IS NOT NULL AS isProtected
       FROM json_each(?1) AS asked CROSS ${joinLink("link", "asked.value", "?2")}
         LEFT ${join("domain", "link.domain_id")}`,
    )
    .bind(JSON.stringify([...new Set(ids)]), workspaceId)
    .all<
      Omit<LinkTarget, "isProtected" | "address"> & { address: string | null; isProtected: number }
    >();
  return results.flatMap(({ address, isProtected, ...link }) =>
    address === null ? [] : [{ ...link, address, isProtected: isProtected === 1 }],
  );
}
