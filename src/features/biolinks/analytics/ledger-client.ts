import type { Env } from "../../../platform/config.ts";

/** The ledger of a workspace. */
export function ledgerOf(env: Env, workspaceId: string) {
  return env.LEDGER.getByName(workspaceId);
}
