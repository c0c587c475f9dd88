import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import { markDeleted } from "./label-removal.repository.ts";
import { beginRemoval } from "./label-removal.ts";
import type { LabelKind, LabelUsers } from "./labels.ports.ts";
import type { LabelRow } from "./labels.repository.ts";
import * as repository from "./labels.repository.ts";
import type { Label } from "./labels.schemas.ts";

/** Segments that the refusal to delete a label names. */
const MOST_NAMED = 10;

/** @throws 404 */
export async function getLabel(
  { db, workspaceId }: Context,
  kind: LabelKind,
  id: string,
): Promise<LabelRow> {
  const label = await repository.findLabel(db, kind, workspaceId, id);
  if (!label) throw new ApiError("not_found", { message: `There is no such ${kind}.` });
  return label;
}

export async function listLabels(
  { db, workspaceId }: Context,
  kind: LabelKind,
  page: PageRequest,
): Promise<LabelRow[]> {
  return repository.listLabels(db, kind, workspaceId, page);
}

/** Those of the ids that are no labels of this kind in the workspace. */
export async function findForeignLabels(
  { db, workspaceId }: Context,
  kind: LabelKind,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const own = new Set(await repository.findLabelIds(db, kind, workspaceId, ids));
  return ids.filter((id) => !own.has(id));
}

/** @throws 422 */
export async function createLabel(ctx: Context, kind: LabelKind, name: string): Promise<LabelRow> {
  return createOnce(ctx, {
    find: (id) => repository.findLabel(ctx.db, kind, ctx.workspaceId, id),
    insert: async (id) => {
      const time = now();
      const version = { revision: newRevision(), createdAt: time, updatedAt: time };
      const label = {
        id,
        workspaceId: ctx.workspaceId,
        ...naming(name),
        ...version,
        deletedAt: null,
      };
      await repository.insertLabel(ctx.db, kind, label);
      return label;
    },
    taken: () => nameTaken(kind),
  });
}

/** @throws 404, 412, 422 */
export async function renameLabel(
  ctx: Context,
  kind: LabelKind,
  label: LabelRow,
  expected: ExpectedRevision,
  name: string | undefined,
): Promise<LabelRow> {
  const changes = name === undefined ? {} : naming(name);
  return ifUnchanged(
    label,
    expected,
    async (current) => {
      if (changesNothing(current, changes)) return current;
      const version = { revision: newRevision(), updatedAt: now() };
      const changed = { ...changes, ...version };
      return repository.updateLabel(ctx.db, kind, current, changed).catch((error) => {
        throw isUniqueConflict(error) ? nameTaken(kind) : error;
      });
    },
    () => getLabel(ctx, kind, label.id),
  );
}

/**
 * Deletes a label: nobody sees it from now on, and its contacts lose it after the answer.
 * @throws 404, 409 while segments use it, 412
 */
export async function deleteLabel(
  ctx: Context,
  kind: LabelKind,
  label: LabelRow,
  expected: ExpectedRevision,
  users: LabelUsers,
): Promise<void> {
  await ifUnchanged(
    label,
    expected,
    async (current) => {
      if (await markDeleted(ctx.db, kind, current, users, now())) return true;
      await refuseUsed(ctx, kind, current, users);
      return undefined;
    },
    () => getLabel(ctx, kind, label.id),
  );
  const begun = beginRemoval(ctx, { kind, id: label.id }, users).catch((fault: unknown) => {
    // The job of the next minute does it.
    ctx.log.error("label_removal_faulted", { record: label.id, fault });
  });
  ctx.waitUntil(begun);
}

async function refuseUsed(
  ctx: Context,
  kind: LabelKind,
  label: LabelRow,
  users: LabelUsers,
): Promise<void> {
  const segments = await users.findSegmentsUsing(ctx, kind, label.id, MOST_NAMED + 1);
  if (segments.length === 0) return;
  const first = segments.slice(0, MOST_NAMED).map(({ name, id }) => `“${name}” (${id})`);
  const named = [...first, ...(segments.length > MOST_NAMED ? ["and others"] : [])].join(", ");
  throw new ApiError("conflict", {
    message: `The ${kind} is used by ${segments.length === 1 ? "the segment" : "the segments"} ${named}.`,
  });
}

export function presentLabel(label: LabelRow): Label {
  return {
    id: label.id,
    revision: label.revision,
    name: label.name,
    created_at: toTimestamp(label.createdAt),
    updated_at: toTimestamp(label.updatedAt),
  };
}

function naming(name: string): Pick<LabelRow, "name" | "nameKey"> {
  return { name, nameKey: name.toLowerCase() };
}

function nameTaken(kind: LabelKind): ApiError {
  return invalid("name", `The workspace has a ${kind} of this name already.`);
}
