/** What analytics need of other features. */
import type { Context } from "../../../platform/context/context.ts";

/** Tells what blocks are called, or were, by their ids: also deleted ones, while their pages stand. */
export type FindBlockNames = (
  ctx: Context,
  ids: Iterable<string>,
) => Promise<ReadonlyMap<string, string>>;
