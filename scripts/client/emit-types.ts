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

/** The webhooks that Signpost sends, by the names of their events. */
export function emitEvents(description: Description): string {
  const webhooks = Object.entries(description.webhooks ?? {}).map(([name, { post }]) => {
    const body = post?.requestBody && follow<Answered>(description, post.requestBody);
    const schema = body?.content?.["application/json"]?.schema;
    if (!schema) throw new Error(`The webhook ${name} does not say what it holds.`);
    const payload: Schema = follow(description, schema);
    const type = { ...payload.properties.type, const: payload.properties.type?.const ?? name };
    return [name, { ...payload, properties: { ...payload.properties, type } }] as const;
  });
  const all = { type: "object", properties: Object.fromEntries(webhooks) };
  const required = Object.keys(all.properties);
  const text = declare("WebhookEvents", { ...all, required }, "T.");
  const usesTypes = /\bT\./.test(text) ? 'import type * as T from "./types.ts";\n' : "";
  const one =
    "/** What a webhook's body holds: `type` tells which. */\nexport type WebhookEvent = WebhookEvents[keyof WebhookEvents];\n";
  return [HEAD, usesTypes, text, one].join("\n");
}
