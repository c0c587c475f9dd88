import type { Database } from "../../db/client.ts";
import { isReferenceConflict, isUniqueConflict } from "../../db/faults.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import type { ExpectedRevision } from "../../http/etag.ts";
import type { Page } from "../../http/pagination.ts";
import { ifUnchanged } from "../../http/unchanged.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { newRevision } from "../../lib/ids.ts";
import { findSegmentsUsing } from "../segments/segment-uses.service.ts";
import type { LabelKind, LabelRow } from "./labels.repository.ts";
import * as repository from "./labels.repository.ts";
import type { Label } from "./labels.schemas.ts";

/** Whose labels, and of which kind. */
export interface LabelScope {
  db: Database;
  workspaceId: string;
  kind: LabelKind;
}

/** @throws 404 */
export async function getLabel(scope: LabelScope, id: string): Promise<LabelRow> {
  const label = await repository.findLabel(scope.db, scope.kind, scope.workspaceId, id);
  if (!label) throw new ApiError("not_found", { message: `There is no such ${scope.kind}.` });
  return label;
}

export async function listLabels(scope: LabelScope, page: Page): Promise<LabelRow[]> {
  return repository.listLabels(scope.db, scope.kind, scope.workspaceId, page);
}

/** Those of the ids that are no labels of this kind in the workspace. */
export async function findForeignLabels(scope: LabelScope, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { db, kind, workspaceId } = scope;
  const own = new Set(await repository.findLabelIds(db, kind, workspaceId, ids));
  return ids.filter((id) => !own.has(id));
}

/** Makes a label; a run that follows one that was cut off finds it by its id. @throws 422 */
export async function createLabel(scope: LabelScope, id: string, name: string): Promise<LabelRow> {
  const time = now();
  const label: LabelRow = {
    id,
    workspaceId: scope.workspaceId,
    ...naming(name),
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
  };
  try {
    await repository.insertLabel(scope.db, scope.kind, label);
    return label;
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    const { db, kind, workspaceId } = scope;
    const made = await repository.findLabel(db, kind, workspaceId, id);
    if (made) return made;
    throw nameTaken(scope);
  }
}

/** @throws 404, 412, 422 */
export async function renameLabel(
  scope: LabelScope,
  label: LabelRow,
  expected: ExpectedRevision,
  name: string | undefined,
): Promise<LabelRow> {
  if (name === undefined || name === label.name) return label;
  const changes = { ...naming(name), revision: newRevision(), updatedAt: now() };
  return ifUnchanged(
    label,
    expected,
    (current) =>
      repository.updateLabel(scope.db, scope.kind, current, changes).catch((error) => {
        throw isUniqueConflict(error) ? nameTaken(scope) : error;
      }),
    () => getLabel(scope, label.id),
  );
}

/** Deletes a label and takes it from its contacts. @throws 404, 409 while segments use it, 412 */
export async function deleteLabel(
  scope: LabelScope,
  label: LabelRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    label,
    expected,
    async (current) => {
      const deletion = repository.deleteLabel(scope.db, scope.kind, current, now());
      return (await deletion.catch((error) => refuseUsed(scope, current, error))) || undefined;
    },
    () => getLabel(scope, label.id),
  );
}

async function refuseUsed(scope: LabelScope, label: LabelRow, error: unknown): Promise<never> {
  if (!isReferenceConflict(error)) throw error;
  const segments = await findSegmentsUsing(scope.db, scope.kind, label.id);
  const named = segments.map(({ name, id }) => `“${name}” (${id})`).join(", ");
  throw new ApiError("conflict", {
    message: `The ${scope.kind} is used by ${segments.length === 1 ? "the segment" : "the segments"} ${named}.`,
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

function nameTaken(scope: LabelScope): ApiError {
  return invalid("name", `The workspace has a ${scope.kind} of this name already.`);
}
