/** Forms that take so many submissions: they are drawn closed once they have them. */
import type { Context } from "../../../platform/context/context.ts";
import type { FormSettings } from "./blocks/form-settings.ts";
import { findFull, type LimitedForm } from "./full-forms.repository.ts";
import type { PageBlock, PageDocument } from "./view/page-document.ts";

export function hasLimitedForm({ blocks }: Pick<PageDocument, "blocks">): boolean {
  return blocks.some((block) => limitOf(block) !== undefined);
}

/** The forms of a document that have taken as many as it says; without a limit nothing is asked. */
export async function findFullForms(
  { db, workspaceId }: Context,
  { blocks }: Pick<PageDocument, "blocks">,
): Promise<ReadonlySet<string>> {
  const limited = blocks.flatMap((block): LimitedForm[] => {
    const limit = limitOf(block);
    return limit === undefined ? [] : [{ block: block.id, limit }];
  });
  return new Set(limited.length > 0 ? await findFull(db, workspaceId, limited) : []);
}

function limitOf({ type, settings }: PageBlock): number | undefined {
  return type === "form" ? (settings as FormSettings).limit : undefined;
}
