import { ApiError } from "../../../api/errors.ts";
import type { Env } from "../../../platform/config.ts";
import { overloadRetrySeconds } from "../../../platform/overload.ts";

/** As the runtime says it: the class that answers has no such method. */
const NO_SUCH_CALL = "RPC receiver does not implement";

/** The ledger of a workspace. */
export function ledgerOf(env: Env, workspaceId: string) {
  return env.LEDGER.getByName(workspaceId);
}

/**
 * Awaits a call that ledgers of before lack, as some still are while a deploy spreads. @throws 503
 * then: it can be answered soon
 */
export async function ofNewer<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (fault) {
    if (!(fault instanceof Error) || !fault.message.includes(NO_SUCH_CALL)) throw fault;
    throw new ApiError("overloaded", { retryAfterSeconds: overloadRetrySeconds() });
  }
}
