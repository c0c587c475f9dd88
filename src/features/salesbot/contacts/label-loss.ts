import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now } from "../../../platform/time.ts";
import type { ContactPage, LabelKind, TakenLabels } from "../labels/labels.ports.ts";
import { updateOf } from "./contact-changes.ts";
import { inParts } from "./contact-upsert.ts";
import { type JudgedWrite, writeContacts } from "./contact-writes.repository.ts";
import { type ContactRow, findContactsWithLabel } from "./contacts.repository.ts";

/** All jobs of a minute share the thousand requests of their invocation. */
const PART_ROWS = 50;

/** Takes a deleted label from the next contacts that have it, each with the events of that. */
export async function takeLabel(
  ctx: Context,
  { kind, id }: { kind: LabelKind; id: string },
  page: ContactPage,
): Promise<TakenLabels> {
  const contacts = await findContactsWithLabel(ctx.db, ctx.workspaceId, { kind, id }, page);
  const changes = contacts.flatMap((contact) => lossOf(ctx, contact, kind, id) ?? []);
  let taken = 0;
  let wanted: string | undefined;
  for (const part of inParts(changes, PART_ROWS)) {
    const written = await writeContacts(ctx.db, part);
    taken += written.ids.size;
    wanted ??= written.wanted;
  }
  await announceEvents(ctx, wanted);
  return { found: contacts.length, taken, last: contacts.at(-1)?.id };
}

/** What is read of a contact shows the label no more: the change is from as it was before. */
function lossOf(
  ctx: Context,
  contact: ContactRow,
  kind: LabelKind,
  id: string,
): JudgedWrite | undefined {
  const [before, input] =
    kind === "tag"
      ? [{ ...contact, tags: [...contact.tags, id].sort() }, { tags: contact.tags }]
      : [{ ...contact, stageId: id }, { stage: null }];
  try {
    const write = updateOf(before, input, now());
    // It becomes no other person's: nothing to ask the list of opt-outs.
    return write && { ...write, identities: [], optOut: null };
  } catch (fault) {
    if (isOverload(fault)) throw fault;
    ctx.log.error("label_removal_faulted", { record: contact.id, fault });
    return undefined;
  }
}
