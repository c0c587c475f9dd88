import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { EARLY_END, listOf, toList, toPageRequest, toPart } from "../../../api/pagination.ts";
import { assertMayConsent, CONSENT_PERMISSION, consentIn } from "./contact-consent.ts";
import { presentContact } from "./contacts.presenter.ts";
import type { ContactRow } from "./contacts.repository.ts";
import {
  Contact,
  ContactAnswer,
  ContactInput,
  ContactParams,
  ImportAnswer,
  ImportContacts,
  ListContactsQuery,
} from "./contacts.schemas.ts";
import {
  createContact,
  deleteContact,
  getContact,
  importContacts,
  listAllContacts,
  listContacts,
  updateContact,
} from "./contacts.service.ts";

const PATH = "/api/v1/contacts";
const ONE = `${PATH}/{contact}`;
const tag = "Contacts";

const read: Access = {
  feature: "salesbot",
  permission: "salesbot:contacts:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "salesbot:contacts:write" };

const CONSENT = `To set \`last_inbound_at\`, or to make a contact \`active\` that was \`opted_out\` or \`blocked\`, needs the permission \`${CONSENT_PERMISSION}\` besides: else 403.

Who opted out is remembered by \`phone\`, \`email\` and \`external_id\`, also when the contact is deleted, erased or changed: a contact that has one of them is written as \`opted_out\` instead of \`active\`, whatever is sent. With that permission \`"status": "active"\` undoes it. Telephone numbers are best written with their country, as +447700900123: a number is known again however it is grouped, but not with and without its country.`;

function answer(contact: ContactRow) {
  return { body: { data: presentContact(contact) }, revision: contact.revision };
}

export function addContactRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createContact",
      tag,
      summary: "Create a contact, or change the one with this external id",
      description: CONSENT,
      access: { ...write, idempotencyKey: "optional" },
      body: ContactInput,
      success: {
        status: 201,
        description: "The contact.",
        existing: "A contact had this `external_id`: it was changed.",
        schema: ContactAnswer,
        etag: true,
      },
      errors: ["conflict"],
    },
    async (request) => {
      const { ctx } = request;
      const peeked = request.peekBody();
      // With an external id it may be there already, and say no more than what stands.
      if (!peeked?.external_id) assertMayConsent(ctx.caller, undefined, consentIn(peeked));
      const { contact, isNew } = await createContact(ctx, request.body());
      return { ...answer(contact), existing: !isNew };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PATH}/import`,
      operationId: "importContacts",
      tag,
      summary: "Create or change up to 500 contacts",
      description: `Each row is judged on its own: those that are right are written; the others are answered with their errors. ${CONSENT.replace("else 403", "else the row fails")}`,
      access: { ...write, idempotencyKey: "optional", weighs: "import-rows" },
      body: ImportContacts,
      success: { status: 200, description: "What became of each row.", schema: ImportAnswer },
    },
    async (request) => {
      const { contacts } = request.body();
      return { body: { data: await importContacts(request.ctx, contacts) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listContacts",
      tag,
      summary: "List contacts",
      description: `With \`email\`, \`channel\` or \`status\`, or with both \`stage\` and \`tag\`: ${EARLY_END}`,
      access: read,
      query: ListContactsQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Contact) },
    },
    async (request) => {
      const { ctx, query } = request;
      const { limit: _limit, cursor: _cursor, ...filter } = query;
      const page = toPageRequest(query);
      if (Object.values(filter).every((value) => value === undefined)) {
        return { body: toList(await listAllContacts(ctx, page), page, presentContact) };
      }
      const { contacts, lastId } = await listContacts(ctx, filter, page);
      return { body: toPart(contacts, lastId, presentContact) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getContact",
      tag,
      summary: "Read a contact",
      description: "With its tags, its stage, and until when free text may be sent to it.",
      access: read,
      params: ContactParams,
      success: { status: 200, description: "The contact.", schema: ContactAnswer, etag: true },
    },
    async (request) => answer(await getContact(request.ctx, request.params.contact)),
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updateContact",
      tag,
      summary: "Change a contact",
      description: CONSENT,
      access: write,
      params: ContactParams,
      body: ContactInput,
      ifMatch: true,
      success: {
        status: 200,
        description: "The contact as it is now.",
        schema: ContactAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const contact = await getContact(ctx, request.params.contact);
      assertMayConsent(ctx.caller, contact, consentIn(request.peekBody()));
      const expected = request.expectRevision(contact.revision);
      return answer(await updateContact(ctx, contact, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ONE,
      operationId: "deleteContact",
      tag,
      summary: "Delete a contact",
      description:
        "The contact and what it holds are gone for good. To erase all that is stored of a person, see `POST …/erase`.",
      access: write,
      params: ContactParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const contact = await getContact(ctx, request.params.contact);
      await deleteContact(ctx, contact, request.expectRevision(contact.revision));
      return {};
    },
  );
}
