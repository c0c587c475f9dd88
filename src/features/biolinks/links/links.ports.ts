/** Links as visitors need them, and what other features' statements need of their table. */
import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import { type Database, databaseOf, sharedDatabase } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { writtenUrl } from "../../../platform/web-url.ts";
import type { Pixel } from "../../../visitor/pixel-beacon.ts";
import type {
  LinkDirectory,
  RedirectStatus,
  Utm,
  VisitorLink,
} from "../../../visitor/visitor-link.ts";
import { elsewhere, fromServedDomain } from "../domains/domains.ports.ts";
import { chosenPixels } from "../pixels/pixels.ports.ts";

/** SQL: whether there is a link of a workspace, by the SQL of both ids. */
export function linkExists(id: string, workspaceId: string): string {
  return `EXISTS (SELECT 1 FROM links WHERE links.id = ${id} AND links.workspace_id = ${workspaceId})`;
}

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

/** Written by hand: one query, by a unique index, answers a cold link. */
const LINK_COLUMNS = `
  links.id, links.workspace_id, links.status, links.disabled, links.destination,
    links.http_status, links.forward_query, links.sensitive_content, links.utm,
    links.password_hash IS NOT NULL AS has_password, workspaces.status AS workspace_status,
    ${chosenPixels("links.pixels", "links.workspace_id")} AS pixels`;

/** By slug (?1) and host (?2). A domain's row without a link says where such visitors go. */
export const FIND_BY_SLUG = {
  platform: `SELECT ${LINK_COLUMNS}, NULL AS elsewhere
    FROM links ${joinWorkspace("links.workspace_id")}
    WHERE links.slug_key = ?1 AND links.domain_id IS NULL`,
  domain: `SELECT ${LINK_COLUMNS}, CASE WHEN workspaces.status <> 'suspended'
      THEN ${elsewhere("?1 = ''")} END AS elsewhere
    ${fromServedDomain(
      "?2",
      `${joinWorkspace("domains.workspace_id")}
    LEFT JOIN links ON links.domain_id = domains.id AND links.slug_key = ?1`,
    )}`,
};

interface VisitorLinkRow {
  id: string | null;
  elsewhere: string | null;
  workspace_id: string;
  status: string;
  disabled: number;
  destination: string;
  http_status: number;
  forward_query: number;
  sensitive_content: number;
  utm: string;
  has_password: number;
  workspace_status: string;
  pixels: string;
}

export const linkDirectory: LinkDirectory = {
  async find(env, host, slugKey, from) {
    const row = await retryTransient(() => {
      // The workspace is not known yet: this query finds it.
      const d1 = sharedDatabase(env).$client;
      const session = d1.withSession(from === "primary" ? "first-primary" : "first-unconstrained");
      const query =
        host === ""
          ? session.prepare(FIND_BY_SLUG.platform).bind(slugKey)
          : session.prepare(FIND_BY_SLUG.domain).bind(slugKey, host);
      return query.first<VisitorLinkRow>();
    });
    if (!row) return { link: null, elsewhere: null };
    return {
      link: row.id === null ? null : toVisitorLink(row, row.id),
      elsewhere: row.elsewhere && writtenUrl(row.elsewhere),
    };
  },

  async findPasswordHash(env, workspaceId, linkId) {
    const query = "SELECT password_hash AS hash FROM links WHERE id = ? AND workspace_id = ?";
    const d1 = databaseOf(env, workspaceId).$client;
    const row = await retryTransient(() =>
      d1.prepare(query).bind(linkId, workspaceId).first<{ hash: string | null }>(),
    );
    return row?.hash ?? null;
  },
};

function toVisitorLink(row: VisitorLinkRow, id: string): VisitorLink {
  const isGone = row.disabled === 1 || row.workspace_status === "suspended";
  return {
    id,
    workspaceId: row.workspace_id,
    state: row.status !== "active" ? "paused" : isGone ? "gone" : "live",
    destination: row.destination,
    httpStatus: row.http_status as RedirectStatus,
    forwardQuery: row.forward_query === 1,
    hasPassword: row.has_password === 1,
    sensitiveContent: row.sensitive_content === 1,
    utm: JSON.parse(row.utm) as Utm,
    pixels: JSON.parse(row.pixels) as Pixel[],
  };
}
