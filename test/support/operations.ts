import type { Schema } from "@cfworker/json-schema";
import type { Env } from "../../src/platform/config.ts";
import { createCollection } from "./collections.ts";
import { createContact, createLabel, post, SEGMENTS, STAGES, TAGS } from "./contacts.ts";
import { createDomain, newHost } from "./domains.ts";
import { createFile } from "./files.ts";
import { type Answer, operate, send } from "./http.ts";
import { createPublished, HEADING } from "./pages.ts";
import { createPixel } from "./pixels.ts";
import { importFile } from "./product-imports.ts";
import { createProduct } from "./products.ts";
import { createQrCode } from "./qr-codes.ts";
import { createEndpoint } from "./webhooks.ts";
import { createLink, createWorkspace, issueKey, newIdempotencyKey, sendAs } from "./workspace.ts";

/** So that no key meets its limit of sixty requests a minute. */
const REQUESTS_A_KEY = 50;
const JSON_BODY = "application/json";

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  /** The names of its query parameters with their schemas. */
  query: [string, Schema][];
  /** What its body is to be. */
  body: Schema | undefined;
}

/** A value somewhere in a body: `field` leads there; a list's first item is 0, a record's key `key`. */
export interface BodyField {
  field: string[];
  /** As described, with what the description refers to in place. */
  schema: Schema;
  isRequired: boolean;
}

interface Described {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** Every operation of `/openapi.json`, its references resolved. */
export async function describedOperations(): Promise<Operation[]> {
  const { body } = await send("/openapi.json");
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace);
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value && typeof value.$ref === "string") {
      const name = value.$ref.split("/").at(-1) ?? "";
      return inPlace(body.components.schemas[name]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inPlace(inner)]));
  };
  return Object.entries(body.paths as Record<string, Record<string, Described>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        operationId: described.operationId,
        method: method.toUpperCase(),
        path,
        query: (described.parameters ?? [])
          .filter((parameter) => parameter.in === "query")
          .map(({ name, schema }): [string, Schema] => [name, schema]),
        body: inPlace(described.requestBody?.content[JSON_BODY]?.schema) as Schema | undefined,
      })),
    )
    .map((operation) => ({
      ...operation,
      query: operation.query.map(([name, schema]): [string, Schema] => [
        name,
        inPlace(schema) as Schema,
      ]),
    }));
}

/** The forms that a value may have. */
export function formsOf(schema: Schema): Schema[] {
  return (schema.anyOf as Schema[] | undefined)?.flatMap(formsOf) ?? [schema];
}

/** Every field of a body, those inside others included. */
export function fieldsOf(schema: Schema, within: string[] = []): BodyField[] {
  return formsOf(schema).flatMap((form) => {
    const inner: [string, Schema, boolean][] = Object.entries(
      (form.properties ?? {}) as Record<string, Schema>,
    ).map(([name, property]) => [
      name,
      property,
      ((form.required ?? []) as string[]).includes(name),
    ]);
    if (form.items) inner.push(["0", form.items as Schema, true]);
    if (form.additionalProperties && Object.keys(form.additionalProperties).length > 0) {
      inner.push(["key", form.additionalProperties as Schema, true]);
    }
    return inner.flatMap(([name, property, isRequired]) => {
      const field = [...within, name];
      return [{ field, schema: property, isRequired }, ...fieldsOf(property, field)];
    });
  });
}

/** A body with this value at a field, and nothing else. */
export function bodyWith(field: string[], value: unknown): object {
  const [name = "", ...rest] = field;
  const inner = rest.length > 0 ? bodyWith(rest, value) : value;
  return name === "0" ? [inner] : { [name]: inner };
}

/** What is sent to an operation besides the ids in its path, which may be in upper case. */
interface SentParts {
  body?: object;
  query?: string;
  isUpperCase?: boolean;
  env?: Env;
}

/** A workspace with a record of each kind, for requests of every operation. */
export async function createTarget() {
  const workspace = await createWorkspace({ plan: "business" });
  const [link, domain, endpoint, member] = await Promise.all([
    createLink(workspace),
    createDomain(workspace, newHost()),
    createEndpoint(workspace),
    operate("POST", `/workspaces/${workspace.id}/members`, {
      email: `${crypto.randomUUID()}@example.com`,
      role: "admin",
    }),
  ]);
  const tag = await createLabel(workspace, TAGS, "Tag");
  const stage = await createLabel(workspace, STAGES, "Stage");
  const page = await createPublished(workspace, { blocks: [HEADING] });
  const ids: Record<string, string> = {
    page: page.id,
    block: page.block_order[0],
    version: "1",
    workspace: workspace.id,
    link: link.body.data.id,
    domain: domain.body.data.id,
    endpoint: endpoint.body.data.id,
    member: member.body.data.id,
    contact: (await createContact(workspace)).id,
    pixel: (await createPixel(workspace)).id,
    segment: (await post(workspace, SEGMENTS, { name: "All" })).body.data.id,
    qr_code: (await createQrCode(workspace)).id,
    file: (await createFile(workspace)).id,
    product: (await createProduct(workspace)).id,
    collection: (await createCollection(workspace)).id,
    import: (await importFile(workspace, "id,title\nA,Mug\n")).id,
    key: workspace.keyId,
    tag,
    stage,
  };
  // The workspace's own has made all of these.
  let { key } = await issueKey(workspace.id);
  let requests = 0;
  const sendTo = async (
    { method, path }: Operation,
    { body, query = "", isUpperCase = false, env }: SentParts,
  ): Promise<Answer> => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const id = ids[name] ?? crypto.randomUUID();
      return isUpperCase ? id.toUpperCase() : id;
    });
    if (path.startsWith("/admin/v1")) {
      return operate(method, filled.slice("/admin/v1".length) + query, body, env && { env });
    }
    if (++requests % REQUESTS_A_KEY === 0) key = (await issueKey(workspace.id)).key;
    const headers = { "If-Match": "*", "Idempotency-Key": newIdempotencyKey() };
    const more = { ...(body && { body }), ...(env && { env }) };
    return sendAs(key, method, filled + query, { headers, ...more });
  };
  return { workspace, ids, sendTo };
}
