import type { Context } from "../../platform/context/context.ts";

/**
 * Writes a change of a workspace, its members or its keys so that the gate knows it at once. The
 * gate is told before and after: if this Worker dies in between, the gate reads D1 for each
 * request until it is sure, and never lets in what D1 no longer does.
 */
export async function changeWorkspace<T>(
  { env, workspaceId }: Context,
  write: () => Promise<T>,
): Promise<T> {
  const gate = env.WORKSPACE_GATE.getByName(workspaceId);
  const change = await gate.beginChange();
  try {
    return await write();
  } finally {
    await gate.endChange(change);
  }
}
