import { retryTransient } from "../../../db/retry.ts";
import type { Pixel } from "../../pixels/pixel-beacon.ts";
import type { HttpStatus } from "../links.schemas.ts";
import type { Utm } from "../links.table.ts";
import type { Found, VisitorLink } from "./visitor-link.ts";

/** Written by hand: one query, by a unique index, answers a cold link. */
const LINK_COLUMNS = `
  links.id, links.workspace_id, links.status, links.disabled, links.destination,
    links.http_status, links.forward_query, links.sensitive_content, links.utm,
    links.password_hash IS NOT NULL AS has_password, workspaces.status AS workspace_status,
    (SELECT json_group_array(json_object('provider', pixels.provider, 'tag', pixels.tag))
     FROM json_each(links.pixels) AS chosen
     JOIN pixels ON pixels.id = chosen.value AND pixels.workspace_id = links.workspace_id) AS pixels`;

/** Without a link the row of a domain says where its other visitors go. */
export const FIND_BY_SLUG = {
  platform: `SELECT ${LINK_COLUMNS}, NULL AS elsewhere
    FROM links JOIN workspaces ON workspaces.id = links.workspace_id
    WHERE links.slug_key = ?1 AND links.domain_id IS NULL`,
  domain: `SELECT ${LINK_COLUMNS}, CASE WHEN workspaces.status = 'suspended' THEN NULL
      WHEN ?1 = '' THEN domains.root_url ELSE domains.not_found_url END AS elsewhere
    FROM domains JOIN workspaces ON workspaces.id = domains.workspace_id
    LEFT JOIN links ON links.domain_id = domains.id AND links.slug_key = ?1
    WHERE domains.host = ?2 AND domains.verified = 1 AND domains.disabled = 0`,
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

/**
 * What visitors of a host (empty: the platform's) and a slug find; an empty slug is a domain's
 * root. `primary`: not from a replica.
 */
export async function findVisitorLink(
  db: D1Database,
  host: string,
  slugKey: string,
  from: "primary" | "anywhere",
): Promise<Found> {
  const row = await retryTransient(() => {
    const session = db.withSession(from === "primary" ? "first-primary" : "first-unconstrained");
    const query =
      host === ""
        ? session.prepare(FIND_BY_SLUG.platform).bind(slugKey)
        : session.prepare(FIND_BY_SLUG.domain).bind(slugKey, host);
    return query.first<VisitorLinkRow>();
  });
  if (!row) return { link: null, elsewhere: null };
  const { elsewhere } = row;
  return { link: row.id === null ? null : toVisitorLink(row, row.id), elsewhere };
}

function toVisitorLink(row: VisitorLinkRow, id: string): VisitorLink {
  const isGone = row.disabled === 1 || row.workspace_status === "suspended";
  return {
    id,
    workspaceId: row.workspace_id,
    state: row.status !== "active" ? "paused" : isGone ? "gone" : "live",
    destination: row.destination,
    httpStatus: row.http_status as HttpStatus,
    forwardQuery: row.forward_query === 1,
    hasPassword: row.has_password === 1,
    sensitiveContent: row.sensitive_content === 1,
    utm: JSON.parse(row.utm) as Utm,
    pixels: JSON.parse(row.pixels) as Pixel[],
  };
}

/** The stored hash of a link's password as it is now; null when it has none. */
export async function findPasswordHash(
  db: D1Database,
  workspaceId: string,
  linkId: string,
): Promise<string | null> {
  const query = "SELECT password_hash AS hash FROM links WHERE id = ? AND workspace_id = ?";
  const row = await retryTransient(() =>
    db.prepare(query).bind(linkId, workspaceId).first<{ hash: string | null }>(),
  );
  return row?.hash ?? null;
}
