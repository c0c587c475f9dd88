/** What labels need of those that use them: contacts and segments, which know labels themselves. */
import type { Context } from "../../../platform/context/context.ts";

export type LabelKind = "tag" | "stage";

export interface LabelUsers {
  /**
   * SQL that changes the revisions of the contacts with a label: `label` is joined from `table`,
   * and found by a condition that binds ?1 to ?3; ?2 is the workspace, ?4 the time.
   */
  contactsLosing(kind: LabelKind, table: string, found: string): string;
  /** The segments that name a label: while there are any, it is kept. */
  findSegmentsUsing(
    ctx: Context,
    kind: LabelKind,
    id: string,
  ): Promise<{ id: string; name: string }[]>;
}
