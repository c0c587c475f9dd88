/** Pages that search engines are told of, read for all workspaces of a host. */
import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { Env } from "../../../platform/config.ts";
import { sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { joinServedDomain } from "../domains/domains.ports.ts";

/** A page of the sitemap. */
export interface ListedPage {
  handle: string;
  handleKey: string;
  publishedAt: number;
}

/** As the index `pages_listed` has it, of which the migration `page-sitemap-data` says which they are. */
const LISTED = `pages.indexable = 1 AND pages.status = 'published' AND pages.disabled = 0
  AND pages.password_hash IS NULL AND pages.published_settings ->> 'sensitive_content' IS 0`;
const ON_PLATFORM = "pages.domain_id IS NULL";
/** By ?3, a host: at most one claim of it is in service. */
const ON_DOMAIN = `pages.domain_id = (SELECT domains.id FROM (SELECT ?3 AS host) AS asked
  CROSS ${joinServedDomain("asked.host")})`;

/** The listed pages of a host (empty: the platform's), as a source. */
function fromListed(host: string): string {
  return `FROM pages INDEXED BY pages_listed CROSS ${joinWorkspace("pages.workspace_id")}
    WHERE ${host === "" ? ON_PLATFORM : ON_DOMAIN} AND ${LISTED}
      AND workspaces.status <> 'suspended'`;
}

/** The next listed pages of a host (empty: the platform's) after a handle, in the order of handles. */
export async function findListed(
  env: Env,
  host: string,
  after: string,
  limit: number,
): Promise<ListedPage[]> {
  const query = `SELECT pages.handle, pages.handle_key AS handleKey, pages.published_at AS publishedAt
    ${fromListed(host)} AND pages.handle_key > ?1
    ORDER BY pages.handle_key LIMIT ?2`;
  return read<ListedPage>(env, query, host, after, limit);
}

/** Behind every handle. */
const LAST = "\u{10ffff}";

/** Which parts of a host (empty: the platform's) list a page, counted from 1, by where they end. */
export async function findFilledParts(
  env: Env,
  host: string,
  ends: readonly string[],
): Promise<number[]> {
  const parts = [...ends, LAST].map((end, at) => [ends[at - 1] ?? "", end]);
  const query = `SELECT parts.part FROM
      (SELECT key + 1 AS part, value ->> 0 AS after, coalesce(value ->> 1, ?2) AS until
        FROM json_each(?1)) AS parts
    WHERE EXISTS (SELECT 1 ${fromListed(host)}
      AND pages.handle_key > parts.after AND pages.handle_key <= parts.until)`;
  const found = await read<{ part: number }>(env, query, host, JSON.stringify(parts), LAST);
  return found.map(({ part }) => part).sort((one, other) => one - other);
}

async function read<Row>(
  env: Env,
  query: string,
  host: string,
  ...values: (string | number)[]
): Promise<Row[]> {
  const bound = host === "" ? values : [...values, host];
  const { results } = await retryTransient(() =>
    sharedSession(env, "anywhere")
      .prepare(query)
      .bind(...bound)
      .all<Row>(),
  );
  return results;
}
