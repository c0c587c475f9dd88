import type { Access } from "../../gate/admission.ts";
import { type ClientCall, clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { listOf, toList, toPage } from "../../http/pagination.ts";
import type { ApiRequest, ApiResult } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
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
  type ContactScope,
  createContact,
  deleteContact,
  getContact,
  importContacts,
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

function scopeOf(
  { env, db, waitUntil }: Pick<ApiRequest<unknown, unknown, unknown>, "env" | "db" | "waitUntil">,
  { caller }: ClientCall,
): ContactScope {
  return { env, db, waitUntil, workspaceId: caller.workspaceId };
}

function answer(status: 200 | 201, contact: ContactRow): ApiResult {
  return { status, body: { data: presentContact(contact) }, revision: contact.revision };
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
    async (request, call) => {
      const id = call.claim?.resourceId ?? newId();
      const made = await createContact(scopeOf(request, call), id, request.body());
      return answer(made.isNew ? 201 : 200, made.contact);
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
      description:
        "Each row is judged on its own: those that are right are written; the others are answered with their errors.",
      access: { ...write, idempotencyKey: "optional" },
      body: ImportContacts,
      success: { status: 200, description: "What became of each row.", schema: ImportAnswer },
    },
    async (request, call) => {
      const id = call.claim?.resourceId ?? newId();
      const rows = request.body().contacts;
      return {
        status: 200,
        body: { data: await importContacts(scopeOf(request, call), id, rows) },
      };
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
      access: read,
      query: ListContactsQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Contact) },
    },
    async (request, call) => {
      const { limit: _limit, cursor: _cursor, ...filter } = request.query;
      const page = toPage(request.query);
      const rows = await listContacts(scopeOf(request, call), filter, page);
      return { status: 200, body: toList(rows, page, presentContact) };
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
      access: read,
      params: ContactParams,
      success: { status: 200, description: "The contact.", schema: ContactAnswer, etag: true },
    },
    async (request, call) =>
      answer(200, await getContact(scopeOf(request, call), request.params.contact)),
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updateContact",
      tag,
      summary: "Change a contact",
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
    async (request, call) => {
      const scope = scopeOf(request, call);
      const contact = await getContact(scope, request.params.contact);
      const expected = request.expectRevision(contact.revision);
      return answer(200, await updateContact(scope, contact, expected, request.body()));
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
      access: write,
      params: ContactParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const contact = await getContact(scope, request.params.contact);
      await deleteContact(scope, contact, request.expectRevision(contact.revision));
      return { status: 204 };
    },
  );
}
