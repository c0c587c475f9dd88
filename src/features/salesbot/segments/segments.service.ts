import { createOnce } from "../../../api/create-once.ts";
import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isReferenceConflict } from "../../../platform/db/faults.ts";
import type { Part } from "../../../platform/db/walk.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import { countOn, NOTHING_COUNTED, REQUEST_BUDGET, selectPage } from "../contacts/contact-scan.ts";
import type { ContactSelection } from "../contacts/contact-selection.ts";
import { type DroppedRule, sanitise } from "./conditions.ts";
import { assertOwnLabels, blankDefinition, redefine } from "./segment-definition.ts";
import { scanOf } from "./segment-scan.ts";
import type { SegmentRow } from "./segments.repository.ts";
import * as repository from "./segments.repository.ts";
import type { Segment, SegmentInput } from "./segments.schemas.ts";

const PREVIEW_CONTACTS = 25;
/** No request counts further: from there on it says "at least". */
const MOST_COUNTED = 10_000;

/** @throws 404 */
export async function getSegment(ctx: Context, id: string): Promise<SegmentRow> {
  const segment = await repository.findSegment(ctx.db, ctx.workspaceId, id);
  if (!segment) throw new ApiError("not_found", { message: "There is no such segment." });
  return segment;
}

export async function listSegments(ctx: Context, page: PageRequest): Promise<Part<SegmentRow>> {
  return repository.listSegments(ctx.db, ctx.workspaceId, page);
}

/** What became of a write: the segment, and the rules that were not kept. */
interface Saved {
  segment: SegmentRow;
  dropped: DroppedRule[];
}

/** Saves a segment. @throws 422 */
export async function createSegment(
  ctx: Context,
  input: SegmentInput & { name: string },
): Promise<Saved> {
  const time = now();
  const blank = { name: input.name, ...blankDefinition(), createdAt: time };
  const { definition, dropped } = redefine(blank, input);
  const segment = await createOnce(ctx, {
    find: (id) => repository.findSegment(ctx.db, ctx.workspaceId, id),
    insert: async (id) => {
      const row = { ...blank, ...definition, id, workspaceId: ctx.workspaceId };
      const version = { revision: newRevision(), updatedAt: time };
      const made = { ...row, ...version, ...UNCOUNTED };
      return (await write(ctx, made, null)) ?? made;
    },
  });
  return { segment, dropped };
}

/** @throws 404, 412, 422 */
export async function updateSegment(
  ctx: Context,
  segment: SegmentRow,
  expected: ExpectedRevision,
  input: SegmentInput,
): Promise<Saved> {
  return ifUnchanged(
    segment,
    expected,
    async (current) => {
      const { definition, dropped } = redefine(current, input);
      const changes = { ...definition, name: input.name ?? current.name };
      if (changesNothing(current, changes)) return { segment: current, dropped };
      const version = { revision: newRevision(), updatedAt: now() };
      const count = changesNothing(current, definition) ? {} : UNCOUNTED;
      const changed = { ...current, ...changes, ...version, ...count };
      const written = await write(ctx, changed, current.revision);
      return written && { segment: written, dropped };
    },
    () => getSegment(ctx, segment.id),
  );
}

/** @throws 404, 412 */
export async function deleteSegment(
  ctx: Context,
  segment: SegmentRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    segment,
    expected,
    async (current) => (await repository.deleteSegment(ctx.db, current)) || undefined,
    () => getSegment(ctx, segment.id),
  );
}

/** The contacts that are in a segment now; `lastId` is where the page goes on, if it does. */
export async function listSegmentContacts(
  ctx: Context,
  segment: ContactSelection,
  page: PageRequest,
) {
  return selectPage(ctx, scanOf(segment), page);
}

/** What a segment would select if it were saved. @throws 422 */
export async function previewSegment(ctx: Context, input: SegmentInput) {
  const { definition, dropped } = redefine(blankDefinition(), input);
  await assertOwnLabels(ctx, definition);
  const { found, beforeId } = await count(ctx, definition);
  const page: PageRequest = { limit: PREVIEW_CONTACTS, beforeId: undefined };
  // A page looks no further than the count has looked.
  const { contacts } = found > 0 ? await selectPage(ctx, scanOf(definition), page) : NO_CONTACTS;
  return {
    count: Math.min(found, MOST_COUNTED),
    more: beforeId !== null || found > MOST_COUNTED,
    contacts,
    conditions: definition.conditions,
    dropped,
  };
}

const NO_CONTACTS = { contacts: [] };

function count(ctx: Context, definition: ContactSelection) {
  return countOn(ctx, scanOf(definition), NOTHING_COUNTED, REQUEST_BUDGET, MOST_COUNTED + 1);
}

const UNCOUNTED = { contactsCount: null, countedAt: null };

/** A segment with its count, as far as a request counts; else the minute's job does. */
async function counted(ctx: Context, segment: SegmentRow): Promise<SegmentRow> {
  if (segment.countedAt !== null) return segment;
  const { found, beforeId } = await count(ctx, segment);
  return beforeId === null ? { ...segment, contactsCount: found, countedAt: now() } : segment;
}

/** Presents a segment; `droppedAtSave` are the rules that were not kept when it was saved just now. */
export function presentSegment(segment: SegmentRow, droppedAtSave: DroppedRule[] = []): Segment {
  const { conditions, dropped } = sanitise(segment.conditions);
  return {
    id: segment.id,
    revision: segment.revision,
    name: segment.name,
    stage: segment.stageId,
    include_tags: segment.includeTags,
    exclude_tags: segment.excludeTags,
    min_days_inactive: segment.minDaysInactive,
    conditions,
    dropped_rules: [...droppedAtSave, ...dropped],
    contacts_count: segment.contactsCount,
    counted_at: segment.countedAt === null ? null : toTimestamp(segment.countedAt),
    created_at: toTimestamp(segment.createdAt),
    updated_at: toTimestamp(segment.updatedAt),
  };
}

/** Writes a segment, counted if it was not; undefined if it is not what it `replaces` any more. */
async function write(
  ctx: Context,
  segment: SegmentRow,
  replaces: string | null,
): Promise<SegmentRow | undefined> {
  const uses = await assertOwnLabels(ctx, segment);
  const row = await counted(ctx, segment);
  const isWritten = await repository
    .writeSegment(ctx.db, row, replaces, uses)
    .catch((error: unknown) => {
      if (!isReferenceConflict(error)) throw error;
      throw new ApiError("conflict", { message: "A tag or stage was deleted just now." });
    });
  return isWritten ? row : undefined;
}

/** The first segments that name a label, which is kept while there are any. */
export async function findSegmentsUsing(
  { db, workspaceId }: Context,
  kind: "tag" | "stage",
  id: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return repository.findSegmentsUsing(db, workspaceId, kind, id, limit);
}
