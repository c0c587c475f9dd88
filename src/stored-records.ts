import type { FileRecords } from "./access/usage/file-recount.ts";
import type { FewRecords, StoredRecords } from "./access/usage/usage-recount.ts";
import { contactBytes } from "./features/salesbot/contacts/contacts.ports.ts";

const bytes = "record.bytes";

/** Whatever counts as a workspace's, in the order by which the triggers number the tables. */
export const STORED_RECORDS: StoredRecords[] = [
  { table: "contacts", bytes: contactBytes("record"), counted: "contacts" },
  { table: "links", bytes, counted: "links" },
  { table: "messages", bytes },
  { table: "segments", bytes },
  { table: "events", bytes },
  { table: "tags", bytes },
  { table: "stages", bytes },
  { table: "target_deliveries", key: ["target_id", "id"], bytes },
];

/**
 * Those of which a workspace has few: the recount adds them up in the statement that ends it for a
 * workspace, so their triggers count as of then, and they have no number.
 */
export const FEW_RECORDS: FewRecords[] = [{ table: "pixels", bytes }];

/** Those whose own bytes count apart; a trigger counts the same for each row. */
export const FILE_RECORDS: FileRecords = { table: "files", rowBytes: 500 };
