/** What other features' statements need of the domains table. */

/** SQL that joins the domain that is in service for a host. */
export function joinServedDomain(host: string): string {
  return `JOIN domains ON domains.host = ${host} AND domains.verified = 1 AND domains.disabled = 0`;
}

/** SQL that joins a domain, in service or not, by the SQL of its id. */
export function joinDomain(as: string, id: string): string {
  return `JOIN domains AS ${as} ON ${as}.id = ${id}`;
}

/** The same of one in service: the host of any other may be another workspace's by now. */
export function joinDomainInService(as: string, id: string): string {
  return `${joinDomain(as, id)} AND ${as}.verified = 1 AND ${as}.disabled = 0`;
}

/** SQL of a workspace's own claim of a host, in service or not, as a source. */
export function fromOwnDomain(workspaceId: string, host: string, joined: string): string {
  return `FROM domains ${joined}
    WHERE domains.workspace_id = ${workspaceId} AND domains.host = ${host}`;
}

/** SQL of whether the domain with an id (SQL) is gone. */
export function isDomainGone(id: string): string {
  return `(${id} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM domains WHERE domains.id = ${id}))`;
}

/** SQL of where a domain sends visitors of its root (`isRoot`, SQL) and of unknown paths. */
export function elsewhere(isRoot: string): string {
  return `CASE WHEN ${isRoot} THEN domains.root_url ELSE domains.not_found_url END`;
}
