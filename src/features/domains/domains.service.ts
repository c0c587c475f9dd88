import type { Database } from "../../db/client.ts";
import { type DomainRow, listDomains } from "./domains.repository.ts";

/** The workspace's own domains by id. Plans keep them few, so they are read together. */
export async function domainsById(
  db: Database,
  workspaceId: string,
): Promise<Map<string, Pick<DomainRow, "host" | "verified">>> {
  const rows = await listDomains(db, workspaceId);
  return new Map(rows.map((row) => [row.id, row]));
}
