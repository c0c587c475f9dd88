/** The main journey with the client that hey-api made. */
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
import { createClient } from "./generated/fetch-client/client/index.ts";
import type { ContactInput, SegmentConditionsInput } from "./generated/fetch-client/index.ts";
import * as sdk from "./generated/fetch-client/sdk.gen.ts";
import { takeSdkPages } from "./sdk-pages.ts";
import { takeSdkSubmissions } from "./sdk-submissions.ts";

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

export async function takeSdkJourney(stage: Stage, exchanges: Exchange[]): Promise<void> {
  const fetch = recordingFetch("hey-api", exchanges);
  const clientOf = (token: string) =>
    createClient({ baseUrl: stage.origin, fetch: fetch as typeof globalThis.fetch, auth: token });
  const operator = clientOf(stage.adminToken);
  const keyed = () => ({ "Idempotency-Key": crypto.randomUUID() });

  // The operator's API.
  const made = await taken(sdk.createWorkspace({ client: operator, body: { name: "Sdk" } }));
  const { id: workspace, owner } = made.data.data;
  const inWorkspace = { path: { workspace } };
  await taken(sdk.listWorkspaces({ client: operator, query: { limit: 1 } }));
  await taken(sdk.getWorkspace({ client: operator, ...inWorkspace }));
  await taken(sdk.updateWorkspace({ client: operator, ...inWorkspace, body: { plan: "pro" } }));
  const member = await taken(
    sdk.addMember({
      client: operator,
      ...inWorkspace,
      body: { email: "ada@example.com", role: "viewer" },
    }),
  );
  const oneMember = { path: { workspace, member: member.data.data.id } };
  await taken(sdk.changeRole({ client: operator, ...oneMember, body: { role: "editor" } }));
  const issued = await taken(
    sdk.issueKey({
      client: operator,
      ...inWorkspace,
      body: { name: "All", permissions: ["*"], member: owner.id },
    }),
  );
  const lesser = await taken(
    sdk.issueKey({
      client: operator,
      ...inWorkspace,
      body: {
        name: "Reader",
        permissions: ["biolinks:links:read"],
        member: member.data.data.id,
        expires_at: "2099-01-01T00:00:00Z",
      },
    }),
  );
  await taken(sdk.listKeys({ client: operator, ...inWorkspace }));
  const client = clientOf(issued.data.key);

  // Domains.
  const domain = await taken(
    sdk.createDomain({ client, headers: keyed(), body: { host: "sdk.brand.com" } }),
  );
  const oneDomain = { path: { domain: domain.data.data.id } };
  await taken(sdk.verifyDomain({ client, ...oneDomain }));
  await createRecords(stage, domain.data.data.host, domain.data.data.dns_records);
  const verified = await taken(sdk.verifyDomain({ client, ...oneDomain }));
  const domainStatus: "pending" | "active" | "failed" = verified.data.data.status;
  if (domainStatus !== "active") throw new Error(`The domain is ${domainStatus}.`);
  await taken(sdk.listDomains({ client }));
  const readDomain = await taken(sdk.getDomain({ client, ...oneDomain }));
  await taken(
    sdk.updateDomain({
      client,
      ...oneDomain,
      headers: { "If-Match": readDomain.etag },
      body: { root_url: "https://brand.com/", not_found_url: null },
    }),
  );

  // Pixels, and QR codes.
  const pixel = await taken(
    sdk.createPixel({
      client,
      headers: keyed(),
      body: { name: "Shop", provider: "meta", tag: "1234567890" },
    }),
  );
  const onePixel = { path: { pixel: pixel.data.data.id } };
  await taken(sdk.getPixel({ client, ...onePixel }));
  const keptPixel = await taken(
    sdk.updatePixel({
      client,
      ...onePixel,
      headers: { "If-Match": pixel.etag },
      body: { consent: "not_required" },
    }),
  );
  await taken(sdk.deletePixel({ client, ...onePixel, headers: { "If-Match": keptPixel.etag } }));
  const target = { type: "url" as const, url: "https://example.com/menu" };
  await taken(sdk.previewQrCode({ client, body: { target } }));
  const code = await taken(
    sdk.createQrCode({ client, headers: keyed(), body: { name: "Menu", target } }),
  );
  const oneCode = { path: { qr_code: code.data.data.id } };
  await taken(sdk.getQrCode({ client, ...oneCode }));
  await taken(sdk.getQrCodeImage({ client, ...oneCode, query: { format: "svg" } }));
  const keptCode = await taken(
    sdk.updateQrCode({
      client,
      ...oneCode,
      headers: { "If-Match": code.etag },
      body: { style: { shape: "dots" } },
    }),
  );
  await taken(sdk.deleteQrCode({ client, ...oneCode, headers: { "If-Match": keptCode.etag } }));

  await takeSdkPages({ client, operator, workspace, keyed });
  await takeSdkSubmissions({ client, operator, workspace, keyed });

  // Links: the default first, without a domain and with nothing set.
  const header = keyed();
  const body = { destination: "https://example.com/spring", domain: null };
  const link = await taken(sdk.createLink({ client, headers: header, body }));
  const status: 301 | 302 | 303 | 307 | 308 = link.data.data.settings.http_status;
  const ofDomain: string | null = link.data.data.domain;
  if (status !== 302 || ofDomain !== null) throw new Error("Not the default link.");
  await taken(sdk.createLink({ client, headers: header, body }));
  await refused(
    sdk.createLink({ client, headers: header, body: { destination: "https://example.com/other" } }),
    409,
    "idempotency_key_reused",
  );
  const onDomain = await taken(
    sdk.createLink({
      client,
      headers: keyed(),
      body: {
        destination: "https://example.com/?a=1",
        title: "All of it",
        slug: "sdk-all",
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
    sdk.createLink({
      client,
      headers: keyed(),
      body: { destination: "mailto:ada@example.com", settings: { forward_query: true } },
    }),
  );
  const page = await taken(sdk.listLinks({ client, query: { limit: 1, status: "paused" } }));
  const { next_cursor: cursor } = page.data;
  if (cursor === null) throw new Error("There is a second page.");
  await taken(
    sdk.listLinks({ client, query: { cursor, domain: domain.data.data.id, search: "sdk" } }),
  );
  const oneLink = { path: { link: link.data.data.id } };
  const readLink = await taken(sdk.getLink({ client, ...oneLink }));
  const clicks: number = readLink.data.data.clicks;
  if (clicks !== 0) throw new Error("Nobody has followed it.");
  const known = await sdk.getLink({
    client,
    ...oneLink,
    headers: { "If-None-Match": readLink.etag },
  });
  if (known.response?.status !== 304) throw new Error("It is known.");
  const active = await taken(
    sdk.updateLink({
      client,
      ...oneLink,
      headers: { "If-Match": readLink.etag },
      body: { status: "active", settings: { utm: { campaign: "spring" } } },
    }),
  );
  await refused(
    sdk.updateLink({
      client,
      ...oneLink,
      headers: { "If-Match": readLink.etag },
      body: { status: "paused" },
    }),
    412,
    "precondition_failed",
  );
  await refused(
    // @ts-expect-error: the types know that it must be there.
    sdk.updateLink({ client, ...oneLink, body: { status: "paused" } }),
    428,
    "precondition_required",
  );
  await refused(
    sdk.updateLink({
      client,
      ...oneLink,
      headers: { "If-Match": "*" },
      // @ts-expect-error: the types know which there are.
      body: { settings: { http_status: 304 } },
    }),
    422,
    "validation_failed",
  );
  await refused(sdk.getLink({ client, path: { link: NO_SUCH } }), 404, "not_found");
  await refused(sdk.listLinks({ client: clientOf("osk_nonsense") }), 401, "unauthenticated");
  await refused(sdk.listContacts({ client: clientOf(lesser.data.key) }), 403, "forbidden");
  for (const disabled of [true, false]) {
    const path = { workspace, link: link.data.data.id };
    await taken(sdk.switchLink({ client: operator, path, body: { disabled } }));
  }
  await taken(sdk.deleteLink({ client, ...oneLink, headers: { "If-Match": "*" } }));
  await taken(
    sdk.deleteLink({
      client,
      path: { link: onDomain.data.data.id },
      headers: { "If-Match": onDomain.etag },
    }),
  );
  if (active.data.data.status !== "active") throw new Error("The link is not active.");

  // Tags, stages, contacts.
  const tag = await taken(sdk.createTag({ client, body: { name: "VIP" } }));
  const oneTag = { path: { tag: tag.data.data.id } };
  await taken(sdk.listTags({ client }));
  await taken(sdk.getTag({ client, ...oneTag }));
  await taken(sdk.updateTag({ client, ...oneTag, body: { name: "Very" } }));
  const stageRecord = await taken(sdk.createStage({ client, body: { name: "Lead" } }));
  const oneStage = { path: { stage: stageRecord.data.data.id } };
  await taken(sdk.listStages({ client }));
  await taken(sdk.getStage({ client, ...oneStage }));
  await taken(sdk.updateStage({ client, ...oneStage, body: { name: "New" } }));
  const contact = await taken(
    sdk.createContact({
      client,
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
  const again: ContactInput = { external_id: "crm-1", country: null };
  const changed = await taken(sdk.createContact({ client, body: again }));
  if (changed.status !== 200) throw new Error("The contact was there.");
  const seats: string | number | boolean | undefined = contact.data.data.custom.seats;
  if (seats !== 7) throw new Error("Custom fields are lost.");
  await taken(
    sdk.importContacts({
      client,
      body: {
        contacts: [
          { external_id: "crm-2", name: "Grace" },
          { name: "Alan", stage: NO_SUCH },
        ],
      },
    }),
  );
  await taken(sdk.listContacts({ client, query: { tag: tag.data.data.id } }));
  const oneContact = { path: { contact: contact.data.data.id } };
  const readContact = await taken(sdk.getContact({ client, ...oneContact }));
  await taken(
    sdk.updateContact({
      client,
      ...oneContact,
      headers: { "If-Match": readContact.etag },
      body: { language: "de", custom: { seats: null } },
    }),
  );

  // Segments.
  const conditions: SegmentConditionsInput = {
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
  await taken(sdk.listSegmentFields({ client }));
  await taken(sdk.previewSegment({ client, body: { conditions } }));
  const segment = await taken(
    sdk.createSegment({
      client,
      body: {
        name: "Sdk",
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
  await taken(sdk.listSegments({ client }));
  await taken(sdk.getSegment({ client, ...oneSegment }));
  await taken(sdk.listSegmentContacts({ client, ...oneSegment }));
  const kept = await taken(
    sdk.updateSegment({
      client,
      ...oneSegment,
      headers: { "If-Match": segment.etag },
      // What was answered is open to fields to come, what is sent is not.
      body: {
        conditions: segment.data.data.conditions as typeof conditions,
        min_days_inactive: null,
      },
    }),
  );
  await refused(sdk.deleteTag({ client, ...oneTag }), 409, "conflict");
  await taken(sdk.deleteSegment({ client, ...oneSegment, headers: { "If-Match": kept.etag } }));

  // Webhooks.
  const events = await taken(sdk.listEvents({ client }));
  const first = events.data.data[0];
  if (!first?.channels.length || !first.schema.type) throw new Error("There are no events.");
  const createEndpoint = (url: string) =>
    taken(
      sdk.createEndpoint({
        client,
        headers: keyed(),
        body: { name: "Sdk", url, subscriptions: [POST_PUBLISHED] },
      }),
    );
  const endpoint = await createEndpoint(`${stage.receiver}/sdk`);
  const oneEndpoint = { path: { endpoint: endpoint.data.data.id } };
  await taken(sdk.listEndpoints({ client }));
  const readEndpoint = await taken(sdk.getEndpoint({ client, ...oneEndpoint }));
  await refused(
    sdk.testEndpoint({
      client,
      ...oneEndpoint,
      headers: { ...keyed(), "If-Match": readEndpoint.etag },
      body: { event: POST_PUBLISHED.event },
    }),
    409,
    "conflict",
  );
  const enabled = await taken(
    sdk.updateEndpoint({
      client,
      ...oneEndpoint,
      headers: { "If-Match": readEndpoint.etag },
      body: { enabled: true },
    }),
  );
  const rotated = await taken(
    sdk.rotateSecret({
      client,
      ...oneEndpoint,
      headers: { ...keyed(), "If-Match": enabled.etag },
      body: {},
    }),
  );
  if (!rotated.data.secret.startsWith("whsec_")) throw new Error("There is no new secret.");
  const delivery = await taken(
    sdk.testEndpoint({
      client,
      ...oneEndpoint,
      headers: { ...keyed(), "If-Match": "*" },
      body: { event: POST_PUBLISHED.event },
    }),
  );
  const readDelivery = (id: string) => async () =>
    taken(sdk.getDelivery({ client, path: { delivery: id } }));
  const delivered = await until(
    readDelivery(delivery.data.data.id),
    ({ data }) => data.data.status === "delivered",
  );
  if (delivered.data.data.attempts[0]?.status_code !== 200) throw new Error("Not delivered.");
  await taken(
    sdk.resendDelivery({ client, path: { delivery: delivery.data.data.id }, headers: keyed() }),
  );
  await taken(
    sdk.listDeliveries({
      client,
      ...oneEndpoint,
      query: { status: "delivered", event: POST_PUBLISHED.event },
    }),
  );
  await taken(
    sdk.publishEvent({
      client: operator,
      ...inWorkspace,
      body: POST,
    }),
  );
  await taken(
    sdk.publishEvents({
      client: operator,
      ...inWorkspace,
      body: {
        events: [POST],
      },
    }),
  );
  const failing = await createEndpoint(`${stage.receiver}/failing`);
  const oneFailing = { endpoint: failing.data.data.id };
  await taken(
    sdk.updateEndpoint({
      client,
      path: oneFailing,
      headers: { "If-Match": failing.etag },
      body: { enabled: true, subscriptions: [POST_PUBLISHED] },
    }),
  );
  const undelivered = await taken(
    sdk.testEndpoint({
      client,
      path: oneFailing,
      headers: { ...keyed(), "If-Match": "*" },
      body: { event: POST_PUBLISHED.event },
    }),
  );
  await until(
    readDelivery(undelivered.data.data.id),
    ({ data }) => data.data.attempts[0]?.status_code === 500,
  );
  const dryRun = await taken(
    sdk.recoverEndpoint({
      client,
      path: oneFailing,
      headers: { ...keyed(), "If-Match": "*" },
      body: { since: "2026-01-01T00:00:00Z", dry_run: true },
    }),
  );
  if (!("dry_run" in dryRun.data.data)) throw new Error("That was no dry run.");
  const recovery = await taken(
    sdk.recoverEndpoint({
      client,
      path: oneFailing,
      headers: { ...keyed(), "If-Match": "*" },
      body: { since: "2026-01-01T00:00:00Z" },
    }),
  );
  await taken(
    sdk.getRecovery({ client, path: { ...oneFailing, recovery: idOf(recovery.data.data) } }),
  );
  for (const path of [oneEndpoint.path, oneFailing]) {
    await taken(sdk.deleteEndpoint({ client, path, headers: { "If-Match": "*" } }));
  }

  // Automation hooks.
  const me = await taken(sdk.getAutomationConnection({ client }));
  if (me.data.data.workspace_name !== "Sdk") throw new Error("Not this workspace.");
  const wish = { target_url: `${stage.receiver}/hook`, event: "salesbot.contact.created" };
  const hook = await taken(sdk.subscribeHook({ client, body: wish }));
  const same = await taken(sdk.subscribeHook({ client, body: wish }));
  if (hook.data.data.id !== same.data.data.id) throw new Error("The hook was there.");
  await refused(
    sdk.subscribeHook({ client, body: { ...wish, event: "no.such.event" } }),
    422,
    "unknown_event",
  );
  const samples = await taken(sdk.getHookSample({ client, path: { event: wish.event } }));
  if (!samples.data[0]?.occurred_at) throw new Error("There is no sample.");
  await taken(sdk.unsubscribeHook({ client, body: { id: hook.data.data.id } }));
  const second = await taken(sdk.subscribeHook({ client, body: wish }));
  await taken(sdk.deleteHook({ client, path: { hook: second.data.data.id } }));
  const third = await taken(sdk.subscribeHook({ client, body: wish }));
  await taken(
    sdk.removeWorkspaceHook({
      client: operator,
      path: { ...inWorkspace.path, hook: third.data.data.id },
    }),
  );

  // Messages.
  const inbound = { contact: contact.data.data.id, text: "Hello?", external_id: "wamid.1" };
  for (const expected of [201, 200]) {
    const recorded = await taken(
      sdk.recordInboundMessage({ client: operator, ...inWorkspace, body: inbound }),
    );
    if (recorded.status !== expected) throw new Error("Recorded twice.");
  }
  const message = await taken(
    sdk.sendMessage({
      client,
      body: { contact: contact.data.data.id, template: { name: "order_sent" } },
    }),
  );
  await taken(sdk.getMessage({ client, path: { message: message.data.data.id } }));
  const blocked = await taken(
    sdk.createContact({ client, body: { name: "No", status: "opted_out", channel: "sms" } }),
  );
  await refused(
    sdk.sendMessage({ client, body: { contact: blocked.data.data.id, text: "Hello." } }),
    422,
    "message_refused",
  );

  const erased = { path: { contact: blocked.data.data.id } };
  await taken(sdk.eraseContact({ client, ...erased, headers: { "If-Match": "*" } }));
  await taken(sdk.getErasure({ client, ...erased }));

  // What is left is taken down.
  await taken(sdk.deleteContact({ client, ...oneContact, headers: { "If-Match": "*" } }));
  await taken(sdk.deleteTag({ client, ...oneTag }));
  await taken(sdk.deleteStage({ client, ...oneStage }));
  await taken(sdk.deleteDomain({ client, ...oneDomain, headers: { "If-Match": "*" } }));
  await taken(sdk.getOverview({ client: operator }));
  await taken(sdk.listDeadLetters({ client: operator }));
  await taken(sdk.revokeKey({ client: operator, path: { workspace, key: lesser.data.data.id } }));
  await taken(sdk.removeMember({ client: operator, ...oneMember }));
  const left = await taken(sdk.createWorkspace({ client: operator, body: { name: "Left" } }));
  const gone = { client: operator, path: { workspace: left.data.data.id } };
  await taken(sdk.deleteWorkspace(gone));
  await taken(sdk.getWorkspaceDeletion(gone));
}
