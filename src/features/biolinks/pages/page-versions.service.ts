import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { validate } from "../../../api/validation.ts";
import { toBytes } from "../../../platform/bytes.ts";
import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { assertNotSwitchedOff } from "../links/switched-off.ts";
import { findBlockType } from "./blocks/block-types.ts";
import { asStored, blockRow } from "./page-block-input.ts";
import { type BlockRow, blocksPublishing } from "./page-blocks.repository.ts";
import { listBlocks } from "./page-blocks.service.ts";
import { withContent } from "./page-changes.ts";
import { contentOf, documentOf } from "./page-content.ts";
import { writeDraft } from "./page-draft.ts";
import { withOwnPixels } from "./page-pixels.ts";
import type { VersionRow, VersionSummary } from "./page-versions.repository.ts";
import * as repository from "./page-versions.repository.ts";
import { versionWriting } from "./page-versions.repository.ts";
import type { PageRow } from "./pages.repository.ts";
import { getPage, writePage } from "./pages.service.ts";
import type { VersionBlock } from "./version-document.ts";

/** @throws 404 */
export async function getVersion(
  { db, workspaceId }: Context,
  page: PageRow,
  number: number,
): Promise<VersionRow> {
  const version = await repository.findVersion(db, workspaceId, page.id, number);
  if (!version) throw new ApiError("not_found", { message: "There is no such version." });
  return version;
}

export async function listVersions(
  { db, workspaceId }: Context,
  page: PageRow,
  asked: { limit: number; before: number | undefined },
): Promise<VersionSummary[]> {
  return repository.listVersions(db, workspaceId, page.id, asked);
}

const RUN_LENGTH = 8;

/** How the revisions begin that a request brings a page to: the same on each run of it. */
function requestOf({ creates }: ClientContext): string {
  return creates.id.replaceAll("-", "");
}

/**
 * The revision that a run of a request brings a page to. Another run's is another: what follows in
 * the batch of a run that came too late would else take the page for written by itself.
 */
function revisionOf(ctx: ClientContext): string {
  return requestOf(ctx) + newRevision().slice(0, RUN_LENGTH);
}

/** Whether an earlier run of the same request, cut off behind its commit, has written the page. */
export function isWrittenAlready(ctx: ClientContext, page: PageRow): boolean {
  return ctx.creates.resumed && page.revision.startsWith(requestOf(ctx));
}

/** The page, if another run of the same request was quicker to write it. @throws 404 */
async function writtenMeanwhile(ctx: ClientContext, { id }: PageRow): Promise<PageRow | undefined> {
  const page = await getPage(ctx, id);
  return page.revision.startsWith(requestOf(ctx)) ? page : undefined;
}

/**
 * Gives visitors what the draft is now: a new version, the pointer to it and the event, all or
 * nothing. A draft that is on line as it is stays so. @throws 404, 412
 */
export async function publishPage(
  ctx: ClientContext,
  page: PageRow,
  expected: ExpectedRevision,
): Promise<PageRow> {
  return ifUnchanged(
    page,
    expected,
    async (current) => {
      if (current.status === "published" && current.publishedContent === current.contentRevision) {
        return current;
      }
      return (await writeVersion(ctx, current, expected)) ?? writtenMeanwhile(ctx, current);
    },
    () => getPage(ctx, page.id),
  );
}

async function writeVersion(
  ctx: ClientContext,
  page: PageRow,
  expected: ExpectedRevision,
): Promise<PageRow | undefined> {
  const { db, workspaceId } = ctx;
  const document = documentOf(page, await listBlocks(ctx, page));
  const json = JSON.stringify(document);
  const hash = await sha256Hex(json);
  const isOld =
    page.lastVersion > 0 &&
    (await repository.findVersionHash(db, workspaceId, page.id, page.lastVersion)) === hash;
  const number = isOld ? page.lastVersion : page.lastVersion + 1;
  const isSame = isOld && page.status === "published" && page.publishedVersion === number;
  const revision = revisionOf(ctx);
  const createdAt = now();
  const version = { number, document, hash, bytes: toBytes(json).length, createdAt };
  const written = { ...page, revision };
  const changes = {
    status: "published" as const,
    lastVersion: number,
    publishedVersion: number,
    publishedContent: page.contentRevision,
    publishedSettings: document.settings,
    publishedAt: isSame ? page.publishedAt : createdAt,
  };
  const follows = isOld
    ? []
    : [...versionWriting(db, written, version), blocksPublishing(db, written)];
  return writePage(ctx, page, changes, { expected, revision, follows, document });
}

/** Takes a page off line: it is a draft again, and keeps its versions. @throws 404, 409, 412 */
export async function unpublishPage(
  ctx: ClientContext,
  page: PageRow,
  expected: ExpectedRevision,
): Promise<PageRow> {
  return ifUnchanged(
    page,
    expected,
    async (current) => {
      if (current.status === "draft") return current;
      assertNotSwitchedOff(current);
      const changes = {
        status: "draft" as const,
        publishedVersion: null,
        publishedContent: null,
        publishedSettings: null,
        publishedAt: null,
      };
      const write = { expected, revision: revisionOf(ctx) };
      return (await writePage(ctx, current, changes, write)) ?? writtenMeanwhile(ctx, current);
    },
    () => getPage(ctx, page.id),
  );
}

/** Makes the draft what a version was, its blocks with their ids. @throws 404, 412, 422 */
export async function restoreVersion(
  ctx: ClientContext,
  page: PageRow,
  expected: ExpectedRevision,
  { document }: VersionRow,
): Promise<PageRow> {
  const blocks = document.blocks.map(asValidToday);
  return ifUnchanged(
    page,
    expected,
    async (current) => {
      const before = await listBlocks(ctx, current);
      const after = restoredBlocks(ctx, current, before, blocks);
      const content = await withOwnPixels(ctx, contentOf(document));
      const isSame =
        JSON.stringify(documentOf(current, before)) === JSON.stringify(documentOf(content, after));
      if (isSame) return current;
      const changes = withContent(current, content);
      const write = { expected, revision: revisionOf(ctx) };
      const written = await writeDraft(ctx, current, changes, { before, after }, write);
      return written ?? writtenMeanwhile(ctx, current);
    },
    () => getPage(ctx, page.id),
  );
}

/** A block of a version, by the rules that hold now. @throws 422 */
function asValidToday(block: VersionBlock, at: number): VersionBlock {
  const type = findBlockType(block.type);
  const field = `blocks.${at}`;
  if (!type) {
    const message = `There is no block type ${block.type} any more.`;
    throw new ApiError("validation_failed", { errors: { [`${field}.type`]: [message] } });
  }
  const settings: object = validate(type.settings, block.settings, [field, "settings"]);
  return { ...block, settings: asStored({ ...settings }) };
}

/** A version's blocks as rows: those that the draft has alike keep their revision. */
function restoredBlocks(
  ctx: Context,
  page: PageRow,
  before: BlockRow[],
  blocks: VersionBlock[],
): BlockRow[] {
  const known = new Map(before.map((block) => [block.id, block]));
  return blocks.map((block) => {
    const row = { ...blockRow(ctx, page.id, block.id, block), published: true };
    const draft = known.get(block.id);
    if (!draft) return row;
    const { enabled, settings, visibility } = block;
    if (changesNothing(draft, { enabled, settings, visibility })) return draft;
    return { ...row, createdAt: draft.createdAt };
  });
}
