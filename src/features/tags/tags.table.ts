import { labelTable } from "../labels/labels.table.ts";

/** What a workspace tells its contacts apart by; a contact may have many. */
export const tags = labelTable("tags");
