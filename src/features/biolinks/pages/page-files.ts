import type { FileUser } from "../files/files.ports.ts";
import { findPagesWithFile } from "./page-files.repository.ts";
import { fileUnusedByPages } from "./pages.ports.ts";

/** Pages use the files of their drafts, and of the version that visitors get; not of older ones. */
export const PAGES_WITH_FILES: FileUser = {
  name: "page",
  unused: fileUnusedByPages,
  findUses: ({ db }, id, most) => findPagesWithFile(db, id, most),
};
