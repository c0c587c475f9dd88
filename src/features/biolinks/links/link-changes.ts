import { invalid } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { hashPassword } from "../../../platform/crypto/password.ts";
import { defined } from "../../../platform/defined.ts";
import { newRevision } from "../../../platform/ids.ts";
import { toSlugKey } from "../../../visitor/slug.ts";
import { assertVerifiedDomain } from "../domains/domains.service.ts";
import { assertOwnPixels } from "../pixels/pixels.service.ts";
import { slugProblem } from "./link-slug.ts";
import type { LinkChanges, LinkRow } from "./links.repository.ts";
import type { CreateLink, SettingsInput, UpdateLink } from "./links.schemas.ts";
import { mergeUtm } from "./merge-utm.ts";
import { circleProblem } from "./redirect-circle.ts";

/** A link before anything is said of it. */
export function blankLink({ workspaceId }: Context, id: string, time: number): LinkRow {
  return {
    id,
    workspaceId,
    domainId: null,
    slug: "",
    slugKey: "",
    title: null,
    destination: "",
    status: "paused",
    disabled: false,
    passwordHash: null,
    httpStatus: 302,
    forwardQuery: false,
    sensitiveContent: false,
    utm: {},
    pixels: [],
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
}

export function slugChanges(slug: string): Pick<LinkRow, "slug" | "slugKey"> {
  return { slug, slugKey: toSlugKey(slug) };
}

/** What an input changes of a link, its references checked and its password hashed. @throws 422 */
export async function toChanges(
  ctx: Context,
  link: LinkRow,
  input: CreateLink | UpdateLink,
  hash = hashPassword,
): Promise<LinkChanges> {
  assertNotReserved(link, input);
  // One that the link has already may have been removed, or have failed, since.
  const isMoved = input.domain !== link.domainId;
  if (input.domain && isMoved) await assertVerifiedDomain(ctx, input.domain);
  return defined({
    ...(input.slug && slugChanges(input.slug)),
    title: input.title,
    destination: input.destination,
    domainId: input.domain,
    status: "status" in input ? input.status : undefined,
    ...(input.settings && (await settingsChanges(ctx, link, input.settings, hash))),
  });
}

/** @throws 422 when following the link would lead back to it. */
export async function assertLeadsElsewhere(ctx: Context, link: LinkRow): Promise<void> {
  const { destination, domainId, slugKey } = link;
  const problem = await circleProblem(ctx, { domainId, key: slugKey }, destination);
  if (problem) throw invalid("destination", problem);
}

/** Whether a change moves a link, or where it leads. */
export function leadsAnew(link: LinkRow, changed: LinkRow): boolean {
  return changed.destination !== link.destination || movesLink(link, changed);
}

/** Whether a change has visitors come to a link by another address. */
export function movesLink(link: LinkRow, changed: LinkRow): boolean {
  return changed.domainId !== link.domainId || changed.slugKey !== link.slugKey;
}

/** A link that has a slug from before it was reserved keeps it, where it is. @throws 422 */
function assertNotReserved(link: LinkRow, input: CreateLink | UpdateLink): void {
  const slug = input.slug ?? link.slug;
  const moves = input.domain !== undefined && input.domain !== link.domainId;
  const isNew = slug !== "" && (moves || toSlugKey(slug) !== link.slugKey);
  const problem = isNew ? slugProblem(slug) : undefined;
  if (problem) throw invalid("slug", problem);
}

async function settingsChanges(
  ctx: Context,
  link: LinkRow,
  settings: SettingsInput,
  hash: typeof hashPassword,
) {
  const { password, clear_password, pixels, utm } = settings;
  if (pixels) await assertOwnPixels(ctx, pixels);
  return {
    httpStatus: settings.http_status,
    forwardQuery: settings.forward_query,
    sensitiveContent: settings.sensitive_content,
    utm: utm && mergeUtm(link.utm, utm),
    pixels: pixels && [...new Set(pixels)],
    passwordHash: password ? await hash(password) : clear_password ? null : undefined,
  };
}
