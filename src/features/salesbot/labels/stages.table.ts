import { labelTable } from "./labels.table.ts";

/** The steps of a workspace's sales pipeline; a contact stands on one of them at most. */
export const stages = labelTable("stages");
