import { ApiError } from "../../../api/errors.ts";

/**
 * What the operator has switched off keeps its address: else the workspace could take it away, and
 * put the same there anew. @throws 409
 */
export function assertNotSwitchedOff({ disabled }: { disabled: boolean }): void {
  if (!disabled) return;
  const message =
    "The operator has switched this off: until it is on again it keeps its address, and is not deleted.";
  throw new ApiError("conflict", { message });
}
