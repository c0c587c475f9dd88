import type { Database } from "../../db/client.ts";
import { isReferenceConflict, isUniqueConflict } from "../../db/faults.ts";
import { ApiError } from "../../http/errors.ts";
import type { ExpectedRevision } from "../../http/etag.ts";
import type { Page } from "../../http/pagination.ts";
import { ifUnchanged } from "../../http/unchanged.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { newRevision } from "../../lib/ids.ts";
import { type ContactRow, countContacts, selectContacts } from "../contacts/contacts.service.ts";
import { type DroppedRule, sanitise } from "./conditions.ts";
import { assertOwnLabels, blankDefinition, redefine } from "./segment-definition.ts";
import { type Definition, toContactQuery } from "./segment-query.ts";
import type { SegmentRow } from "./segments.repository.ts";
import * as repository from "./segments.repository.ts";
import type { Segment, SegmentInput } from "./segments.schemas.ts";

const PREVIEW_CONTACTS = 25;

export interface SegmentScope {
  db: Database;
  workspaceId: string;
}

/** @throws 404 */
export async function getSegment(scope: SegmentScope, id: string): Promise<SegmentRow> {
  const segment = await repository.findSegment(scope.db, scope.workspaceId, id);
  if (!segment) throw new ApiError("not_found", { message: "There is no such segment." });
  return segment;
}

export async function listSegments(scope: SegmentScope, page: Page): Promise<SegmentRow[]> {
  return repository.listSegments(scope.db, scope.workspaceId, page);
}

/** What became of a write: the segment, and the rules that were not kept. */
interface Saved {
  segment: SegmentRow;
  dropped: DroppedRule[];
}

/** Saves a segment; a run that follows one that was cut off finds it by its id. @throws 422 */
export async function createSegment(
  scope: SegmentScope,
  id: string,
  input: SegmentInput & { name: string },
): Promise<Saved> {
  const time = now();
  const blank = { name: input.name, ...blankDefinition(), createdAt: time };
  const { definition, dropped } = redefine(blank, input);
  const row = { ...blank, ...definition, id, workspaceId: scope.workspaceId };
  const segment: SegmentRow = { ...row, revision: newRevision(), updatedAt: time };
  try {
    await write(scope, segment, null);
    return { segment, dropped };
  } catch (error) {
    const made = isUniqueConflict(error) ? await getSegment(scope, id) : undefined;
    if (made) return { segment: made, dropped };
    throw error;
  }
}

/** @throws 404, 412, 422 */
export async function updateSegment(
  scope: SegmentScope,
  segment: SegmentRow,
  expected: ExpectedRevision,
  input: SegmentInput,
): Promise<Saved> {
  return ifUnchanged(
    segment,
    expected,
    async (current) => {
      const { definition, dropped } = redefine(current, input);
      const name = input.name ?? current.name;
      const version = { revision: newRevision(), updatedAt: now() };
      const changed = { ...current, ...definition, name, ...version };
      return (await write(scope, changed, current.revision))
        ? { segment: changed, dropped }
        : undefined;
    },
    () => getSegment(scope, segment.id),
  );
}

/** @throws 404, 412 */
export async function deleteSegment(
  scope: SegmentScope,
  segment: SegmentRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    segment,
    expected,
    async (current) => (await repository.deleteSegment(scope.db, current)) || undefined,
    () => getSegment(scope, segment.id),
  );
}

/** The contacts that are in a segment now. */
export async function listSegmentContacts(
  scope: SegmentScope,
  segment: Definition,
  page: Page,
): Promise<ContactRow[]> {
  return selectContacts(scope.db, scope.workspaceId, queryOf(segment), page);
}

/** What a segment would select if it were saved. @throws 422 */
export async function previewSegment(scope: SegmentScope, input: SegmentInput) {
  const { definition, dropped } = redefine(blankDefinition(), input);
  await assertOwnLabels(scope, definition);
  const query = toContactQuery(definition, now());
  const page: Page = { limit: PREVIEW_CONTACTS, beforeId: undefined };
  const [[count = 0], contacts] = await Promise.all([
    countContacts(scope.db, scope.workspaceId, [query]),
    selectContacts(scope.db, scope.workspaceId, query, page),
  ]);
  const { conditions } = definition;
  return { count, contacts: contacts.slice(0, PREVIEW_CONTACTS), conditions, dropped };
}

/** Presents segments with the number of their contacts, all counted in one call. */
export async function presentSegments(
  scope: SegmentScope,
  segments: SegmentRow[],
  droppedAtSave: DroppedRule[] = [],
): Promise<Segment[]> {
  const counts = await countContacts(scope.db, scope.workspaceId, segments.map(queryOf));
  return segments.map((segment, at) => {
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
      contacts_count: counts[at] ?? 0,
      created_at: toTimestamp(segment.createdAt),
      updated_at: toTimestamp(segment.updatedAt),
    };
  });
}

/** Stored conditions go through the sanitiser again: the list of fields may have changed since. */
function queryOf(segment: Definition) {
  const { conditions } = sanitise(segment.conditions);
  return toContactQuery({ ...segment, conditions }, now());
}

async function write(
  scope: SegmentScope,
  segment: SegmentRow,
  replaces: string | null,
): Promise<boolean> {
  const uses = await assertOwnLabels(scope, segment);
  return repository.writeSegment(scope.db, segment, replaces, uses).catch((error: unknown) => {
    if (!isReferenceConflict(error)) throw error;
    throw new ApiError("conflict", { message: "A tag or stage was deleted just now." });
  });
}
