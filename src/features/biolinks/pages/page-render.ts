/** A page's published version, rendered once for all visitors. */
import { invalid } from "../../../api/errors.ts";
import { toBytes } from "../../../platform/bytes.ts";
import type { Context } from "../../../platform/context/context.ts";
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import type { Times } from "../../../visitor/bio-pages/page-parts.ts";
import type { PublishedForm, PublishedPage } from "../../../visitor/bio-pages/published-page.ts";
import type { LinkAddresses } from "../links/link-address.ts";
import type { Name } from "./blocks/block-type.ts";
import type { ContactCardSettings } from "./blocks/contact-card.block.ts";
import { contactCardFile } from "./blocks/contact-card-file.ts";
import type { EventSettings } from "./blocks/event.block.ts";
import { eventFile } from "./blocks/event-file.ts";
import type { FormSettings } from "./blocks/form-settings.ts";
import { drawingCode } from "./drawing-code.ts";
import { hasLimitedForm } from "./full-forms.ts";
import { MAX_COLLECTIONS } from "./page-limits.ts";
import { redrawAsking, showingWriting } from "./page-products.repository.ts";
import { renderDropping, renderWriting } from "./page-renders.repository.ts";
import { namesOf, surroundingsOf } from "./page-surroundings.ts";
import { findVersion } from "./page-versions.repository.ts";
import { publicUrl } from "./pages.presenter.ts";
import type { PageRow } from "./pages.repository.ts";
import type { VersionDocument } from "./version-document.ts";
import type { PageBlock, PageDocument, PageSurroundings } from "./view/page-document.ts";
import { renderPage } from "./view/render-page.ts";

/** What an address of the address book can be read with in one row, and held many times. */
const MAX_RENDER_BYTES = 1024 * 1024;
/** What a row takes that says which link or product a page shows, with its index. */
const SHOWN_BYTES = 200;
const HASH_LENGTH = 20;

/**
 * The statement that gives visitors what a write of a page makes of it: a version that it publishes,
 * or the one on line where the page moves to. @throws 422 when that is too large
 */
export async function renderFollowing(
  ctx: Context,
  before: PageRow,
  after: PageRow,
  addresses: LinkAddresses,
  published?: VersionDocument,
): Promise<D1PreparedStatement[]> {
  const version = after.publishedVersion;
  if (version === null) {
    if (before.publishedVersion === null) return [];
    return [renderDropping(ctx.db, after), ...showingWriting(ctx.db, after, [])];
  }
  const hasMoved = before.handle !== after.handle || before.domainId !== after.domainId;
  if (!published && !hasMoved) return [];
  const document =
    published ?? (await findVersion(ctx.db, after.workspaceId, after.id, version))?.document;
  if (!document) return [];
  return [
    await renderWritingOf(ctx, after, version, document, addresses),
    ...(published ? showingWriting(ctx.db, after, shownBy(after, document)) : []),
    ...(changesByItself(after, document) ? [redrawAsking(ctx.db, after)] : []),
  ];
}

/** The statement that gives visitors a version of a page as it is. @throws 422 when that is too large */
export async function renderWritingOf(
  ctx: Context,
  page: PageRow,
  version: number,
  document: VersionDocument,
  addresses: LinkAddresses,
): Promise<D1PreparedStatement> {
  const drawn = await drawnFor(ctx, page, document, addresses);
  return renderWriting(ctx.db, page, { version, ...drawn });
}

/** A version as visitors get it, and what it takes. @throws 422 when it shows, or is, too much */
export async function drawnFor(
  ctx: Context,
  page: PageRow,
  document: VersionDocument,
  addresses: LinkAddresses,
): Promise<{ json: string; bytes: number }> {
  refuseManyCollections(document);
  const json = JSON.stringify(await renderForVisitors(ctx, page, document, addresses));
  const bytes = toBytes(json).length;
  if (bytes > MAX_RENDER_BYTES) {
    const limit = MAX_RENDER_BYTES / 1024;
    throw invalid("blocks", `Drawn, the page would be larger than ${limit} KiB: shorten it.`);
  }
  return { json, bytes: bytes + SHOWN_BYTES * shownBy(page, document).length };
}

/**
 * What a version's visitors are shown that changes without a publication: the ids of short links,
 * products and collections, and its workspace's for the latest posts.
 */
export function shownBy(
  { workspaceId }: Pick<PageRow, "workspaceId">,
  document: VersionDocument,
): string[] {
  const showsPosts = namedBy(document, ["posts"]).length > 0;
  const named = namedBy(document, ["link", "product", "collection"]);
  return showsPosts ? [...named, workspaceId] : named;
}

/** Whether what a version's visitors are shown may change without a publication. */
export function changesByItself(
  page: Pick<PageRow, "workspaceId">,
  document: VersionDocument,
): boolean {
  return shownBy(page, document).length > 0 || hasLimitedForm({ blocks: drawnBlocks(document) });
}

/** The ids of what blocks name that visitors may be shown. */
function namedBy(document: VersionDocument, kinds: Name["kind"][]): string[] {
  const names = drawnBlocks(document).flatMap(({ type, settings }) => namesOf(type, settings));
  return [...new Set(names.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id))];
}

function refuseManyCollections(document: VersionDocument): void {
  const shown = namedBy(document, ["collection"]).length;
  if (shown <= MAX_COLLECTIONS) return;
  const message = `A page shows at most ${MAX_COLLECTIONS} different collections, and this one has ${shown}: switch off or delete some of its blocks.`;
  throw invalid("blocks", message);
}

function drawnBlocks({ blocks }: VersionDocument): VersionDocument["blocks"] {
  return blocks.filter(({ enabled }) => enabled);
}

/** A preview of a draft, or a form that is shown again. */
interface Drawing {
  preview?: string;
  form?: PageSurroundings["form"];
}

/**
 * A document as visitors get it where a page stands. Blocks that are switched off are not in it.
 * `preview`: the path below which a preview's links and files lie; `form`: one that is shown again.
 */
export async function renderForVisitors(
  ctx: Context,
  page: PageRow,
  document: VersionDocument,
  addresses: LinkAddresses,
  { preview, form }: Drawing = {},
): Promise<PublishedPage> {
  const drawn = { ...document, blocks: drawnBlocks(document) };
  const url = publicUrl(page, addresses);
  const place = { handle: page.handle, url, isPreview: preview !== undefined };
  const found = await surroundingsOf(ctx, drawn, place);
  const surroundings = preview
    ? { ...found, path: preview, isPreview: true }
    : { ...found, hasPixels: document.settings.pixels.length > 0, ...(form && { form }) };
  const rendered = await renderPage(drawn, surroundings);
  const { parts, styleHash, scripts, frames, destinations, products, filledDuring } = rendered;
  const links = linksOf(drawn, destinations);
  const downloads = downloadsOf(drawn, page.publishedAt ?? page.updatedAt);
  const leading = { destinations, links, ...(Object.keys(products).length > 0 && { products }) };
  // Read by the sitemap as well. What is yet to come stays in it, as nothing is drawn when it does.
  const noindex = rendered.noindex || isOver(filledDuring, now());
  const filling = { noindex, ...(filledDuring && { filledDuring }) };
  const content = { parts, styleHash, scripts, frames, ...leading, downloads, ...filling };
  const hash = (await sha256Hex(JSON.stringify(content))).slice(0, HASH_LENGTH);
  const version = page.publishedVersion ?? 0;
  return { hash, code: await drawingCode(), ...content, version, ...(await formsOf(drawn, found)) };
}

/** Whether a page shows nothing ever again. */
function isOver(times: readonly Times[] | undefined, time: number): boolean {
  return times?.every(({ ends_at }) => ends_at !== undefined && ends_at <= time) ?? false;
}

/** What is needed when a form of the page is sent, if it has any. */
async function formsOf(
  { blocks, language }: PageDocument,
  { fullForms }: PageSurroundings,
): Promise<Partial<PublishedPage>> {
  const found = blocks.filter(({ type }) => type === "form");
  if (found.length === 0) return {};
  const digests = await Promise.all(
    found.map(({ settings }) => sha256Hex(JSON.stringify(settings))),
  );
  const forms = found.map(({ id, settings }, at): [string, PublishedForm] => [
    id,
    {
      digest: digests[at]?.slice(0, HASH_LENGTH) ?? "",
      settings,
      language,
      isFull: fullForms?.has(id) ?? false,
    },
  ]);
  const origins = found.flatMap(({ settings }) => {
    const { redirect } = (settings as FormSettings).success;
    return redirect ? new URL(redirect).origin : [];
  });
  return { forms: Object.fromEntries(forms), formTargets: [...new Set(origins)] };
}

/** The blocks that lead to a short link: its slug may be another when somebody clicks. */
function linksOf({ blocks }: PageDocument, destinations: PublishedPage["destinations"]) {
  const leading = blocks.flatMap(({ id, type, settings }) => {
    const link = namesOf(type, settings).find(({ kind }) => kind === "link");
    return link && destinations[id] ? [[id, link.id]] : [];
  });
  return Object.fromEntries(leading) as PublishedPage["links"];
}

function downloadsOf({ blocks }: PageDocument, publishedAt: number): PublishedPage["downloads"] {
  const files = blocks.flatMap((block) => {
    const file = downloadOf(block, publishedAt);
    return file ? [file] : [];
  });
  return Object.fromEntries(files);
}

function downloadOf({ id, type, settings }: PageBlock, publishedAt: number) {
  if (type === "contact_card") {
    return [`${id}.vcf`, contactCardFile(settings as ContactCardSettings)];
  }
  if (type !== "event") return undefined;
  const stampedAt = toTimestamp(publishedAt);
  return [`${id}.ics`, eventFile(settings as EventSettings, { uid: id, stampedAt })];
}
