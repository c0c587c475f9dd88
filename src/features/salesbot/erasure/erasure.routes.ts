import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { ContactParams } from "../contacts/contacts.schemas.ts";
import { findContact } from "../contacts/contacts.service.ts";
import { presentErasure } from "./erasure.presenter.ts";
import { ErasureAnswer } from "./erasure.schemas.ts";
import { getErasure, startErasure, startErasureOfDeleted } from "./erasure.service.ts";

const ONE = "/api/v1/contacts/{contact}";
const tag = "Contacts";

const access: Access = {
  feature: "salesbot",
  permission: "salesbot:contacts:write",
  idempotencyKey: "optional",
};

export function addErasureRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: `${ONE}/erase`,
      operationId: "eraseContact",
      tag,
      summary: "Erase all that is stored of a contact",
      description: `For a person who asks for it; it cannot be undone. Before the answer the contact is gone, as if deleted: no message goes to it, and no webhook with its data goes out any more. So is what it sent in forms: submissions that made it or were added to it, and those with its \`email\` among the answers. Then its data go from messages (text, template and \`external_id\`; those queued fail with \`contact_erased\`), from events and from deliveries (payloads, and what receivers answered; those pending fail, \`payload_purged\`), mostly within seconds: \`GET ${ONE}/erasure\` tells. Messages and deliveries themselves stay, without data, so that counts stay right. \`salesbot.contact.deleted\` is told with the \`id\` only.

A contact that was deleted before can be erased by its id too, and needs no \`If-Match\` then; sent again, the answer is the erasure as it stands. What stays for a while: answers kept, encrypted, to replay requests with an \`Idempotency-Key\` (24 hours). What stays for good, if the contact had opted out: keyed hashes of its \`phone\`, \`email\` and \`external_id\`, so that nobody writes to it again by mistake.`,
      access,
      params: ContactParams,
      ifMatch: true,
      success: { status: 202, description: "The contact is gone.", schema: ErasureAnswer },
    },
    async (request) => {
      const { ctx, params } = request;
      const contact = await findContact(ctx, params.contact);
      const erasure = contact
        ? await startErasure(ctx, contact, request.expectRevision(contact.revision))
        : await startErasureOfDeleted(ctx, params.contact);
      return { body: { data: presentErasure(erasure) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${ONE}/erasure`,
      operationId: "getErasure",
      tag,
      summary: "Read how far the erasure of a contact is",
      description:
        "It goes on for some minutes behind the answer of `POST …/erase`. 404: nobody asked for it.",
      access: { ...access, permission: "salesbot:contacts:read", idempotencyKey: "unused" },
      params: ContactParams,
      success: { status: 200, description: "The erasure.", schema: ErasureAnswer },
    },
    async ({ ctx, params }) => ({
      body: { data: presentErasure(await getErasure(ctx, params.contact)) },
    }),
  );
}
