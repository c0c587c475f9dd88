/** What labels need of those that use them, contacts and segments, and what those need of labels. */
import type { Context } from "../../../platform/context/context.ts";

export type LabelKind = "tag" | "stage";

/** Where a look at the contacts that have a label goes on, and how far it may go. */
export interface ContactPage {
  after: string;
  limit: number;
}

/** What became of a page: how many had the label, how many lost it, the id of the last. */
export interface TakenLabels {
  found: number;
  taken: number;
  last: string | undefined;
}

export interface LabelUsers {
  /** SQL: no segment names the label, whose id is given as SQL. */
  unusedBySegments(kind: LabelKind, id: string): string;
  /** The first segments that name a label: while there are any, it is kept. */
  findSegmentsUsing(
    ctx: Context,
    kind: LabelKind,
    id: string,
    limit: number,
  ): Promise<{ id: string; name: string }[]>;
  /** Takes a deleted label from the next contacts that have it, each with its event. */
  takeLabel(
    ctx: Context,
    label: { kind: LabelKind; id: string },
    page: ContactPage,
  ): Promise<TakenLabels>;
}

/** SQL of a label's id, by the SQL of it, if the label is the workspace's. */
export function ownLabel(kind: LabelKind, id: string, workspaceId: string): string {
  return `(SELECT id FROM ${kind}s WHERE id = ${id} AND workspace_id = ${workspaceId})`;
}

/**
 * SQL of the ids of a workspace's labels that are deleted and may still stand with its contacts:
 * no answer may show them. There are some for minutes after a DELETE at most.
 */
export function deletedLabels(kind: LabelKind, workspaceId: string): string {
  return `SELECT id FROM ${kind}s INDEXED BY ${kind}s_deleted
    WHERE workspace_id = ${workspaceId} AND deleted_at > 0`;
}
