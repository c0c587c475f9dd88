/** The modules of types: what the description's components are, and what webhooks hold. */
import type { Answered, Description, Schema } from "./description.ts";
import { follow } from "./description.ts";
import { comment, fieldsOf, nameOf, typeOf } from "./schema-types.ts";

const HEAD = "// Made by `npm run client` from the API description: change that, not this.\n";

export function emitTypes({ components }: Description): string {
  const types = Object.entries(components.schemas).map(([name, schema]) => declare(name, schema));
  return [HEAD, ...types].join("\n");
}

function declare(ref: string, schema: Schema, prefix = ""): string {
  const name = nameOf(ref);
  const type = typeOf(schema, prefix);
  const said = comment([schema.description], "", schema.deprecated);
  const isPlain = schema.properties && type === `{\n${fieldsOf(schema, prefix)}\n}`;
  return isPlain
    ? `${said}export interface ${name} ${type}\n`
    : `${said}export type ${name} = ${type};\n`;
}

/** The webhooks that Signpost sends, by the names of their events: each is a type of the others' module. */
export function emitEvents(description: Description): string {
  const webhooks = Object.entries(description.webhooks ?? {}).map(([name, { post }]) => {
    const body = post?.requestBody && follow<Answered>(description, post.requestBody);
    const schema = body?.content?.["application/json"]?.schema;
    if (!schema?.$ref) throw new Error(`The webhook ${name} names no schema for what it holds.`);
    return [name, { ...schema, description: post?.description }] as const;
  });
  if (webhooks.length === 0) throw new Error("The description tells of no webhooks.");
  const properties = Object.fromEntries(webhooks);
  const all = { type: "object", properties, required: Object.keys(properties) };
  return [
    HEAD,
    'import type * as T from "./types.ts";\n',
    declare("WebhookEvents", all, "T."),
    "/** What a webhook's body holds: `type` tells which. */",
    "export type WebhookEvent = WebhookEvents[keyof WebhookEvents];\n",
  ].join("\n");
}
