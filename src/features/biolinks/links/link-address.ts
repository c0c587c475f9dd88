import type { ExpectedRevision } from "../../../api/etag.ts";
import type { Context } from "../../../platform/context/context.ts";
import { domainsById } from "../domains/domains.service.ts";
import type { LinkRow } from "./links.repository.ts";

const HOMELESS = "-domain-removed";

/**
 * Whether the revision that a caller named says that the link's domain is gone; undefined when it
 * named none. A write guards this together with the row's own revision.
 */
export function namedHomeless({ named }: ExpectedRevision): boolean | undefined {
  return named?.endsWith(HOMELESS);
}

/** Where links are to be found. */
export interface LinkAddresses {
  originOf(link: Pick<LinkRow, "domainId">): string;
  /** A link's revision as callers know it. */
  revisionOf(link: Pick<LinkRow, "domainId" | "revision">): string;
}

/** The addresses of links, their domains read once for all of them. */
export async function linkAddresses(
  ctx: Context,
  links: Pick<LinkRow, "domainId">[],
): Promise<LinkAddresses> {
  const domains = await domainsById(
    ctx,
    links.flatMap(({ domainId }) => domainId ?? []),
  );
  return {
    originOf: ({ domainId }) => {
      if (domainId === null) return ctx.platformOrigin;
      // A domain that is gone leaves its links without an address; `.invalid` never resolves.
      return `https://${domains.get(domainId)?.host ?? "domain-removed.invalid"}`;
    },
    revisionOf: ({ domainId, revision }) => {
      // The end of a domain changes its links' addresses, but is not written into each of them.
      const isHomeless = domainId !== null && !domains.has(domainId);
      return isHomeless ? revision + HOMELESS : revision;
    },
  };
}

/** A link's revision as callers know it: what `If-Match` is compared with. */
export async function linkRevision(
  ctx: Context,
  link: Pick<LinkRow, "domainId" | "revision">,
): Promise<string> {
  return (await linkAddresses(ctx, [link])).revisionOf(link);
}
