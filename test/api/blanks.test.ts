import type { Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import {
  CONTACTS,
  createContact,
  createLabel,
  post,
  SEGMENTS,
  STAGES,
} from "../support/contacts.ts";
import { ClosedSchemas } from "../support/contract-schema.ts";
import { operate } from "../support/http.ts";
import { bodyWith, createTarget, describedOperations, fieldsOf } from "../support/operations.ts";
import { createLink, createWorkspace, LINKS, updateLink } from "../support/workspace.ts";

const BLANKS = ["", "  ", "\n\t\u00a0"];
/** Programs build them, not forms; a rule tree that lost a part would select more contacts. */
const STRICT = /^conditions\./;
const MISSING = /^(A contact needs at least one of|Send either text or template)/;

function isDescribed(schema: Schema): boolean {
  return new ClosedSchemas({}).misfits(schema, "").length === 0;
}

describe("a blank in an optional field", () => {
  it("is none, in every body, and described", async () => {
    const { sendTo } = await createTarget();
    let tried = 0;
    for (const operation of await describedOperations()) {
      for (const { field, schema, isRequired } of operation.body ? fieldsOf(operation.body) : []) {
        const name = field.join(".");
        if (isRequired || STRICT.test(name)) continue;
        expect([operation.operationId, name, isDescribed(schema)]).toEqual([
          operation.operationId,
          name,
          true,
        ]);
        const { status, body } = await sendTo(operation, {
          body: bodyWith(field, BLANKS[tried % 3]),
        });
        expect(status).not.toBe(429);
        // Of what is missing then it is told, but not of the field.
        const said = [body?.errors?.[name] ?? []].flat().filter((text) => !MISSING.test(text));
        expect([operation.operationId, name, said]).toEqual([operation.operationId, name, []]);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(70);
  });

  it("is no filter, in every query, and described", async () => {
    const { sendTo } = await createTarget();
    let tried = 0;
    for (const operation of await describedOperations()) {
      for (const [name, schema] of operation.query) {
        expect([operation.operationId, name, isDescribed(schema)]).toEqual([
          operation.operationId,
          name,
          true,
        ]);
        for (const query of [`?${name}=`, `?${name}=%20+`]) {
          const { status, body } = await sendTo(operation, { query });
          // What was deleted is not there a second time.
          const passes = operation.method === "DELETE" ? [204, 404] : [200];
          // Without the file that it takes an upload is told of that alone.
          const isTaken = Object.keys(body?.errors ?? {}).join() === "file";
          const passed = isTaken || passes.includes(status) || status;
          expect([operation.operationId, query, passed]).toEqual([
            operation.operationId,
            query,
            true,
          ]);
        }
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(20);
  });
});

describe("what a form sends that was left empty", () => {
  const settings = {
    password: "",
    clear_password: "",
    forward_query: "",
    http_status: "",
    sensitive_content: " ",
    utm: { source: "", medium: " ", campaign: null },
    pixels: "",
  };

  it("makes a link as if nothing of it was sent", async () => {
    const workspace = await createWorkspace();
    const empty = { title: " ", slug: "", domain: "", settings };
    const { status, body } = await createLink(workspace, empty);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      title: null,
      slug: expect.stringMatching(/^[a-z2-9]{7}$/),
      domain: null,
      has_password: false,
      settings: { utm: {}, forward_query: false, http_status: 302, pixels: [] },
    });
  });

  it("leaves a link as it is, and clears what can be null", async () => {
    const workspace = await createWorkspace();
    const input = {
      title: "Spring",
      settings: { password: "secret", http_status: 307, utm: { source: "bio" } },
    };
    const { data } = (await createLink(workspace, input)).body;
    const empty = { destination: "", title: "", slug: " ", domain: "", status: "", settings };
    const { status, body } = await updateLink(workspace, data.id, empty);
    expect(status).toBe(200);
    const { revision, updated_at } = body.data;
    expect(body.data).toEqual({
      ...data,
      title: null,
      settings: { ...data.settings, utm: {} },
      revision,
      updated_at,
    });
    const whole = await updateLink(workspace, data.id, { settings: "" });
    expect([whole.status, whole.body.data.has_password]).toEqual([200, true]);
    const spaces = await createLink(workspace, { settings: { password: "   " } });
    expect([spaces.status, spaces.body.data.has_password]).toEqual([201, true]);
  });

  it("clears a contact's fields, and keeps its status and tags", async () => {
    const workspace = await createWorkspace();
    const stage = await createLabel(workspace, STAGES, "Won");
    const contact = await createContact(workspace, {
      external_id: "crm-1",
      channel: "sms",
      stage,
      country: "GB",
      status: "blocked",
      last_active_at: "2026-11-01T00:00:00Z",
      custom: { plan: "pro", seats: 2 },
    });
    const fields = ["external_id", "email", "phone", "channel", "stage", "country", "language"];
    const blanks = Object.fromEntries(
      [...fields, "tags", "status", "last_active_at", "last_inbound_at"].map((name) => [name, ""]),
    );
    const body = { ...blanks, custom: { plan: " " } };
    const headers = { "If-Match": "*" };
    const answer = await workspace.send("PATCH", `${CONTACTS}/${contact.id}`, { headers, body });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      ...Object.fromEntries(fields.map((name) => [name, null])),
      name: "Ada",
      status: "blocked",
      last_active_at: null,
      custom: { seats: 2 },
    });
  });

  it("is told where the field is wanted", async () => {
    const workspace = await createWorkspace();
    const blank = ["May not be blank."];
    expect((await post(workspace, SEGMENTS, { name: " " })).body.errors).toEqual({ name: blank });
    expect((await operate("POST", "/workspaces", { name: "" })).body.errors).toEqual({
      name: blank,
    });
    expect((await createLink(workspace, { destination: " " })).body.errors.destination).toEqual([
      expect.any(String),
    ]);
  });

  it("asks for the first page", async () => {
    const workspace = await createWorkspace();
    await createLink(workspace);
    const query = "?cursor=&status=&domain=&search=";
    expect((await workspace.send("GET", LINKS + query)).body.data).toHaveLength(1);
  });
});
