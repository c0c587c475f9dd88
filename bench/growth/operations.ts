import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import {
  HIT_COUNTS,
  HIT_PROPERTIES,
  HIT_SUBJECTS,
  HIT_TRAFFIC,
  SLOT_MILLISECONDS,
} from "../../src/visitor/clicks/hit-names.ts";
import type { Bench } from "./bench.ts";
import { BIOLINKS_ROUTES } from "./biolinks-operations.ts";
import { idOf } from "./stored.ts";
import { VISITS } from "./visitors-operations.ts";

/** One piece of work: what it needs is made by `prepare`, which is not measured. */
export interface Operation {
  name: string;
  prepare?: (bench: Bench) => Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever prepare made.
  run(bench: Bench, prepared: any): Promise<unknown>;
}

const LINKS = "/api/v1/biolinks/links";
const DOMAINS = "/api/v1/biolinks/domains";
const PIXELS = "/api/v1/biolinks/pixels";
const CONTACTS = "/api/v1/contacts";
const SEGMENTS = "/api/v1/segments";
const WEBHOOKS = "/api/v1/workspace-webhooks";
const POST_PUBLISHED = { event: "publishing.post.published", channel: "all" };
const POST = {
  title: "Spring sale",
  url: "https://social.example/brand/posts/4711",
  networks: ["instagram"],
  scheduled_at: null,
  published_at: null,
};
const HOOK = { event: "salesbot.contact.tagged" };

const unique = () => crypto.randomUUID();
/** The n-th record of what was stored at one time: contacts, links, tags, segments. */
const stored = (bench: Bench, n: number) => idOf(bench.start, n);
const operator = (bench: Bench) => `/admin/v1/workspaces/${bench.workspace}`;

async function make(bench: Bench, path: string, body: object): Promise<string> {
  return (await bench.send("POST", path, body)).json.data.id;
}

const newContact = (bench: Bench) => make(bench, CONTACTS, { name: "New", email: "n@example.com" });
const newLink = (bench: Bench) => make(bench, LINKS, { destination: "https://example.com/" });
const newDomain = (bench: Bench) => make(bench, DOMAINS, { host: `${unique().slice(1)}.com` });
const newPixel = (bench: Bench) =>
  make(bench, PIXELS, { name: "New", provider: "ga4", tag: "G-ABC123", access_token: "token" });
const newMember = (bench: Bench) =>
  make(bench, `${operator(bench)}/members`, { email: `${unique()}@example.com`, role: "editor" });
const newEndpoint = (bench: Bench) => {
  const input = { name: "New", url: "http://127.0.0.1:9/", subscriptions: [POST_PUBLISHED] };
  return make(bench, `${WEBHOOKS}/endpoints`, input);
};
const newHook = (bench: Bench) =>
  make(bench, "/automation/subscribe", { ...HOOK, target_url: `http://127.0.0.1:9/${unique()}` });

async function firstOf(bench: Bench, path: string): Promise<string> {
  return (await bench.send("GET", path)).json.data[0].id;
}

const endpoint = (bench: Bench) => `${WEBHOOKS}/endpoints/${bench.endpoints[0]}`;

function imports(bench: Bench, rows: (n: number) => object): Promise<unknown> {
  const contacts = Array.from({ length: 500 }, (_, n) => rows(n));
  return bench.send("POST", `${CONTACTS}/import`, { contacts });
}

/** For each operation of the API its work, by the operation's name in the description. */
const ROUTES: Record<string, Omit<Operation, "name">> = {
  createLink: { run: newLink },
  listLinks: { run: (b) => b.send("GET", LINKS) },
  getLink: { run: (b) => b.send("GET", `${LINKS}/${stored(b, 7)}`) },
  updateLink: { run: (b) => b.send("PATCH", `${LINKS}/${stored(b, 7)}`, { title: unique() }) },
  deleteLink: { prepare: newLink, run: (b, id) => b.send("DELETE", `${LINKS}/${id}`) },
  createDomain: {
    run: newDomain,
  },
  listDomains: { run: (b) => b.send("GET", DOMAINS) },
  getDomain: { prepare: newDomain, run: (b, id) => b.send("GET", `${DOMAINS}/${id}`) },
  updateDomain: {
    prepare: newDomain,
    run: (b, id) => b.send("PATCH", `${DOMAINS}/${id}`, { root_url: "https://example.com/" }),
  },
  deleteDomain: { prepare: newDomain, run: (b, id) => b.send("DELETE", `${DOMAINS}/${id}`) },
  verifyDomain: { prepare: newDomain, run: (b, id) => b.send("POST", `${DOMAINS}/${id}/verify`) },
  listPixelProviders: { run: (b) => b.send("GET", "/api/v1/biolinks/catalogue/pixel-providers") },
  createPixel: { run: async (b) => b.send("DELETE", `${PIXELS}/${await newPixel(b)}`) },
  listPixels: { run: (b) => b.send("GET", PIXELS) },
  getPixel: {
    prepare: newPixel,
    run: async (b, id) => {
      await b.send("GET", `${PIXELS}/${id}`);
      return b.send("DELETE", `${PIXELS}/${id}`);
    },
  },
  updatePixel: {
    prepare: newPixel,
    run: async (b, id) => {
      await b.send("PATCH", `${PIXELS}/${id}`, { consent: "not_required" });
      return b.send("DELETE", `${PIXELS}/${id}`);
    },
  },
  deletePixel: {
    prepare: newPixel,
    run: (b, id) => b.send("DELETE", `${PIXELS}/${id}?force=true`),
  },
  createContact: { run: newContact },
  listContacts: { run: (b) => b.send("GET", CONTACTS) },
  importContacts: { run: (b) => imports(b, () => ({ external_id: unique(), name: "New" })) },
  getContact: { run: (b) => b.send("GET", `${CONTACTS}/${stored(b, 7)}`) },
  updateContact: {
    run: (b) => b.send("PATCH", `${CONTACTS}/${stored(b, 7)}`, { name: unique() }),
  },
  deleteContact: { prepare: newContact, run: (b, id) => b.send("DELETE", `${CONTACTS}/${id}`) },
  eraseContact: { prepare: newContact, run: (b, id) => b.send("POST", `${CONTACTS}/${id}/erase`) },
  getErasure: {
    prepare: async (b) => {
      const id = await newContact(b);
      await b.send("POST", `${CONTACTS}/${id}/erase`);
      return id;
    },
    run: (b, id) => b.send("GET", `${CONTACTS}/${id}/erasure`),
  },
  createTag: { run: (b) => make(b, "/api/v1/tags", { name: unique() }) },
  listTags: { run: (b) => b.send("GET", "/api/v1/tags") },
  getTag: { run: (b) => b.send("GET", `/api/v1/tags/${stored(b, 7)}`) },
  updateTag: { run: (b) => b.send("PATCH", `/api/v1/tags/${stored(b, 7)}`, { name: unique() }) },
  deleteTag: {
    prepare: (b) => make(b, "/api/v1/tags", { name: unique() }),
    run: (b, id) => b.send("DELETE", `/api/v1/tags/${id}`),
  },
  createStage: { run: (b) => make(b, "/api/v1/stages", { name: unique() }) },
  listStages: { run: (b) => b.send("GET", "/api/v1/stages") },
  getStage: { run: (b) => b.send("GET", `/api/v1/stages/${stored(b, 0)}`) },
  updateStage: {
    run: (b) => b.send("PATCH", `/api/v1/stages/${stored(b, 0)}`, { name: unique() }),
  },
  deleteStage: {
    prepare: (b) => make(b, "/api/v1/stages", { name: unique() }),
    run: (b, id) => b.send("DELETE", `/api/v1/stages/${id}`),
  },
  listSegmentFields: { run: (b) => b.send("GET", `${SEGMENTS}/fields`) },
  previewSegment: {
    run: (b) => b.send("POST", `${SEGMENTS}/preview`, { include_tags: [stored(b, 3)] }),
  },
  createSegment: {
    run: (b) => make(b, SEGMENTS, { name: unique(), include_tags: [stored(b, 3)] }),
  },
  listSegments: { run: (b) => b.send("GET", SEGMENTS) },
  getSegment: { run: (b) => b.send("GET", `${SEGMENTS}/${stored(b, 7)}`) },
  updateSegment: {
    run: (b) => b.send("PATCH", `${SEGMENTS}/${stored(b, 7)}`, { name: unique() }),
  },
  deleteSegment: {
    prepare: (b) => make(b, SEGMENTS, { name: unique() }),
    run: (b, id) => b.send("DELETE", `${SEGMENTS}/${id}`),
  },
  listSegmentContacts: { run: (b) => b.send("GET", `${SEGMENTS}/${stored(b, 7)}/contacts`) },
  sendMessage: {
    prepare: newContact,
    run: (b, contact) =>
      b.send("POST", "/api/v1/messages", { contact, channel: "sms", text: "Hello" }),
  },
  getMessage: {
    prepare: async (b) => {
      const contact = await newContact(b);
      return make(b, "/api/v1/messages", { contact, channel: "sms", text: "Hello" });
    },
    run: (b, id) => b.send("GET", `/api/v1/messages/${id}`),
  },
  listEvents: { run: (b) => b.send("GET", `${WEBHOOKS}/events`) },
  listEndpoints: { run: (b) => b.send("GET", `${WEBHOOKS}/endpoints`) },
  createEndpoint: {
    run: async (b) => b.send("DELETE", `${WEBHOOKS}/endpoints/${await newEndpoint(b)}`),
  },
  getEndpoint: { run: (b) => b.send("GET", endpoint(b)) },
  updateEndpoint: { run: (b) => b.send("PATCH", endpoint(b), { name: unique() }) },
  deleteEndpoint: {
    prepare: newEndpoint,
    run: (b, id) => b.send("DELETE", `${WEBHOOKS}/endpoints/${id}`),
  },
  rotateSecret: {
    run: (b) => b.send("POST", `${endpoint(b)}/rotate-secret`, { immediate: true }),
  },
  listDeliveries: { run: (b) => b.send("GET", `${endpoint(b)}/deliveries?status=failed`) },
  getDelivery: {
    prepare: (b) => firstOf(b, `${endpoint(b)}/deliveries`),
    run: (b, id) => b.send("GET", `${WEBHOOKS}/deliveries/${id}`),
  },
  resendDelivery: {
    prepare: (b) => firstOf(b, `${endpoint(b)}/deliveries?status=delivered`),
    run: (b, id) => b.send("POST", `${WEBHOOKS}/deliveries/${id}/resend`),
  },
  testEndpoint: {
    run: (b) => b.send("POST", `${endpoint(b)}/test`, { event: POST_PUBLISHED.event }),
  },
  recoverEndpoint: {
    run: (b) =>
      b.send("POST", `${endpoint(b)}/recover`, { since: new Date(Date.now() - 1).toISOString() }),
  },
  getRecovery: {
    prepare: (b) =>
      make(b, `${endpoint(b)}/recover`, { since: new Date(Date.now() - 1).toISOString() }),
    run: (b, id) => b.send("GET", `${endpoint(b)}/recoveries/${id}`),
  },
  getAutomationConnection: { run: (b) => b.send("GET", "/automation/me") },
  subscribeHook: {
    run: async (b) => b.send("POST", "/automation/unsubscribe", { id: await newHook(b) }),
  },
  unsubscribeHook: {
    prepare: newHook,
    run: (b, id) => b.send("POST", "/automation/unsubscribe", { id }),
  },
  listHooks: { run: (b) => b.send("GET", "/automation/hooks") },
  deleteHook: { prepare: newHook, run: (b, id) => b.send("DELETE", `/automation/hooks/${id}`) },
  getHookSample: { run: (b) => b.send("GET", `/automation/sample/${HOOK.event}`) },
  createWorkspace: { run: (b) => make(b, "/admin/v1/workspaces", { name: "New" }) },
  listWorkspaces: { run: (b) => b.send("GET", "/admin/v1/workspaces") },
  getWorkspace: { run: (b) => b.send("GET", operator(b)) },
  updateWorkspace: { run: (b) => b.send("PATCH", operator(b), { plan: "business" }) },
  addMember: { run: newMember },
  listMembers: { run: (b) => b.send("GET", `${operator(b)}/members`) },
  getMember: { prepare: newMember, run: (b, id) => b.send("GET", `${operator(b)}/members/${id}`) },
  changeRole: {
    prepare: newMember,
    run: (b, id) => b.send("PATCH", `${operator(b)}/members/${id}`, { role: "viewer" }),
  },
  removeMember: {
    prepare: newMember,
    run: (b, id) => b.send("DELETE", `${operator(b)}/members/${id}`),
  },
  issueKey: {
    run: (b) => b.send("POST", `${operator(b)}/keys`, { name: "New", permissions: ["*"] }),
  },
  listKeys: { run: (b) => b.send("GET", `${operator(b)}/keys`) },
  revokeKey: {
    prepare: (b) => make(b, `${operator(b)}/keys`, { name: "New", permissions: ["*"] }),
    run: (b, id) => b.send("DELETE", `${operator(b)}/keys/${id}`),
  },
  switchLink: {
    run: (b) => b.send("PATCH", `${operator(b)}/links/${stored(b, 8)}`, { disabled: false }),
  },
  publishEvent: {
    run: (b) =>
      b.send("POST", `${operator(b)}/events`, {
        ...POST_PUBLISHED,
        data: { ...POST, id: unique() },
      }),
  },
  publishEvents: {
    run: (b) =>
      b.send("POST", `${operator(b)}/events/batch`, {
        events: Array.from({ length: 10 }, () => ({
          ...POST_PUBLISHED,
          id: unique(),
          data: { ...POST, id: unique() },
        })),
      }),
  },
  recordInboundMessage: {
    run: (b) =>
      b.send("POST", `${operator(b)}/messages/inbound`, {
        contact: stored(b, 9),
        channel: "sms",
        text: "Hi",
      }),
  },
  listWorkspaceHooks: { run: (b) => b.send("GET", `${operator(b)}/hooks`) },
  removeWorkspaceHook: {
    prepare: newHook,
    run: (b, id) => b.send("DELETE", `${operator(b)}/hooks/${id}`),
  },
  deleteWorkspace: {
    prepare: (b) => make(b, "/admin/v1/workspaces", { name: "New" }),
    run: (b, id) => b.send("DELETE", `/admin/v1/workspaces/${id}`),
  },
  getWorkspaceDeletion: {
    prepare: async (b) => {
      const id = await make(b, "/admin/v1/workspaces", { name: "New" });
      await b.send("DELETE", `/admin/v1/workspaces/${id}`);
      return id;
    },
    run: (b, id) => b.send("GET", `/admin/v1/workspaces/${id}/deletion`),
  },
  getUsage: { run: (b) => b.send("GET", `${operator(b)}/usage`) },
  getOverview: { run: (b) => b.send("GET", "/admin/v1/overview") },
  listDeadLetters: { run: (b) => b.send("GET", "/admin/v1/dead-letters") },
};

/** What else somebody may ask: the same routes, asked where much is stored. */
const VARIANTS: Operation[] = [
  {
    name: "listContacts, an external_id",
    run: (b) => b.send("GET", `${CONTACTS}?external_id=known7`),
  },
  { name: "listContacts, a tag", run: (b) => b.send("GET", `${CONTACTS}?tag=${stored(b, 3)}`) },
  {
    name: "listDeliveries, an event that never came",
    run: (b) => b.send("GET", `${endpoint(b)}/deliveries?event=publishing.post.failed`),
  },
  {
    name: "listDeliveries, tests",
    run: (b) => b.send("GET", `${endpoint(b)}/deliveries?test=true`),
  },
  { name: "listLinks, paused", run: (b) => b.send("GET", `${LINKS}?status=paused`) },
  {
    name: "listLinks, a domain",
    prepare: newDomain,
    run: (b, id) => b.send("GET", `${LINKS}?domain=${id}`),
  },
  { name: "listLinks, a search", run: (b) => b.send("GET", `${LINKS}?search=nobody`) },
  {
    name: "createContact, a known external_id",
    run: (b) => make(b, CONTACTS, { external_id: "known7", name: unique() }),
  },
  {
    name: "importContacts, all known",
    run: (b) => imports(b, (n) => ({ external_id: `known${n}`, name: unique() })),
  },
  {
    name: "importContacts, all unchanged",
    prepare: (b) => imports(b, (n) => ({ external_id: `known${n}`, name: "Same" })),
    run: (b) => imports(b, (n) => ({ external_id: `known${n}`, name: "Same" })),
  },
  {
    name: "previewSegment, met by nobody",
    run: (b) =>
      b.send("POST", `${SEGMENTS}/preview`, {
        conditions: {
          match: "all",
          groups: [{ match: "all", rules: [{ field: "name", op: "contains", value: "nobody" }] }],
        },
      }),
  },
  {
    name: "deleteTag, 500 contacts have it",
    prepare: async (b) => {
      const id = await make(b, "/api/v1/tags", { name: unique() });
      await imports(b, (n) => ({ external_id: `known${n}`, tags: [id] }));
      return id;
    },
    run: (b, id) => b.send("DELETE", `/api/v1/tags/${id}`),
  },
  { name: "a visit", run: (b) => b.send("GET", "/s7") },
  { name: "a visit to nothing", run: (b) => b.send("GET", `/none-${unique()}`).catch(() => {}) },
];

/** Hits as visitors' isolates pack them: clicks of fifty links, ten each, of two people. */
function hitPacket({ workspace, start }: Bench) {
  const ids = Array.from({ length: 50 }, (_, n) => idOf(start, 200 + n));
  const set = HIT_PROPERTIES.map((name) => (name === "referrer" ? 1 : 0));
  const slot = Math.floor(Date.now() / SLOT_MILLISECONDS);
  const [link, clicks, human] = [
    HIT_SUBJECTS.indexOf("link"),
    HIT_COUNTS.indexOf("clicks"),
    HIT_TRAFFIC.indexOf("human"),
  ];
  const person = () => randomBytes(8).toString("base64url");
  const hits = ids.map((_, n) => [0, 2 + n, link, clicks, human, slot, 10, person() + person()]);
  const packet = JSON.stringify({ texts: ["", "social.example", ...ids], sets: [set], hits });
  return { v: 3, workspace, id: uuidv7(), packet };
}

/** The same as code of before 2026-11-22 packed them, one each. */
function clickPacket(bench: Bench) {
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const clicks = Array.from({ length: 50 }, (_, n) => [
    stored(bench, 200 + n),
    hour,
    0,
    "GB",
    0,
    "social.example",
    1,
  ]);
  return { v: 1, workspace: bench.workspace, id: unique(), agents: ["Mozilla/5.0"], clicks };
}

/** The queues' consumers, each with a batch of its own. */
const QUEUES: Operation[] = [
  {
    name: "queue signpost-clicks, 10 packets",
    run: (b) =>
      b.control(
        "queues/signpost-clicks",
        Array.from({ length: 10 }, () => hitPacket(b)),
      ),
  },
  {
    name: "queue signpost-clicks, 10 packets of before",
    run: (b) =>
      b.control(
        "queues/signpost-clicks",
        Array.from({ length: 10 }, () => clickPacket(b)),
      ),
  },
  {
    name: "queue signpost-events, one long fanned out",
    run: (b) =>
      b.control("queues/signpost-events", [
        { v: 1, workspace: b.workspace, event: idOf(b.start, 0) },
      ]),
  },
  {
    name: "queue signpost-messages, one long sent",
    run: (b) =>
      b.control("queues/signpost-messages", [
        { v: 1, workspace: b.workspace, message: idOf(b.start, 0) },
      ]),
  },
  {
    name: "queue signpost-pixel-events, a visit told to a provider",
    prepare: newPixel,
    run: async (b, pixel) => {
      const url = "https://go.brand.example/s7";
      const visit = { workspace: b.workspace, link: stored(b, 7), event: unique(), url };
      const message = { v: 2, ...visit, at: Date.now(), pixels: [pixel] };
      await b.control("queues/signpost-pixel-events", [message]);
      return b.send("DELETE", `${PIXELS}/${pixel}`);
    },
  },
];

const DAY = 86_400_000;
const DUE = 500;
const EACH = `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ${DUE})`;
/** An id of the time ?2, by which retention goes. */
const NEW_ID = `substr(printf('%012x', ?2), 1, 8) || '-' || substr(printf('%012x', ?2), 9)
  || '-7000-8000-' || lower(hex(randomblob(6)))`;

/** What a job deletes or changes when it is time: so many rows in each database. */
const DUE_ROWS: Record<string, [days: number, sql: string]> = {
  purge_payloads: [
    8,
    `INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
     SELECT ${NEW_ID}, ?1, 'publishing.post.failed', 'all', 0, '{}', ?2, ?2 FROM each`,
  ],
  purge_events: [
    31,
    `INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at, created_at)
     SELECT ${NEW_ID}, ?1, 'publishing.post.failed', 'all', 0, NULL, ?2, ?2 FROM each`,
  ],
  purge_deliveries: [
    31,
    `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel, test,
       status, attempts_count, created_at)
     SELECT ${NEW_ID}, ?1, 'endpoint', 'gone', ${NEW_ID}, 'publishing.post.failed', 'all', 0,
       'failed', 1, ?2 FROM each`,
  ],
  purge_messages: [
    181,
    `INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, status,
       attempts_count, created_at, updated_at)
     SELECT ${NEW_ID}, ?1, 'gone', 'sms', 'outbound', 'Hello', 'sent', 1, ?2, ?2 FROM each`,
  ],
  forget_click_packets: [
    16,
    `INSERT INTO click_packets (id, created_at) SELECT ${NEW_ID}, ?2 FROM each WHERE ?1`,
  ],
  purge_clicks: [
    800,
    `INSERT INTO link_clicks (link_id, hour, kind, country, device, referrer, workspace_id, clicks)
     SELECT ${NEW_ID}, ?2, 'crawler', '', '', '', ?1, 1 FROM each`,
  ],
};

const DUE_JOBS: Operation[] = Object.entries(DUE_ROWS).map(([job, [days, sql]]) => ({
  name: `job ${job}, ${DUE} due`,
  prepare: async (b) => {
    const database = await b.database;
    await database
      .prepare(`${EACH} ${sql}`)
      .bind(b.workspace, Date.now() - days * DAY)
      .run();
    // Those that rest, or are behind these rows, begin again.
    await database.prepare("DELETE FROM job_places").run();
  },
  run: (b) => b.control(`jobs/${job}`),
}));

/** All that is measured: every operation of the description, every job, every queue. */
export async function listOperations(bench: Bench): Promise<Operation[]> {
  const { paths } = (await bench.send("GET", "/openapi.json")).json;
  const described = Object.values<Record<string, { operationId?: string }>>(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  const routes = described.map((name) => {
    const route = ROUTES[name] ?? BIOLINKS_ROUTES[name];
    if (!route) throw new Error(`bench/growth/operations.ts measures no ${name}.`);
    return { name, ...route };
  });
  for (const queue of bench.queues) {
    if (!QUEUES.some(({ name }) => name.startsWith(`queue ${queue},`)))
      throw new Error(`bench/growth/operations.ts measures no queue ${queue}.`);
  }
  const jobs = (await bench.jobs()).map((name) => ({
    name: `job ${name}`,
    run: (b: Bench) => b.control(`jobs/${name}`),
  }));
  return [...routes, ...VARIANTS, ...VISITS, ...QUEUES, ...jobs, ...DUE_JOBS];
}
