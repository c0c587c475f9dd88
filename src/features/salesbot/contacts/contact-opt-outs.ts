import type { Context } from "../../../platform/context/context.ts";
import { identitiesIn } from "./contact-identity.ts";
import type { ContactRow } from "./contacts.repository.ts";
import { hashIdentities } from "./opt-out-key.ts";
import { findOptOuts, removeOptOuts } from "./opt-outs.repository.ts";

/** What a contact goes by, as the list of opt-outs has it. */
export async function listedAs(ctx: Context, contact: ContactRow): Promise<string[]> {
  return hashIdentities(ctx, identitiesIn(contact));
}

/** Whether the person of a contact opted out, though as another contact perhaps. */
export async function hasOptedOut(ctx: Context, contact: ContactRow): Promise<boolean> {
  const listed = await findOptOuts(ctx.db, ctx.workspaceId, await listedAs(ctx, contact));
  return listed.size > 0;
}

/** Takes the person of a contact off the list. */
export async function undoOptOut(ctx: Context, contact: ContactRow): Promise<void> {
  await removeOptOuts(ctx.db, ctx.workspaceId, await listedAs(ctx, contact));
}
