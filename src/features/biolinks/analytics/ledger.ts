import type { Env } from "../../../platform/config.ts";
import type { Ledger } from "./ledger-shapes.ts";

/** The workspace's ledger: what happened, counted. */
export function ledgerOf(env: Env, workspaceId: string): Ledger {
  const { LEDGER } = env as unknown as { LEDGER: { getByName(name: string): Ledger } };
  return LEDGER.getByName(workspaceId);
}
