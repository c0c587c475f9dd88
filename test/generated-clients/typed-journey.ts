/** The main journey with openapi-fetch and the types that openapi-typescript made. */
import createClient from "openapi-fetch";
import {
  createRecords,
  type Exchange,
  idOf,
  recordingFetch,
  refused,
  type Stage,
  taken,
  until,
} from "./exchange.ts";
import type { components, paths } from "./generated/types.ts";
import { takeTypedPages } from "./typed-pages.ts";
import { takeTypedSubmissions } from "./typed-submissions.ts";

const POST_PUBLISHED = { event: "publishing.post.published", channel: "all" };
/** What the operator tells of a post. */
const POST = {
  ...POST_PUBLISHED,
  data: {
    id: "1",
    title: null,
    url: null,
    networks: [],
    scheduled_at: null,
    published_at: null,
  },
};
const NO_SUCH = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

export async function takeTypedJourney(stage: Stage, exchanges: Exchange[]): Promise<void> {
  const fetch = recordingFetch("openapi-typescript", exchanges);
  const clientOf = (token: string) =>
    createClient<paths>({
      baseUrl: stage.origin,
      fetch,
      headers: { Authorization: `Bearer ${token}` },
    });
  const operator = clientOf(stage.adminToken);
  const keyed = () => ({ "Idempotency-Key": crypto.randomUUID() });

  // The operator's API.
  const made = await taken(operator.POST("/admin/v1/workspaces", { body: { name: "Typed" } }));
  const { id: workspace, owner } = made.data.data;
  const inWorkspace = { path: { workspace } };
  await taken(operator.GET("/admin/v1/workspaces", { params: { query: { limit: 1 } } }));
  await taken(operator.GET("/admin/v1/workspaces/{workspace}", { params: inWorkspace }));
  await taken(
    operator.PATCH("/admin/v1/workspaces/{workspace}", {
      params: inWorkspace,
      body: { plan: "pro" },
    }),
  );
  const member = await taken(
    operator.POST("/admin/v1/workspaces/{workspace}/members", {
      params: inWorkspace,
      body: { email: "ada@example.com", role: "viewer" },
    }),
  );
  const oneMember = { path: { workspace, member: member.data.data.id } };
  await taken(
    operator.PATCH("/admin/v1/workspaces/{workspace}/members/{member}", {
      params: oneMember,
      body: { role: "editor" },
    }),
  );
  const issued = await taken(
    operator.POST("/admin/v1/workspaces/{workspace}/keys", {
      params: inWorkspace,
      body: { name: "All", permissions: ["*"], member: owner.id },
    }),
  );
  const lesser = await taken(
    operator.POST("/admin/v1/workspaces/{workspace}/keys", {
      params: inWorkspace,
      body: {
        name: "Reader",
        permissions: ["biolinks:links:read"],
        member: member.data.data.id,
        expires_at: "2099-01-01T00:00:00Z",
      },
    }),
  );
  await taken(operator.GET("/admin/v1/workspaces/{workspace}/keys", { params: inWorkspace }));
  const client = clientOf(issued.data.key);

  // Domains.
  const domain = await taken(
    client.POST("/api/v1/biolinks/domains", {
      params: { header: keyed() },
      body: { host: "typed.brand.com" },
    }),
  );
  const oneDomain = { path: { domain: domain.data.data.id } };
  await taken(client.POST("/api/v1/biolinks/domains/{domain}/verify", { params: oneDomain }));
  await createRecords(stage, domain.data.data.host, domain.data.data.dns_records);
  const verified = await taken(
    client.POST("/api/v1/biolinks/domains/{domain}/verify", { params: oneDomain }),
  );
  const domainStatus: "pending" | "active" | "failed" = verified.data.data.status;
  if (domainStatus !== "active") throw new Error(`The domain is ${domainStatus}.`);
  await taken(client.GET("/api/v1/biolinks/domains"));
  const readDomain = await taken(
    client.GET("/api/v1/biolinks/domains/{domain}", { params: oneDomain }),
  );
  await taken(
    client.PATCH("/api/v1/biolinks/domains/{domain}", {
      params: { ...oneDomain, header: { "If-Match": readDomain.etag } },
      body: { root_url: "https://brand.com/", not_found_url: null },
    }),
  );

  // Pixels, and QR codes.
  const pixel = await taken(
    client.POST("/api/v1/biolinks/pixels", {
      params: { header: keyed() },
      body: { name: "Shop", provider: "meta", tag: "1234567890" },
    }),
  );
  const onePixel = { path: { pixel: pixel.data.data.id } };
  await taken(client.GET("/api/v1/biolinks/pixels/{pixel}", { params: onePixel }));
  const keptPixel = await taken(
    client.PATCH("/api/v1/biolinks/pixels/{pixel}", {
      params: { ...onePixel, header: { "If-Match": pixel.etag } },
      body: { consent: "not_required" },
    }),
  );
  await taken(
    client.DELETE("/api/v1/biolinks/pixels/{pixel}", {
      params: { ...onePixel, header: { "If-Match": keptPixel.etag } },
    }),
  );
  const target = { type: "url" as const, url: "https://example.com/menu" };
  await taken(client.POST("/api/v1/biolinks/qr-codes/preview", { body: { target } }));
  const code = await taken(
    client.POST("/api/v1/biolinks/qr-codes", {
      params: { header: keyed() },
      body: { name: "Menu", target },
    }),
  );
  const oneCode = { path: { qr_code: code.data.data.id } };
  await taken(client.GET("/api/v1/biolinks/qr-codes/{qr_code}", { params: oneCode }));
  await taken(
    client.GET("/api/v1/biolinks/qr-codes/{qr_code}/image", {
      params: { ...oneCode, query: { format: "svg" } },
      parseAs: "text",
    }),
  );
  const keptCode = await taken(
    client.PATCH("/api/v1/biolinks/qr-codes/{qr_code}", {
      params: { ...oneCode, header: { "If-Match": code.etag } },
      body: { style: { shape: "dots" } },
    }),
  );
  await taken(
    client.DELETE("/api/v1/biolinks/qr-codes/{qr_code}", {
      params: { ...oneCode, header: { "If-Match": keptCode.etag } },
    }),
  );

  await takeTypedPages({ client, operator, workspace, keyed });
  await takeTypedSubmissions({ client, operator, workspace, keyed });

  // Links: the default first, without a domain and with nothing set.
  const header = keyed();
  const body = { destination: "https://example.com/spring", domain: null };
  const link = await taken(client.POST("/api/v1/biolinks/links", { params: { header }, body }));
  const status: 301 | 302 | 303 | 307 | 308 = link.data.data.settings.http_status;
  const ofDomain: string | null = link.data.data.domain;
  if (status !== 302 || ofDomain !== null) throw new Error("Not the default link.");
  await taken(client.POST("/api/v1/biolinks/links", { params: { header }, body }));
  await refused(
    client.POST("/api/v1/biolinks/links", {
      params: { header },
      body: { destination: "https://example.com/other" },
    }),
    409,
    "idempotency_key_reused",
  );
  const onDomain = await taken(
    client.POST("/api/v1/biolinks/links", {
      params: { header: keyed() },
      body: {
        destination: "https://example.com/?a=1",
        title: "All of it",
        slug: "typed-all",
        domain: domain.data.data.id,
        settings: {
          password: "open sesame",
          forward_query: true,
          http_status: 308,
          sensitive_content: true,
          utm: { source: "bio", medium: null },
          pixels: [],
        },
      },
    }),
  );
  await taken(
    client.POST("/api/v1/biolinks/links", {
      params: { header: keyed() },
      body: { destination: "mailto:ada@example.com", settings: { forward_query: true } },
    }),
  );
  const page = await taken(
    client.GET("/api/v1/biolinks/links", { params: { query: { limit: 1, status: "paused" } } }),
  );
  const { next_cursor: cursor } = page.data;
  if (cursor === null) throw new Error("There is a second page.");
  await taken(
    client.GET("/api/v1/biolinks/links", {
      params: { query: { cursor, domain: domain.data.data.id, search: "typed" } },
    }),
  );
  const oneLink = { path: { link: link.data.data.id } };
  const readLink = await taken(client.GET("/api/v1/biolinks/links/{link}", { params: oneLink }));
  const clicks: number = readLink.data.data.clicks;
  if (clicks !== 0) throw new Error("Nobody has followed it.");
  const known = await client.GET("/api/v1/biolinks/links/{link}", {
    params: { ...oneLink, header: { "If-None-Match": readLink.etag } },
  });
  if (known.response.status !== 304) throw new Error("It is known.");
  const active = await taken(
    client.PATCH("/api/v1/biolinks/links/{link}", {
      params: { ...oneLink, header: { "If-Match": readLink.etag } },
      body: { status: "active", settings: { utm: { campaign: "spring" } } },
    }),
  );
  await refused(
    client.PATCH("/api/v1/biolinks/links/{link}", {
      params: { ...oneLink, header: { "If-Match": readLink.etag } },
      body: { status: "paused" },
    }),
    412,
    "precondition_failed",
  );
  await refused(
    client.PATCH("/api/v1/biolinks/links/{link}", {
      // @ts-expect-error: the types know that it must be there.
      params: oneLink,
      body: { status: "paused" },
    }),
    428,
    "precondition_required",
  );
  await refused(
    client.PATCH("/api/v1/biolinks/links/{link}", {
      params: { ...oneLink, header: { "If-Match": "*" } },
      // @ts-expect-error: the types know which there are.
      body: { settings: { http_status: 304 } },
    }),
    422,
    "validation_failed",
  );
  await refused(
    client.GET("/api/v1/biolinks/links/{link}", { params: { path: { link: NO_SUCH } } }),
    404,
    "not_found",
  );
  await refused(clientOf("osk_nonsense").GET("/api/v1/biolinks/links"), 401, "unauthenticated");
  await refused(clientOf(lesser.data.key).GET("/api/v1/contacts"), 403, "forbidden");
  for (const disabled of [true, false]) {
    const params = { path: { workspace, link: link.data.data.id } };
    const switched = "/admin/v1/workspaces/{workspace}/links/{link}";
    await taken(operator.PATCH(switched, { params, body: { disabled } }));
  }
  await taken(
    client.DELETE("/api/v1/biolinks/links/{link}", {
      params: { ...oneLink, header: { "If-Match": "*" } },
    }),
  );
  await taken(
    client.DELETE("/api/v1/biolinks/links/{link}", {
      params: { path: { link: onDomain.data.data.id }, header: { "If-Match": onDomain.etag } },
    }),
  );
  if (active.data.data.status !== "active") throw new Error("The link is not active.");

  // Tags, stages, contacts.
  const tag = await taken(client.POST("/api/v1/tags", { body: { name: "VIP" } }));
  const oneTag = { path: { tag: tag.data.data.id } };
  await taken(client.GET("/api/v1/tags"));
  await taken(client.GET("/api/v1/tags/{tag}", { params: oneTag }));
  await taken(client.PATCH("/api/v1/tags/{tag}", { params: oneTag, body: { name: "Very" } }));
  const stageRecord = await taken(client.POST("/api/v1/stages", { body: { name: "Lead" } }));
  const oneStage = { path: { stage: stageRecord.data.data.id } };
  await taken(client.GET("/api/v1/stages"));
  await taken(client.GET("/api/v1/stages/{stage}", { params: oneStage }));
  await taken(client.PATCH("/api/v1/stages/{stage}", { params: oneStage, body: { name: "New" } }));
  const contact = await taken(
    client.POST("/api/v1/contacts", {
      body: {
        external_id: "crm-1",
        name: "Ada",
        email: "ada@example.com",
        phone: "+447700900123",
        channel: "sms",
        stage: stageRecord.data.data.id,
        tags: [tag.data.data.id],
        country: "GB",
        language: "en",
        custom: { seats: 7, vip: true, note: "x" },
        status: "active",
        last_active_at: "2026-01-01T00:00:00Z",
        last_inbound_at: null,
      },
    }),
  );
  const again: components["schemas"]["ContactInput"] = { external_id: "crm-1", country: null };
  const changed = await taken(client.POST("/api/v1/contacts", { body: again }));
  if (changed.status !== 200) throw new Error("The contact was there.");
  const seats: string | number | boolean | undefined = contact.data.data.custom.seats;
  if (seats !== 7) throw new Error("Custom fields are lost.");
  await taken(
    client.POST("/api/v1/contacts/import", {
      body: {
        contacts: [
          { external_id: "crm-2", name: "Grace" },
          { name: "Alan", stage: NO_SUCH },
        ],
      },
    }),
  );
  await taken(client.GET("/api/v1/contacts", { params: { query: { tag: tag.data.data.id } } }));
  const oneContact = { path: { contact: contact.data.data.id } };
  const readContact = await taken(client.GET("/api/v1/contacts/{contact}", { params: oneContact }));
  await taken(
    client.PATCH("/api/v1/contacts/{contact}", {
      params: { ...oneContact, header: { "If-Match": readContact.etag } },
      body: { language: "de", custom: { seats: null } },
    }),
  );

  // Segments.
  const conditions: components["schemas"]["SegmentConditionsInput"] = {
    match: "all",
    groups: [
      {
        match: "any",
        rules: [
          { field: "language", op: "in", value: ["de", "fr"] },
          { field: "email", op: "is_empty" },
          // A day that is none: no type says so.
          { field: "created_at", op: "before", value: "2026-02-30" },
        ],
      },
    ],
  };
  await taken(client.GET("/api/v1/segments/fields"));
  await taken(client.POST("/api/v1/segments/preview", { body: { conditions } }));
  const segment = await taken(
    client.POST("/api/v1/segments", {
      body: {
        name: "Typed",
        stage: stageRecord.data.data.id,
        include_tags: [tag.data.data.id],
        exclude_tags: [],
        min_days_inactive: 1,
        conditions,
      },
    }),
  );
  const reason: string | undefined = segment.data.data.dropped_rules[0]?.reason;
  if (reason === undefined) throw new Error("The rule of no day was kept.");
  const oneSegment = { path: { segment: segment.data.data.id } };
  await taken(client.GET("/api/v1/segments"));
  await taken(client.GET("/api/v1/segments/{segment}", { params: oneSegment }));
  await taken(client.GET("/api/v1/segments/{segment}/contacts", { params: oneSegment }));
  const kept = await taken(
    client.PATCH("/api/v1/segments/{segment}", {
      params: { ...oneSegment, header: { "If-Match": segment.etag } },
      // What was answered is open to fields to come, what is sent is not.
      body: {
        conditions: segment.data.data.conditions as typeof conditions,
        min_days_inactive: null,
      },
    }),
  );
  await refused(client.DELETE("/api/v1/tags/{tag}", { params: oneTag }), 409, "conflict");
  await taken(
    client.DELETE("/api/v1/segments/{segment}", {
      params: { ...oneSegment, header: { "If-Match": kept.etag } },
    }),
  );

  // Webhooks.
  const events = await taken(client.GET("/api/v1/workspace-webhooks/events"));
  const first = events.data.data[0];
  if (!first?.channels.length || !first.schema.type) throw new Error("There are no events.");
  const createEndpoint = (url: string) =>
    taken(
      client.POST("/api/v1/workspace-webhooks/endpoints", {
        params: { header: keyed() },
        body: { name: "Typed", url, subscriptions: [POST_PUBLISHED] },
      }),
    );
  const endpoint = await createEndpoint(`${stage.receiver}/typed`);
  const oneEndpoint = { path: { endpoint: endpoint.data.data.id } };
  await taken(client.GET("/api/v1/workspace-webhooks/endpoints"));
  const readEndpoint = await taken(
    client.GET("/api/v1/workspace-webhooks/endpoints/{endpoint}", { params: oneEndpoint }),
  );
  await refused(
    client.POST("/api/v1/workspace-webhooks/endpoints/{endpoint}/test", {
      params: { ...oneEndpoint, header: { ...keyed(), "If-Match": readEndpoint.etag } },
      body: { event: POST_PUBLISHED.event },
    }),
    409,
    "conflict",
  );
  const enabled = await taken(
    client.PATCH("/api/v1/workspace-webhooks/endpoints/{endpoint}", {
      params: { ...oneEndpoint, header: { "If-Match": readEndpoint.etag } },
      body: { enabled: true },
    }),
  );
  const rotated = await taken(
    client.POST("/api/v1/workspace-webhooks/endpoints/{endpoint}/rotate-secret", {
      params: { ...oneEndpoint, header: { ...keyed(), "If-Match": enabled.etag } },
      body: {},
    }),
  );
  if (!rotated.data.secret.startsWith("whsec_")) throw new Error("There is no new secret.");
  const delivery = await taken(
    client.POST("/api/v1/workspace-webhooks/endpoints/{endpoint}/test", {
      params: { ...oneEndpoint, header: { ...keyed(), "If-Match": "*" } },
      body: { event: POST_PUBLISHED.event },
    }),
  );
  const readDelivery = (id: string) => async () =>
    taken(
      client.GET("/api/v1/workspace-webhooks/deliveries/{delivery}", {
        params: { path: { delivery: id } },
      }),
    );
  const delivered = await until(
    readDelivery(delivery.data.data.id),
    ({ data }) => data.data.status === "delivered",
  );
  if (delivered.data.data.attempts[0]?.status_code !== 200) throw new Error("Not delivered.");
  await taken(
    client.POST("/api/v1/workspace-webhooks/deliveries/{delivery}/resend", {
      params: { path: { delivery: delivery.data.data.id }, header: keyed() },
    }),
  );
  await taken(
    client.GET("/api/v1/workspace-webhooks/endpoints/{endpoint}/deliveries", {
      params: { ...oneEndpoint, query: { status: "delivered", event: POST_PUBLISHED.event } },
    }),
  );
  await taken(
    operator.POST("/admin/v1/workspaces/{workspace}/events", {
      params: inWorkspace,
      body: POST,
    }),
  );
  await taken(
    operator.POST("/admin/v1/workspaces/{workspace}/events/batch", {
      params: inWorkspace,
      body: {
        events: [POST],
      },
    }),
  );
  const failing = await createEndpoint(`${stage.receiver}/failing`);
  const oneFailing = { endpoint: failing.data.data.id };
  await taken(
    client.PATCH("/api/v1/workspace-webhooks/endpoints/{endpoint}", {
      params: { path: oneFailing, header: { "If-Match": failing.etag } },
      body: { enabled: true, subscriptions: [POST_PUBLISHED] },
    }),
  );
  const undelivered = await taken(
    client.POST("/api/v1/workspace-webhooks/endpoints/{endpoint}/test", {
      params: { path: oneFailing, header: { ...keyed(), "If-Match": "*" } },
      body: { event: POST_PUBLISHED.event },
    }),
  );
  await until(
    readDelivery(undelivered.data.data.id),
    ({ data }) => data.data.attempts[0]?.status_code === 500,
  );
  const dryRun = await taken(
    client.POST("/api/v1/workspace-webhooks/endpoints/{endpoint}/recover", {
      params: { path: oneFailing, header: { ...keyed(), "If-Match": "*" } },
      body: { since: "2026-01-01T00:00:00Z", dry_run: true },
    }),
  );
  if (!("dry_run" in dryRun.data.data)) throw new Error("That was no dry run.");
  const recovery = await taken(
    client.POST("/api/v1/workspace-webhooks/endpoints/{endpoint}/recover", {
      params: { path: oneFailing, header: { ...keyed(), "If-Match": "*" } },
      body: { since: "2026-01-01T00:00:00Z" },
    }),
  );
  await taken(
    client.GET("/api/v1/workspace-webhooks/endpoints/{endpoint}/recoveries/{recovery}", {
      params: { path: { ...oneFailing, recovery: idOf(recovery.data.data) } },
    }),
  );
  for (const path of [oneEndpoint.path, oneFailing]) {
    await taken(
      client.DELETE("/api/v1/workspace-webhooks/endpoints/{endpoint}", {
        params: { path, header: { "If-Match": "*" } },
      }),
    );
  }

  // Automation hooks.
  const me = await taken(client.GET("/automation/me"));
  if (me.data.data.workspace_name !== "Typed") throw new Error("Not this workspace.");
  const wish = { target_url: `${stage.receiver}/hook`, event: "salesbot.contact.created" };
  const hook = await taken(client.POST("/automation/subscribe", { body: wish }));
  const same = await taken(client.POST("/automation/subscribe", { body: wish }));
  if (hook.data.data.id !== same.data.data.id) throw new Error("The hook was there.");
  await refused(
    client.POST("/automation/subscribe", { body: { ...wish, event: "no.such.event" } }),
    422,
    "unknown_event",
  );
  const samples = await taken(
    client.GET("/automation/sample/{event}", { params: { path: { event: wish.event } } }),
  );
  if (!samples.data[0]?.occurred_at) throw new Error("There is no sample.");
  await taken(client.POST("/automation/unsubscribe", { body: { id: hook.data.data.id } }));
  const second = await taken(client.POST("/automation/subscribe", { body: wish }));
  await taken(
    client.DELETE("/automation/hooks/{hook}", { params: { path: { hook: second.data.data.id } } }),
  );
  const third = await taken(client.POST("/automation/subscribe", { body: wish }));
  await taken(
    operator.DELETE("/admin/v1/workspaces/{workspace}/hooks/{hook}", {
      params: { path: { ...inWorkspace.path, hook: third.data.data.id } },
    }),
  );

  // Messages.
  const inbound = { contact: contact.data.data.id, text: "Hello?", external_id: "wamid.1" };
  for (const expected of [201, 200]) {
    const recorded = await taken(
      operator.POST("/admin/v1/workspaces/{workspace}/messages/inbound", {
        params: inWorkspace,
        body: inbound,
      }),
    );
    if (recorded.status !== expected) throw new Error("Recorded twice.");
  }
  const message = await taken(
    client.POST("/api/v1/messages", {
      body: { contact: contact.data.data.id, template: { name: "order_sent" } },
    }),
  );
  await taken(
    client.GET("/api/v1/messages/{message}", {
      params: { path: { message: message.data.data.id } },
    }),
  );
  const blocked = await taken(
    client.POST("/api/v1/contacts", { body: { name: "No", status: "opted_out", channel: "sms" } }),
  );
  await refused(
    client.POST("/api/v1/messages", { body: { contact: blocked.data.data.id, text: "Hello." } }),
    422,
    "message_refused",
  );

  const erased = { contact: blocked.data.data.id };
  await taken(
    client.POST("/api/v1/contacts/{contact}/erase", {
      params: { path: erased, header: { "If-Match": "*" } },
    }),
  );
  await taken(client.GET("/api/v1/contacts/{contact}/erasure", { params: { path: erased } }));

  // What is left is taken down.
  await taken(
    client.DELETE("/api/v1/contacts/{contact}", {
      params: { ...oneContact, header: { "If-Match": "*" } },
    }),
  );
  await taken(client.DELETE("/api/v1/tags/{tag}", { params: oneTag }));
  await taken(client.DELETE("/api/v1/stages/{stage}", { params: oneStage }));
  await taken(
    client.DELETE("/api/v1/biolinks/domains/{domain}", {
      params: { ...oneDomain, header: { "If-Match": "*" } },
    }),
  );
  await taken(operator.GET("/admin/v1/overview"));
  await taken(operator.GET("/admin/v1/dead-letters"));
  await taken(
    operator.DELETE("/admin/v1/workspaces/{workspace}/keys/{key}", {
      params: { path: { workspace, key: lesser.data.data.id } },
    }),
  );
  await taken(
    operator.DELETE("/admin/v1/workspaces/{workspace}/members/{member}", { params: oneMember }),
  );
  const left = await taken(operator.POST("/admin/v1/workspaces", { body: { name: "Left" } }));
  const gone = { params: { path: { workspace: left.data.data.id } } };
  await taken(operator.DELETE("/admin/v1/workspaces/{workspace}", gone));
  await taken(operator.GET("/admin/v1/workspaces/{workspace}/deletion", gone));
}
