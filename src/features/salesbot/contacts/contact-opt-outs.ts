import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { mayConsent } from "./contact-consent.ts";
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

/**
 * Takes the people of contacts off the list that are said to be active and are so already: they may
 * have opted out as other contacts. Nothing, if the caller may not undo that; nobody who is among
 * `optedOut`, hashed, as the same request opts them out.
 */
export async function undoOptOuts(
  ctx: ClientContext,
  contacts: ContactRow[],
  optedOut: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (contacts.length === 0 || !mayConsent(ctx.caller)) return;
  const ofEach = contacts.map(
    async (contact): Promise<[string, string[]]> => [contact.id, await listedAs(ctx, contact)],
  );
  const undone = (await Promise.all(ofEach)).filter(
    ([, identities]) => !identities.some((identity) => optedOut.has(identity)),
  );
  if (undone.length > 0) await removeOptOuts(ctx.db, ctx.workspaceId, undone);
}
