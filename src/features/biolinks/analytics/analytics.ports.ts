/** What analytics need of other features. */
import type { Context } from "../../../platform/context/context.ts";

/** Tells what some are called by their ids, those of them that it can tell of. */
export type FindNames = (
  ctx: Context,
  ids: Iterable<string>,
) => Promise<ReadonlyMap<string, string>>;

/** Of what an answer tells the names. */
export interface NamesOf {
  /** Also of deleted ones, while their pages stand. */
  block: FindNames;
  product: FindNames;
}
