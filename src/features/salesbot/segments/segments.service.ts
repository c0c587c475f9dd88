import { createOnce } from "../../../api/create-once.ts";
import { ApiError } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isReferenceConflict } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import { toContactQuery } from "../contacts/contact-selection.ports.ts";
import type { ContactSelection } from "../contacts/contact-selection.ts";
import { type ContactRow, countContacts, selectContacts } from "../contacts/contacts.service.ts";
import { type DroppedRule, sanitise } from "./conditions.ts";
import { assertOwnLabels, blankDefinition, redefine } from "./segment-definition.ts";
import type { SegmentRow } from "./segments.repository.ts";
import * as repository from "./segments.repository.ts";
import type { Segment, SegmentInput } from "./segments.schemas.ts";

const PREVIEW_CONTACTS = 25;

/** @throws 404 */
export async function getSegment(ctx: Context, id: string): Promise<SegmentRow> {
  const segment = await repository.findSegment(ctx.db, ctx.workspaceId, id);
  if (!segment) throw new ApiError("not_found", { message: "There is no such segment." });
  return segment;
}

export async function listSegments(ctx: Context, page: PageRequest): Promise<SegmentRow[]> {
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
      const made: SegmentRow = { ...row, revision: newRevision(), updatedAt: time };
      await write(ctx, made, null);
      return made;
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
      const changed = { ...current, ...changes, ...version };
      return (await write(ctx, changed, current.revision))
        ? { segment: changed, dropped }
        : undefined;
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

/** The contacts that are in a segment now. */
export async function listSegmentContacts(
  ctx: Context,
  segment: ContactSelection,
  page: PageRequest,
): Promise<ContactRow[]> {
  return selectContacts(ctx.db, ctx.workspaceId, queryOf(segment), page);
}

/** What a segment would select if it were saved. @throws 422 */
export async function previewSegment(ctx: Context, input: SegmentInput) {
  const { definition, dropped } = redefine(blankDefinition(), input);
  await assertOwnLabels(ctx, definition);
  const query = toContactQuery(definition, now());
  const page: PageRequest = { limit: PREVIEW_CONTACTS, beforeId: undefined };
  const [[count = 0], contacts] = await Promise.all([
    countContacts(ctx.db, ctx.workspaceId, [query]),
    selectContacts(ctx.db, ctx.workspaceId, query, page),
  ]);
  const { conditions } = definition;
  return { count, contacts: contacts.slice(0, PREVIEW_CONTACTS), conditions, dropped };
}

/** Presents segments with the number of their contacts, all counted in one call. */
export async function presentSegments(ctx: Context, segments: SegmentRow[]): Promise<Segment[]> {
  const counts = await countContacts(ctx.db, ctx.workspaceId, segments.map(queryOf));
  return segments.map((segment, at) => present(segment, counts[at] ?? 0, []));
}

/** Presents one segment; `dropped` are the rules that were not kept when it was saved just now. */
export async function presentSegment(
  ctx: Context,
  segment: SegmentRow,
  dropped: DroppedRule[],
): Promise<Segment> {
  const [count = 0] = await countContacts(ctx.db, ctx.workspaceId, [queryOf(segment)]);
  return present(segment, count, dropped);
}

function present(segment: SegmentRow, count: number, droppedAtSave: DroppedRule[]): Segment {
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
    contacts_count: count,
    created_at: toTimestamp(segment.createdAt),
    updated_at: toTimestamp(segment.updatedAt),
  };
}

/** Stored conditions go through the sanitiser again: the list of fields may have changed since. */
function queryOf(segment: ContactSelection) {
  const { conditions } = sanitise(segment.conditions);
  return toContactQuery({ ...segment, conditions }, now());
}

async function write(ctx: Context, segment: SegmentRow, replaces: string | null): Promise<boolean> {
  const uses = await assertOwnLabels(ctx, segment);
  return repository.writeSegment(ctx.db, segment, replaces, uses).catch((error: unknown) => {
    if (!isReferenceConflict(error)) throw error;
    throw new ApiError("conflict", { message: "A tag or stage was deleted just now." });
  });
}

/** The segments that name a label, which is kept while there are any. */
export async function findSegmentsUsing(
  { db, workspaceId }: Context,
  kind: "tag" | "stage",
  id: string,
): Promise<{ id: string; name: string }[]> {
  return repository.findSegmentsUsing(db, workspaceId, kind, id);
}
