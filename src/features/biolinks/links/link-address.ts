import type { ExpectedRevision } from "../../../api/etag.ts";
import type { Context } from "../../../platform/context/context.ts";
import { domainsById } from "../domains/domains.service.ts";
import { findForeignPixels } from "../pixels/pixels.service.ts";
import type { LinkRow } from "./links.repository.ts";

const HOMELESS = "-domain-removed";
/** Before the other, which is looked for at the end. */
const LESSENED = "-pixel-removed";

/**
 * Whether the revision that a caller named says that the link's domain is gone; undefined when it
 * named none. A write guards this together with the row's own revision.
 */
export function namedHomeless({ named }: ExpectedRevision): boolean | undefined {
  return named?.endsWith(HOMELESS);
}

/** Where links are to be found, and what else follows from other records. */
export interface LinkAddresses {
  originOf(link: Pick<LinkRow, "domainId">): string;
  /** A link's pixels but those that were deleted, which may stand with it for minutes still. */
  pixelsOf(link: Pick<LinkRow, "pixels">): string[];
  /** A link's revision as callers know it. */
  revisionOf(link: Pick<LinkRow, "domainId" | "pixels" | "revision">): string;
}

/** The addresses of links, their domains and pixels read once for all of them. */
export async function linkAddresses(
  ctx: Context,
  links: Pick<LinkRow, "domainId" | "pixels">[],
): Promise<LinkAddresses> {
  const domainIds = links.flatMap(({ domainId }) => domainId ?? []);
  const pixelIds = new Set(links.flatMap(({ pixels }) => pixels));
  const [domains, foreign] = await Promise.all([
    domainsById(ctx, domainIds),
    findForeignPixels(ctx, [...pixelIds]),
  ]);
  const gone = new Set(foreign);
  return {
    pixelsOf: ({ pixels }) => pixels.filter((id) => !gone.has(id)),
    originOf: ({ domainId }) => {
      if (domainId === null) return ctx.platformOrigin;
      // A domain that is gone leaves its links without an address; `.invalid` never resolves.
      return `https://${domains.get(domainId)?.host ?? "domain-removed.invalid"}`;
    },
    revisionOf: ({ domainId, pixels, revision }) => {
      // The end of a domain changes its links' addresses, but is not written into each of them; that
      // of a pixel is, but some time after it.
      const isHomeless = domainId !== null && !domains.has(domainId);
      const isLessened = pixels.some((id) => gone.has(id));
      return revision + (isLessened ? LESSENED : "") + (isHomeless ? HOMELESS : "");
    },
  };
}

/** A link's revision as callers know it: what `If-Match` is compared with. */
export async function linkRevision(
  ctx: Context,
  link: Pick<LinkRow, "domainId" | "pixels" | "revision">,
): Promise<string> {
  return (await linkAddresses(ctx, [link])).revisionOf(link);
}
