/** What counting clicks needs of the links that were clicked. */
import type { Database } from "../../../platform/db/client.ts";

export interface ClickedLinks {
  /** The workspaces of links, by the links' ids. */
  findLinkWorkspaces(db: Database, ids: string[]): Promise<Map<string, string>>;
}
