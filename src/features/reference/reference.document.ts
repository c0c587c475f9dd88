import type { Api } from "../../api/api.ts";
import { openLists } from "../../api/open-list.ts";
import { tellDefaults } from "../../api/openapi-defaults.ts";
import { tellExamples } from "../../api/openapi-examples.ts";
import { listEventTypes } from "../../events/event-registry.ts";
import { withCodeSamples } from "./code-samples.ts";
import type { Description } from "./document.ts";
import { describeApi } from "./reference.description.ts";
import { TAG_GROUPS } from "./reference.tags.ts";
import { describeWebhooks } from "./reference.webhooks.ts";

/** The OpenAPI document, but for where it is served from. */
export function makeDocument(api: Api) {
  describeWebhooks(api);
  const document = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Signpost",
      version: "1.0.0",
      description: describeApi(),
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    tags: TAG_GROUPS.flatMap(({ tags }) => tags),
    "x-tagGroups": TAG_GROUPS.map(({ name, tags }) => ({
      name,
      tags: tags.map((tag) => tag.name),
    })),
  });
  const types = listEventTypes();
  openLists(document.components?.schemas, {
    EventName: types.map(({ name }) => name),
    ChannelName: [...new Set(types.flatMap(({ channels }) => channels))],
  });
  tellDefaults(document.components?.schemas);
  tellExamples(document as object);
  return document;
}

/** The document as one Signpost serves it: whom to ask is whoever runs that, and samples call it. */
export function servedFrom(document: ReturnType<typeof makeDocument>, origin: string): Description {
  const contact = { name: "Whoever runs this Signpost", url: origin };
  const info = { ...document.info, contact };
  const served = { ...document, info, servers: [{ url: origin }] };
  return withCodeSamples(served as unknown as Description, origin);
}
