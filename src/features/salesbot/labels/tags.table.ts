import { labelTable } from "./labels.table.ts";

/** What a workspace tells its contacts apart by; a contact may have many. */
export const tags = labelTable("tags");
