import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  becomes,
  judge,
  mayBecome,
  newPlace,
  type Place,
} from "../support/node/address-versions.ts";
import {
  ask,
  type Isolate,
  type IsolateAnswer,
  type Isolates,
  PLATFORM,
  startIsolates,
} from "../support/node/isolates.ts";
import { ADMIN_TOKEN } from "../support/node/runtime-process.ts";

/** A browser that a person sits at. */
const PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36";

const MINUTE = 60_000;
/** The first makes the changes; the last is one that visitors come to in bursts only. */
const SKEWS = [0, 5 * MINUTE, -5 * MINUTE, 0];
const FRESH_MILLISECONDS = 10_000;
const CHANGES = 500;
const LANES = 5;
const PLACES_A_LANE = 6;
const HOSTS = ["go.first.example", "go.second.example"];
/** So that what is seen twice is not seen twice within 20 s. */
const SWITCHES_EVERY_MILLISECONDS = 21_000;
const RETAGS_EVERY_MILLISECONDS = 4000;
const REPUBLISHES_EVERY_MILLISECONDS = 3000;
const BURST = { every: 13_000, lasts: 1500 };
const LINKS = "/api/v1/biolinks/links";
const PAGES = "/api/v1/biolinks/pages";

/** One that may have a link. */
interface LinkPlace extends Place {
  slug: string;
  /** The link that is there. */
  link?: { id: string };
  /** The version of the destination that is there, if visitors are redirected to it. */
  shown?: { version: number; forwardQuery: boolean };
}

let isolates: Isolates;
let writer: Isolate;

beforeAll(async () => {
  isolates = await startIsolates(SKEWS);
  [writer] = isolates.all as [Isolate];
});

afterAll(() => isolates?.stop());

async function send(method: string, path: string, token: string, body?: object) {
  const answer = await ask(writer, {
    method,
    path,
    headers: {
      Authorization: `Bearer ${token}`,
      "If-Match": "*",
      "Idempotency-Key": `fresh-${crypto.randomUUID()}`,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.text ? JSON.parse(answer.text) : undefined;
}

async function createWorkspace(): Promise<{ id: string; key: string }> {
  const { data } = await send("POST", "/admin/v1/workspaces", ADMIN_TOKEN, {
    name: "Fresh",
    plan: "business",
  });
  const keys = `/admin/v1/workspaces/${data.id}/keys`;
  const issued = await send("POST", keys, ADMIN_TOKEN, { name: "Fresh", permissions: ["*"] });
  return { id: data.id, key: issued.key };
}

/** A domain that was verified: names are nobody's to connect here. */
async function addDomain(workspaceId: string, host: string): Promise<string> {
  const id = crypto.randomUUID();
  await run(
    `INSERT INTO domains (id, workspace_id, host, verified, disabled, revision, created_at, updated_at)
     VALUES (?, ?, ?, 1, 0, 'r', 0, 0)`,
    id,
    workspaceId,
    host,
  );
  return id;
}

function run(sql: string, ...bound: unknown[]) {
  return isolates.database
    .prepare(sql)
    .bind(...bound)
    .run();
}

const QUERY = "fresh=1";
const NOTHING = "404";
const GONE = "410";
const PASSWORD = "200 password";
const CONSENT = "200 consent";

/** An answer, so that two versions differ. */
function spell({ status, location, text }: IsolateAnswer): string {
  if (location) return `${status} ${location}`;
  if (status !== 200) return String(status);
  const form = /name="(password|consent)"/.exec(text)?.[1];
  const pixel = /tr\?id=(\d+)/.exec(text)?.[1];
  const page = /<h1>(page \d+)<\/h1>/.exec(text)?.[1];
  return `200 ${form ?? (pixel ? `pixel ${pixel}` : (page ?? text))}`;
}

function newLinkPlace(host: string, answer = NOTHING): LinkPlace {
  const slug = `fresh-${randomBytes(5).toString("hex")}`;
  return { ...newPlace(host, `/${slug}?${QUERY}`, answer), slug };
}

/** Through the API of the isolate that writes: it knows at once. */
const OWN = { isOwn: true };
/** As another isolate does it: this one is not told. */
const ELSEWHERE = { isOwn: false };

/** Something of which each version has its own, in all that a visitor can tell. */
let lastVersion = 0;
function newVersion() {
  const version = ++lastVersion;
  return {
    version,
    destination: `https://example.com/${version}`,
    settings: {
      http_status: statusOf(version),
      utm: { source: `v${version}` },
      forward_query: false,
      sensitive_content: false,
    },
    answer: answerOf(version, false),
    shown: { version, forwardQuery: false },
  };
}

function statusOf(version: number): number {
  return version % 2 ? 302 : 307;
}

function answerOf(version: number, forwardQuery: boolean): string {
  const query = `utm_source=v${version}${forwardQuery ? `&${QUERY}` : ""}`;
  return `${statusOf(version)} https://example.com/${version}?${query}`;
}

/** One lane's random changes of its own addresses, one after the other. */
class Lane {
  made = 0;
  readonly places: LinkPlace[];
  readonly #workspace: { id: string; key: string };
  readonly #domains: Map<string, string>;

  constructor(workspace: { id: string; key: string }, domains: Map<string, string>) {
    this.#workspace = workspace;
    this.#domains = domains;
    const hosts = [PLATFORM, PLATFORM, ...domains.keys()];
    this.places = Array.from({ length: PLACES_A_LANE }, (_, at) =>
      newLinkPlace(hosts[at % hosts.length] ?? PLATFORM),
    );
  }

  /** A change of any kind, of any address, after which it looks like nothing that was there lately. */
  async change(): Promise<void> {
    const place = pick(this.places);
    this.made++;
    if (!place.link) return this.#create(place);
    const free = this.places.find(({ link, host }) => !link && host !== place.host);
    const changes = [
      () => this.#lead(place),
      () => this.#leadElsewhere(place),
      ...(mayBecome(place, NOTHING) ? [() => this.#pause(place), () => this.#delete(place)] : []),
      ...(mayBecome(place, NOTHING) && free ? [() => this.#move(place, free)] : []),
      ...(mayBecome(place, PASSWORD) ? [() => this.#protect(place)] : []),
      ...(mayBecome(place, CONSENT) ? [() => this.#askForConsent(place)] : []),
      ...(mayBecome(place, GONE) ? [() => this.#switchOff(place)] : []),
      ...(place.shown && !place.shown.forwardQuery ? [() => this.#forward(place)] : []),
    ];
    await pick(changes)();
  }

  async #create(place: LinkPlace): Promise<void> {
    const { destination, settings, answer, shown } = newVersion();
    const domain = this.#domains.get(place.host);
    const body = { destination, settings, slug: place.slug, ...(domain && { domain }) };
    const { data } = await send("POST", LINKS, this.#workspace.key, body);
    place.link = data;
    place.shown = shown;
    await becomes([[place, answer]], () => this.#patch(place, { status: "active" }), OWN);
  }

  #patch({ link }: LinkPlace, body: object) {
    return send("PATCH", `${LINKS}/${link?.id}`, this.#workspace.key, body);
  }

  #lead(place: LinkPlace) {
    const { destination, settings, answer, shown } = newVersion();
    const body = { destination, status: "active", settings: { ...settings, clear_password: true } };
    place.shown = shown;
    return becomes([[place, answer]], () => this.#patch(place, body), OWN);
  }

  /** Changes the link's row elsewhere. It is live then, and open to all, but for what is said. */
  #write(place: LinkPlace, answer: string, sql: string, ...bound: unknown[]) {
    const change = `UPDATE links SET status = 'active', ${sql} WHERE id = ?`;
    return becomes([[place, answer]], () => run(change, ...bound, place.link?.id), ELSEWHERE);
  }

  #leadElsewhere(place: LinkPlace) {
    const { version, destination, settings, answer, shown } = newVersion();
    place.shown = shown;
    return this.#write(
      place,
      answer,
      `destination = ?, http_status = ?, utm = ?, password_hash = NULL, disabled = 0,
       forward_query = 0, sensitive_content = 0`,
      destination,
      settings.http_status,
      JSON.stringify({ source: `v${version}` }),
    );
  }

  async #forward(place: LinkPlace) {
    if (!place.shown) return;
    place.shown.forwardQuery = true;
    await this.#write(place, answerOf(place.shown.version, true), "forward_query = 1");
  }

  #protect(place: LinkPlace) {
    delete place.shown;
    return this.#write(place, PASSWORD, "password_hash = 'x', disabled = 0");
  }

  #askForConsent(place: LinkPlace) {
    delete place.shown;
    const sql = "sensitive_content = 1, password_hash = NULL, disabled = 0";
    return this.#write(place, CONSENT, sql);
  }

  async #switchOff(place: LinkPlace) {
    await this.#write(place, GONE, "disabled = 1");
    await this.#leadElsewhere(place);
  }

  #pause(place: LinkPlace) {
    delete place.shown;
    return becomes([[place, NOTHING]], () => this.#patch(place, { status: "paused" }), OWN);
  }

  async #delete(place: LinkPlace): Promise<void> {
    const path = `${LINKS}/${place.link?.id}`;
    delete place.link;
    delete place.shown;
    await becomes([[place, NOTHING]], () => send("DELETE", path, this.#workspace.key), OWN);
  }

  /** To another host and slug: it is at both addresses that something changes. */
  async #move(place: LinkPlace, free: LinkPlace): Promise<void> {
    const { destination, settings, answer, shown } = newVersion();
    free.link = place.link as { id: string };
    free.shown = shown;
    delete place.link;
    delete place.shown;
    const domain = this.#domains.get(free.host) ?? null;
    const body = { destination, status: "active", domain, slug: free.slug };
    const change = () =>
      this.#patch(free, { ...body, settings: { ...settings, clear_password: true } });
    await becomes(
      [
        [place, NOTHING],
        [free, answer],
      ],
      change,
      OWN,
    );
  }
}

function pick<Of>(all: Of[]): Of {
  return all[Math.floor(Math.random() * all.length)] as Of;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What visitors of all isolates see of all places, until it is stopped. */
class Visitors {
  visits = 0;
  /** Answers that were no version's ever. */
  readonly unheardOf: string[] = [];
  /** Answers of the isolate that writes that were of before what its API had answered. */
  readonly beforeOwn: string[] = [];
  /** Of answers that nothing else at the address ever looked like; and of all. */
  readonly worst = { unique: 0, any: 0 };
  readonly worstOf = new Map<string, number>();
  #isStopped = false;
  readonly #places: Place[];

  constructor(places: Place[]) {
    this.#places = places;
  }

  async come(isolate: Isolate, isInBursts: boolean): Promise<void> {
    const startedAt = performance.now();
    while (!this.#isStopped) {
      const since = performance.now() - startedAt;
      if (isInBursts && since % BURST.every > BURST.lasts) {
        await pause(100);
        continue;
      }
      await Promise.all(Array.from({ length: 6 }, () => this.#visit(isolate)));
      // Some hundred visits a second of each isolate: enough, on a machine that is shared.
      await pause(10);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Mostly one that changed lately. Some go away before they are answered. */
  async #visit(isolate: Isolate): Promise<void> {
    const since = performance.now() - 1.5 * FRESH_MILLISECONDS;
    const lately = this.#places.filter(({ changedAt }) => changedAt > since);
    const place = pick(lately.length > 0 && Math.random() < 0.8 ? lately : this.#places);
    if (Math.random() < 0.05) {
      await visit(isolate, { ...place, signal: AbortSignal.timeout(1) }).catch(() => undefined);
      return;
    }
    const askedAt = performance.now();
    const answer = spell(await visit(isolate, place));
    const answeredAt = performance.now();
    this.visits++;
    this.#judge(isolate, place, answer, askedAt, answeredAt);
  }

  #judge(isolate: Isolate, place: Place, answer: string, askedAt: number, answeredAt: number) {
    const seen = judge(place, answer, askedAt, answeredAt);
    const what = `${isolate.name} ${place.host}${place.path}: ${answer}`;
    if (seen.isUnheardOf) {
      this.unheardOf.push(what);
      return;
    }
    if (seen.isBeforeOwn && isolate === writer) this.beforeOwn.push(what);
    const { ageMilliseconds: age } = seen;
    this.worst.any = Math.max(this.worst.any, age);
    if (seen.isUnique) this.worst.unique = Math.max(this.worst.unique, age);
    this.worstOf.set(isolate.name, Math.max(this.worstOf.get(isolate.name) ?? 0, age));
  }
}

/** A person's visit: a crawler would be told of no pixels. */
function visit(isolate: Isolate, { host, path, signal }: Place & { signal?: AbortSignal }) {
  const headers = { "User-Agent": PERSON, Cookie: "signpost_consent=yes.1" };
  return ask(isolate, { host, path, headers, ...(signal && { signal }) });
}

/** What comes to be at a place, and how. */
interface Turn {
  answer: string;
  /** What visitors see nothing of yet. */
  prepare?: () => Promise<unknown>;
  set: () => Promise<unknown>;
  isOwn: boolean;
}

/** The states of a workspace, a domain, a pixel and a page, each seen at one address of its own. */
async function switchStates(
  until: () => boolean,
): Promise<{ places: Place[]; done: Promise<number> }> {
  const places: Place[] = [];
  const work: Promise<number>[] = [];
  const rotate = async (place: Place, everyMilliseconds: number, next: () => Turn) => {
    let made = 0;
    await pause(Math.random() * everyMilliseconds);
    while (!until()) {
      const { answer, prepare, set, isOwn } = next();
      await prepare?.();
      await becomes([[place, answer]], set, { isOwn });
      made++;
      await pause(everyMilliseconds);
    }
    return made;
  };
  const either = (...turns: [Turn, Turn]) => {
    let at = 0;
    return () => turns[++at % 2] as Turn;
  };
  const addLink = async (host: string, workspace: { key: string }, more: object = {}) => {
    const { destination, settings, answer } = newVersion();
    const place = newLinkPlace(host, answer);
    const body = { destination, settings: { ...settings, ...more }, slug: place.slug };
    const domain = domainOf.get(host);
    const given = { ...body, ...(domain && { domain }) };
    const { data } = await send("POST", LINKS, workspace.key, given);
    await send("PATCH", `${LINKS}/${data.id}`, workspace.key, { status: "active" });
    places.push(place);
    return { place, answer };
  };
  const domainOf = new Map<string, string>();
  for (let one = 0; one < 4; one++) {
    const workspace = await createWorkspace();
    const { place, answer } = await addLink(PLATFORM, workspace);
    const path = `/admin/v1/workspaces/${workspace.id}`;
    const status = (to: string) => () => send("PATCH", path, ADMIN_TOKEN, { status: to });
    const turns = either(
      { answer, set: status("active"), isOwn: true },
      { answer: GONE, set: status("suspended"), isOwn: true },
    );
    work.push(rotate(place, SWITCHES_EVERY_MILLISECONDS, turns));
  }
  for (let one = 0; one < 4; one++) {
    const workspace = await createWorkspace();
    const host = `go.switched-${one}.example`;
    const domain = await addDomain(workspace.id, host);
    domainOf.set(host, domain);
    const { place, answer } = await addLink(host, workspace);
    const disabled = (to: number) => () =>
      run("UPDATE domains SET disabled = ? WHERE id = ?", to, domain);
    const turns = either(
      { answer, set: disabled(0), isOwn: false },
      { answer: NOTHING, set: disabled(1), isOwn: false },
    );
    work.push(rotate(place, SWITCHES_EVERY_MILLISECONDS, turns));
  }
  for (let one = 0; one < 2; one++) {
    const workspace = await createWorkspace();
    const pixel = crypto.randomUUID();
    await run(
      `INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
       VALUES (?, ?, 'P', 'meta', '1', 0, 0)`,
      pixel,
      workspace.id,
    );
    const { place } = await addLink(PLATFORM, workspace, { pixels: [pixel] });
    place.versions = newPlace(PLATFORM, place.path, "200 pixel 1").versions;
    let tag = 1;
    const next = () => {
      const to = String(++tag);
      const set = () => run("UPDATE pixels SET tag = ? WHERE id = ?", to, pixel);
      return { answer: `200 pixel ${to}`, set, isOwn: false };
    };
    work.push(rotate(place, RETAGS_EVERY_MILLISECONDS, next));
  }
  for (let one = 0; one < 3; one++) {
    const { key } = await createWorkspace();
    const handle = `fresh-${randomBytes(5).toString("hex")}`;
    let version = 1;
    const { data } = await send("POST", PAGES, key, { handle, title: `page ${version}` });
    const path = `${PAGES}/${data.id}`;
    const publish = () => send("POST", `${path}/publish`, key);
    await publish();
    const place = newPlace(PLATFORM, `/@${handle}`, `200 page ${version}`);
    places.push(place);
    const next = () => {
      const isNext = !place.versions.at(-1)?.answer.startsWith("200") || !mayBecome(place, NOTHING);
      if (!isNext)
        return { answer: NOTHING, set: () => send("POST", `${path}/unpublish`, key), isOwn: true };
      const title = `page ${++version}`;
      const prepare = () => send("PATCH", path, key, { title });
      return { answer: `200 ${title}`, prepare, set: publish, isOwn: true };
    };
    work.push(rotate(place, REPUBLISHES_EVERY_MILLISECONDS, next));
  }
  const done = Promise.all(work).then((made) => made.reduce((sum, one) => sum + one, 0));
  return { places, done };
}

describe("several isolates over one database, under load", () => {
  test("answer nothing that changed more than ten seconds ago, and no mix of two versions", async () => {
    const workspace = await createWorkspace();
    const domains = new Map<string, string>();
    for (const host of HOSTS) domains.set(host, await addDomain(workspace.id, host));
    const lanes = Array.from({ length: LANES }, () => new Lane(workspace, domains));
    let isOver = false;
    const switched = await switchStates(() => isOver);
    const visitors = new Visitors([...lanes.flatMap(({ places }) => places), ...switched.places]);
    const load = isolates.all.map((isolate, at) =>
      visitors.come(isolate, at === isolates.all.length - 1),
    );
    const begunAt = performance.now();
    const made = () => lanes.reduce((sum, lane) => sum + lane.made, 0);
    const changing = lanes.map(async (lane) => {
      while (made() < CHANGES) {
        await lane.change();
        await pause(Math.random() * 700);
      }
    });
    const cleaning = (async () => {
      for (const part of [0.4, 0.6, 0.8]) {
        while (made() < part * CHANGES) await pause(100);
        await run("UPDATE address_changes SET at = at - 7200");
        await isolates.tick();
      }
      // More than one reading of the log takes, at once.
      await run(
        `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 1500)
         INSERT INTO address_changes (scope, name) SELECT 'address', '/of-nobody' FROM each`,
      );
    })();
    await Promise.all([...changing, cleaning]);
    isOver = true;
    const switches = await switched.done;
    // Nothing changes any more: what is stale for ever shows now.
    await pause(FRESH_MILLISECONDS);
    visitors.stop();
    await Promise.all(load);
    const stale: string[] = [];
    for (const isolate of isolates.all) {
      for (const place of [...lanes.flatMap(({ places }) => places), ...switched.places]) {
        const answer = spell(await visit(isolate, place));
        const last = place.versions.at(-1)?.answer;
        if (answer !== last) stale.push(`${isolate.name}${place.path}: ${answer}, not ${last}`);
      }
    }
    const ages = [...visitors.worstOf].map(([name, age]) => `${name} ${Math.round(age)} ms`);
    console.log(
      `${made()} changes and ${switches} switches in ${Math.round((performance.now() - begunAt) / 1000)} s, ${visitors.visits} visits: worst age of an answer ${Math.round(visitors.worst.any)} ms, of one like no other ${Math.round(visitors.worst.unique)} ms (${ages.join(", ")})`,
    );
    expect(stale).toEqual([]);
    expect(visitors.unheardOf).toEqual([]);
    expect(visitors.beforeOwn).toEqual([]);
    expect(made()).toBeGreaterThanOrEqual(CHANGES);
    expect(visitors.visits).toBeGreaterThan(5000);
    // Some are stale for a while, or this test would see nothing.
    expect(visitors.worst.unique).toBeGreaterThan(100);
    expect(visitors.worst.any).toBeLessThanOrEqual(FRESH_MILLISECONDS);
  });
});

describe("a visitor who goes away in the middle of a look-up", () => {
  test("leaves nobody waiting who came for the same", async () => {
    const workspace = await createWorkspace();
    const slugs = Array.from({ length: 40 }, () => `gone-${randomBytes(5).toString("hex")}`);
    await run(
      `INSERT INTO links (id, workspace_id, slug, slug_key, destination, status, disabled,
         http_status, forward_query, sensitive_content, utm, pixels, revision, created_at, updated_at)
       SELECT value, ?1, value, value, 'https://example.com/', 'active', 0, 302, 0, 0, '{}', '[]',
         'r', 0, 0 FROM json_each(?2)`,
      workspace.id,
      JSON.stringify(slugs),
    );
    let slowest = 0;
    let left = 0;
    for (const [at, slug] of slugs.entries()) {
      const isolate = isolates.all[at % isolates.all.length] as Isolate;
      const path = `/${slug}`;
      const askedAt = performance.now();
      const leaving = ask(isolate, { path, signal: AbortSignal.timeout(1 + (at % 3)) }).catch(
        () => {
          left++;
        },
      );
      const staying = Array.from({ length: 4 }, async () => {
        await pause(1);
        const { status } = await ask(isolate, { path });
        slowest = Math.max(slowest, performance.now() - askedAt);
        return status;
      });
      expect(await Promise.all(staying)).toEqual([302, 302, 302, 302]);
      await leaving;
    }
    console.log(
      `${left} visitors left; the slowest of the others had its answer in ${Math.round(slowest)} ms`,
    );
    expect(left).toBeGreaterThan(0);
    expect(slowest).toBeLessThan(3000);
  });
});
