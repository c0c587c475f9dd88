import { ApiError, invalid } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { hashPassword } from "../../../platform/crypto/password.ts";
import { defined } from "../../../platform/defined.ts";
import { newRevision } from "../../../platform/ids.ts";
import { assertVerifiedDomain } from "../domains/domains.service.ts";
import { mergeUtm } from "../links/merge-utm.ts";
import { assertOwnPixels } from "../pixels/pixels.service.ts";
import { asStored } from "./page-block-input.ts";
import { contentBytes } from "./page-content.ts";
import { MAX_DOCUMENT_BYTES } from "./page-limits.ts";
import type { Named } from "./page-names.ts";
import type { PageChanges, PageRow } from "./pages.repository.ts";
import type { CreatePage, PageSettingsInput, UpdatePage } from "./pages.schemas.ts";
import { PRESETS } from "./theme/presets.ts";

/** What of a row a version holds: a change of it is one of the draft. */
const CONTENT = [
  "title",
  "language",
  "timeZone",
  "profile",
  "theme",
  "seo",
  "sensitiveContent",
  "pixels",
  "utm",
] as const satisfies (keyof PageRow)[];

/** A page before anything is said of it. */
export function blankPage({ workspaceId }: Context, id: string, time: number): PageRow {
  return {
    id,
    workspaceId,
    domainId: null,
    handle: "",
    handleKey: "",
    domainRoot: false,
    status: "draft",
    disabled: false,
    passwordHash: null,
    title: "",
    language: "en",
    timeZone: "UTC",
    profile: { name: null, tagline: null, avatar: null },
    theme: { preset: PRESETS[0]?.name ?? "" },
    seo: { title: null, description: null, image: null, indexable: false },
    sensitiveContent: false,
    pixels: [],
    utm: {},
    blockOrder: [],
    contentBytes: 0,
    blocksBytes: 0,
    revision: newRevision(),
    contentRevision: newRevision(),
    publishedContent: null,
    publishedVersion: null,
    publishedAt: null,
    publishedSettings: null,
    lastVersion: 0,
    keptBytes: 0,
    createdAt: time,
    updatedAt: time,
  };
}

export function handleChanges(handle: string): Pick<PageRow, "handle" | "handleKey"> {
  return { handle, handleKey: handle.toLowerCase() };
}

/** What an input changes of a page, its domain and pixels checked and its password hashed. @throws 409, 422 */
export async function toChanges(
  ctx: Context,
  page: PageRow,
  input: CreatePage | UpdatePage,
  hash = hashPassword,
): Promise<PageChanges> {
  const { settings = {}, profile, seo, theme } = input;
  // One that the page has already may have been removed, or have failed, since.
  const isMoved = input.domain !== page.domainId;
  if (input.domain && isMoved) await assertVerifiedDomain(ctx, input.domain);
  if (settings.pixels) await assertOwnPixels(ctx, settings.pixels);
  const changes: PageChanges = defined({
    ...(input.handle && handleChanges(input.handle)),
    domainId: input.domain,
    domainRoot: settings.domain_root,
    status: "status" in input ? statusAfter(page, input.status) : undefined,
    passwordHash: await passwordAfter(settings, hash),
    title: input.title,
    language: input.language,
    timeZone: input.time_zone,
    profile: profile && { ...page.profile, ...defined(profile) },
    theme: theme && asStored(theme),
    seo: seo && { ...page.seo, ...defined(seo) },
    sensitiveContent: settings.sensitive_content,
    pixels: settings.pixels && [...new Set(settings.pixels)],
    utm: settings.utm && mergeUtm(page.utm, settings.utm),
  });
  const changed = { ...page, ...changes };
  if (changed.domainRoot && changed.domainId === null) {
    throw invalid("settings.domain_root", "Only a page on a domain can stand at its root.");
  }
  return changes;
}

/** The same with what follows for the draft, if it changes. @throws 422 when it grows too large */
export function withContent(page: PageRow, changes: PageChanges): PageChanges {
  if (!CONTENT.some((field) => changes[field] !== undefined)) return changes;
  const bytes = contentBytes({ ...page, ...changes });
  if (bytes + page.blocksBytes > MAX_DOCUMENT_BYTES) throw tooLarge("blocks");
  return { ...changes, contentBytes: bytes, contentRevision: newRevision() };
}

export function tooLarge(field: string): ApiError {
  const limit = MAX_DOCUMENT_BYTES / 1024;
  return invalid(field, `The page would be larger than ${limit} KiB: take something out of it.`);
}

/** A page that is on line can be paused, and put back; what puts it there first is a publish. */
function statusAfter(page: PageRow, status: UpdatePage["status"]): PageRow["status"] | undefined {
  if (status === undefined || page.status !== "draft") return status;
  throw new ApiError("conflict", { message: "The page is a draft: publish it first." });
}

async function passwordAfter(
  { password, clear_password }: PageSettingsInput,
  hash: typeof hashPassword,
): Promise<string | null | undefined> {
  if (password) return hash(password);
  return clear_password ? null : undefined;
}

/** What an input names, but for its blocks. */
export function namesOf({ profile, seo, theme }: CreatePage | UpdatePage): Named[] {
  const { background } = theme ?? {};
  const files = {
    "profile.avatar": profile?.avatar,
    "seo.image": seo?.image,
    "theme.background.file": background?.type === "image" ? background.file : undefined,
  };
  return Object.entries(files).flatMap(([field, id]) =>
    id ? [{ kind: "file" as const, id, field, accepts: "image" as const }] : [],
  );
}
