/** Public pictures are looked up before any workspace is known. */
import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { Env } from "../../../platform/config.ts";
import { sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { joinServedDomain } from "../domains/domains.ports.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";

const FIND = `SELECT qr_codes.workspace_id AS workspaceId, qr_codes.code, qr_codes.origin, qr_codes.target, qr_codes.style
  FROM qr_codes CROSS ${joinWorkspace("qr_codes.workspace_id")}
    LEFT ${joinServedDomain("?3")}
  WHERE qr_codes.id = ?1 AND qr_codes.revision = ?2 AND workspaces.status <> 'suspended'
    AND (?3 IS NULL OR domains.workspace_id = qr_codes.workspace_id)`;

type PublicQrCode = Pick<QrCodeRow, "workspaceId" | "code" | "origin" | "target" | "style">;

/** A code of this very revision, on the platform's host (null) or on one of its workspace's. */
export async function findPublicQrCode(
  env: Env,
  { id, revision, host }: { id: string; revision: string; host: string | null },
): Promise<PublicQrCode | undefined> {
  // From the primary: who has just made it knows the address, and a replica might not.
  const found = await retryTransient(() =>
    sharedSession(env, "primary").prepare(FIND).bind(id, revision, host).first<{
      workspaceId: string;
      code: string | null;
      origin: string | null;
      target: string;
      style: string;
    }>(),
  );
  if (!found) return undefined;
  return { ...found, target: JSON.parse(found.target), style: JSON.parse(found.style) };
}
