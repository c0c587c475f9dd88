/**
 * What the client must do, in whatever runtime this is bundled for: it uses nothing but what all of
 * them have. Each check names itself, and throws.
 */
import { Signpost, SignpostError } from "../../../packages/client/src/index.ts";
import { SignpostOperator } from "../../../packages/client/src/operator.ts";
import { verifyWebhook, WebhookError } from "../../../packages/client/src/webhooks.ts";

/** What the checks need, as plain data. */
export interface Stage {
  /** Of the proxy: see `proxy.ts`. */
  origin: string;
  apiKey: string;
  adminToken: string;
  workspace: string;
  /** A webhook as it came from the Worker. */
  webhook: { headers: Record<string, string>; body: string; secret: string };
  /** A PNG in base64. */
  picture: string;
}

export interface Outcome {
  name: string;
  fault?: string;
}

type Check = (stage: Stage) => Promise<void>;

let number = 0;

/** A client that meets a fault at its first request: see `proxy.ts`. */
function clientThat(fault: string, { origin, apiKey }: Stage, more = {}): Signpost {
  const place = `${fault}/${crypto.getRandomValues(new Uint32Array(1))[0]}${number++}`;
  return new Signpost({ baseUrl: `${origin}/${place}`, apiKey, ...more });
}

function equal(actual: unknown, expected: unknown, what = "value"): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what}: expected ${other}, got ${one}`);
}

async function refusal(work: Promise<unknown>): Promise<SignpostError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SignpostError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

function faultOf(work: () => unknown): TypeError {
  try {
    work();
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

function unique(): string {
  return `t${Date.now()}x${number++}x${Math.random().toString(36).slice(2, 8)}`;
}

async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}

async function linksTo(signpost: Signpost, destination: string): Promise<{ id: string }[]> {
  return allOf(signpost.links.list({ search: destination }));
}

export const CHECKS: Record<string, Check> = {
  "makes, reads, changes and deletes a link": async (stage) => {
    const signpost = clientThat("none", stage);
    const made = await signpost.links.create({ destination: "https://example.com/a" });
    equal(made.status, "paused");
    const read = await signpost.links.get(made.id);
    equal(read.clicks, 0);
    const changed = await signpost.links.update(
      made.id,
      { status: "active" },
      { ifMatch: made.revision },
    );
    equal(changed.status, "active");
    const stale = { ifMatch: made.revision };
    const error = await refusal(signpost.links.update(made.id, { title: "No" }, stale));
    equal([error.status, error.code], [412, "precondition_failed"]);
    await signpost.links.delete(made.id);
    equal((await refusal(signpost.links.get(made.id))).status, 404);
  },

  "walks a list by records and by pages, and awaits one page": async (stage) => {
    const signpost = clientThat("none", stage);
    const slug = unique();
    for (let at = 0; at < 5; at++) {
      await signpost.links.create({ destination: "https://example.com/", slug: `${slug}-${at}` });
    }
    const query = { search: slug };
    const slugs = (await allOf(signpost.links.list({ ...query, limit: 2 }))).map(
      (link) => link.slug,
    );
    equal(
      slugs,
      [4, 3, 2, 1, 0].map((at) => `${slug}-${at}`),
    );
    const sizes: number[] = [];
    for await (const page of signpost.links.list({ ...query, limit: 2 }).pages()) {
      sizes.push(page.data.length);
    }
    equal(
      sizes.reduce((sum, size) => sum + size),
      5,
    );
    if (sizes.length < 3) throw new Error(`Pages of ${sizes}.`);
    const page = await signpost.links.list({ limit: 2 });
    equal([page.data.length, typeof page.next_cursor], [2, "string"]);
    const rest = await signpost.links.list({ limit: 2, cursor: page.next_cursor ?? "" });
    equal(
      rest.data.some(({ id }) => page.data.some((other) => other.id === id)),
      false,
    );
  },

  "changes a record that others change at the same time": async (stage) => {
    const signpost = clientThat("none", stage);
    const { id } = await signpost.links.create({ destination: "https://example.com/", title: "a" });
    let turns = 0;
    const changed = await signpost.links.update(id, async (link) => {
      if (turns++ === 0) {
        await signpost.links.update(id, { title: "b" }, { ifMatch: "*" });
      }
      return { title: `${link.title}c` };
    });
    equal([turns, changed.title], [2, "bc"]);
    const kept = await signpost.links.update(id, () => undefined);
    equal(kept.revision, changed.revision);
  },

  "answers the same when a key is used again": async (stage) => {
    const signpost = clientThat("none", stage);
    const replays: (string | null)[] = [];
    const options = {
      idempotencyKey: unique(),
      onResponse: ({ headers }: { headers: Headers }) =>
        replays.push(headers.get("Idempotency-Replayed")),
    };
    const body = { destination: "https://example.com/same" };
    const first = await signpost.links.create(body, options);
    const second = await signpost.links.create(body, options);
    equal([second.id, replays], [first.id, [null, "true"]]);
    const other = { destination: "https://example.com/other" };
    const error = await refusal(signpost.links.create(other, options));
    equal([error.status, error.code], [409, "idempotency_key_reused"]);
  },

  "makes one record though the answer was lost": async (stage) => {
    const signpost = clientThat("lose", stage);
    const destination = `https://example.com/${unique()}`;
    let replayed: string | null = null;
    const onResponse = ({ headers }: { headers: Headers }) => {
      replayed = headers.get("Idempotency-Replayed");
    };
    const made = await signpost.links.create({ destination }, { onResponse });
    equal(replayed, "true");
    equal(
      (await linksTo(signpost, destination)).map(({ id }) => id),
      [made.id],
    );
  },

  "tries again when the connection is cut, or a proxy answers": async (stage) => {
    for (const fault of ["cut", "replace"]) {
      const link = await clientThat(fault, stage).links.create({
        destination: "https://a.example/",
      });
      equal(link.status, "paused", fault);
    }
    const options = { maxRetries: 1 };
    const error = await refusal(clientThat("replace-always", stage, options).links.list().then());
    equal([error.status, error.code], [502, "unexpected_answer"]);
  },

  "waits as long as Retry-After says": async (stage) => {
    const begun = Date.now();
    await clientThat("limit", stage).links.list();
    const waited = Date.now() - begun;
    if (waited < 990) throw new Error(`Waited ${waited} ms.`);
    const hasty = clientThat("limit", stage, { maxWaitSeconds: 0.5 });
    const error = await refusal(hasty.links.list().then());
    equal([error.status, error.code, error.retryAfterSeconds], [429, "rate_limited", 1]);
  },

  "gives an attempt its time, and makes another": async (stage) => {
    const signpost = clientThat("late", stage, { timeoutSeconds: 1 });
    const destination = `https://example.com/${unique()}`;
    const made = await signpost.links.create({ destination });
    // What was late is run all the same, under the same key.
    await new Promise((resolve) => setTimeout(resolve, 3500));
    equal(
      (await linksTo(signpost, destination)).map(({ id }) => id),
      [made.id],
    );
    const impatient = clientThat("late", stage, { timeoutSeconds: 0.5, maxRetries: 0 });
    const error = await refusal(impatient.links.list().then());
    equal([error.status, error.code], [0, "timeout"]);
  },

  "ends when it is told to, in an attempt or between two": async (stage) => {
    for (const fault of ["late", "limit"]) {
      const controller = new AbortController();
      const reason = new Error("Enough.");
      const { signal } = controller;
      const begun = Date.now();
      const onResponse = () => setTimeout(() => controller.abort(reason), 50);
      if (fault === "late") setTimeout(() => controller.abort(reason), 200);
      const work = clientThat(fault, stage).links.get(stage.workspace, { signal, onResponse });
      equal(await work.catch((error) => error === reason), true, fault);
      if (Date.now() - begun > 900) throw new Error(`${fault}: it went on.`);
    }
  },

  "is ended by its own signal while an update waits for its turn": async (stage) => {
    const steady = clientThat("none", stage);
    const { id } = await steady.links.create({ destination: "https://example.com/", title: "a" });
    const controller = new AbortController();
    const reason = new Error("Enough.");
    let [refusals, ended] = [0, 0];
    const onResponse = ({ status }: { status: number }) => {
      if (status !== 412 || ++refusals < 5) return;
      setTimeout(() => {
        ended = Date.now();
        controller.abort(reason);
      }, 50);
    };
    const signpost = clientThat("none", stage, { signal: controller.signal, onResponse });
    const { random } = Math;
    // The longest waits: the fifth is of 1.6 seconds.
    Math.random = () => 0.999;
    try {
      const work = signpost.links.update(id, async (link) => {
        await steady.links.update(id, { title: `${link.title}b` }, { ifMatch: "*" });
        return { title: "c" };
      });
      equal(await work.catch((error) => error === reason), true);
    } finally {
      Math.random = random;
    }
    if (Date.now() - ended > 900) throw new Error("It waited on.");
  },

  "takes times longer than a timer can be": async (stage) => {
    for (const timeoutSeconds of [Number.POSITIVE_INFINITY, 3_000_000]) {
      await clientThat("none", stage, { timeoutSeconds, maxRetries: 0 }).links.list();
    }
    const controller = new AbortController();
    const { signal } = controller;
    let answers = 0;
    const onResponse = () => {
      answers++;
      setTimeout(() => controller.abort(new Error("Enough.")), 500);
    };
    const options = { signal, onResponse, maxWaitSeconds: Number.POSITIVE_INFINITY };
    const work = clientThat("limit-long", stage, options).links.list();
    equal(await work.then(String, String), "Error: Enough.");
    equal(answers, 1, "answers");
  },

  "does not try a redirect again": async (stage) => {
    let answers = 0;
    const onResponse = () => answers++;
    const signpost = clientThat("redirect-always", stage, { onResponse });
    equal((await refusal(signpost.links.list().then())).code, "unexpected_answer");
    equal(answers, 1, "answers");
  },

  "takes no record for deleted when nothing was run": async (stage) => {
    const error = await refusal(clientThat("overload", stage).links.delete(stage.workspace));
    equal([error.status, error.code], [404, "not_found"]);
  },

  "takes no record for deleted when a proxy has no such page": async (stage) => {
    const steady = clientThat("none", stage);
    const { id } = await steady.links.create({ destination: "https://example.com/" });
    const error = await refusal(clientThat("missing-always", stage).links.delete(id));
    equal([error.status, error.code], [404, "unexpected_answer"]);
    equal((await steady.links.get(id)).id, id);
  },

  "tells the key also where it cannot know what became of the request": async (stage) => {
    const { id, revision } = await clientThat("none", stage).contacts.create({ name: "Ada" });
    await clientThat("none", stage).contacts.update(id, { name: "Eve" }, { ifMatch: revision });
    const idempotencyKey = unique();
    const options = { ifMatch: revision, idempotencyKey };
    const error = await refusal(clientThat("replace", stage).contacts.erase(id, options));
    equal([error.code, error.idempotencyKey], ["outcome_unknown", idempotencyKey]);
  },

  "tells the key of a request that failed, to send it again with": async (stage) => {
    const destination = `https://example.com/${unique()}`;
    const hasty = clientThat("lose", stage, { maxRetries: 0 });
    const { idempotencyKey = "" } = await refusal(hasty.links.create({ destination }));
    const made = await hasty.links.create({ destination }, { idempotencyKey });
    equal(
      (await linksTo(hasty, destination)).map(({ id }) => id),
      [made.id],
    );
    const read = await refusal(hasty.links.get(stage.workspace));
    equal(read.idempotencyKey, undefined);
  },

  "tells by its error what was wrong": async (stage) => {
    const signpost = clientThat("none", stage);
    const wrong = await refusal(signpost.links.create({ destination: "nowhere" }));
    equal([wrong.status, wrong.code, wrong.replayed], [422, "validation_failed", false]);
    equal(Object.keys(wrong.errors ?? {}), ["destination"]);
    equal(/^[0-9a-f-]{36}$/.test(wrong.requestId ?? ""), true, "request id");
    if (!wrong.message.includes("destination: ")) throw new Error(wrong.message);
    const contact = await signpost.contacts.create({
      name: "Ada",
      channel: "sms",
      status: "opted_out",
    });
    const refused = await refusal(signpost.messages.create({ contact: contact.id, text: "Hi" }));
    equal([refused.code, refused.reason], ["message_refused", "contact_opted_out"]);
  },

  "says when it cannot know whether a change was made": async (stage) => {
    const steady = clientThat("none", stage);
    const link = await steady.links.create({ destination: "https://example.com/", title: "a" });
    const losing = clientThat("lose", stage);
    const work = losing.links.update(link.id, { title: "b" }, { ifMatch: link.revision });
    equal((await refusal(work)).code, "outcome_unknown");
    equal((await steady.links.get(link.id)).title, "b");
    await clientThat("lose", stage).links.delete(link.id);
    equal((await refusal(steady.links.get(link.id))).status, 404);
  },

  "takes no id that leads elsewhere": async (stage) => {
    const signpost = clientThat("none", stage);
    for (const id of ["", ".", ".."]) {
      const error = await (async () => signpost.links.get(id))().catch((fault) => fault);
      equal(error instanceof TypeError, true, `"${id}"`);
    }
    equal((await refusal(signpost.links.get("../links"))).status, 404);
  },

  "shows its key to nobody": async (stage) => {
    const { apiKey, origin } = stage;
    const shown: unknown[] = [];
    const signpost = clientThat("none", stage);
    const dead = new Signpost({ baseUrl: "http://127.0.0.1:1", apiKey, maxRetries: 0 });
    shown.push(signpost, signpost.links, signpost.pages.blocks, signpost.links.list());
    shown.push(await refusal(dead.links.list().then()));
    shown.push(await refusal(signpost.links.create({ destination: "nowhere" })));
    shown.push(faultOf(() => new Signpost({ baseUrl: origin, apiKey: `${apiKey}\n${apiKey}` })));
    const inAddress = origin.replace("//", `//${apiKey}:x@`);
    shown.push(faultOf(() => new Signpost({ baseUrl: inAddress, apiKey })));
    for (const value of shown) {
      for (const text of textsOf(value)) {
        if (text.includes(apiKey)) throw new Error("A key is in a string.");
      }
    }
  },

  "sends files and gets files": async (stage) => {
    const signpost = clientThat("none", stage);
    const bytes = Uint8Array.from(atob(stage.picture), (character) => character.charCodeAt(0));
    const file = await signpost.files.create(bytes);
    equal(file.type, "image/png");
    const blob = new Blob([bytes], { type: "image/png" });
    equal((await signpost.files.create(blob)).id, file.id);
    const target = { type: "url" as const, url: "https://example.com/menu" };
    const code = await signpost.qrCodes.create({ name: "Menu", target });
    const image = await signpost.qrCodes.image(code.id, { format: "svg" });
    if (!(await image.text()).startsWith("<svg")) throw new Error("No picture.");
    const job = await signpost.catalogue.imports.create(
      "id,title\nMUG-1,Mug\n",
      { dry_run: true },
      { contentType: "text/csv" },
    );
    equal((await signpost.catalogue.imports.get(job.id)).id, job.id);
  },

  "reaches what is in a page, and the operator's API": async (stage) => {
    const signpost = clientThat("none", stage);
    const page = await signpost.pages.create({ handle: unique().slice(0, 30), title: "Grace" });
    const settings = { text: "Nearest *port* first." };
    await signpost.pages.blocks.create(page.id, { type: "text", settings });
    await signpost.pages.publish(page.id);
    equal((await allOf(signpost.pages.versions.list(page.id))).length, 1);
    const { origin, adminToken, workspace } = stage;
    const operator = new SignpostOperator({ baseUrl: `${origin}/none/1`, adminToken });
    equal((await operator.workspaces.get(workspace)).id, workspace);
  },

  "knows a webhook that Signpost sent from any other": async ({ webhook }) => {
    const { headers, body, secret } = webhook;
    const now = Number(headers["webhook-timestamp"]) * 1000;
    const other = `whsec_${btoa("another secret of some length")}`;
    const { event, deliveryId } = await verifyWebhook({ headers, body }, secret, { now });
    equal([event.type, deliveryId], ["biolinks.link.created", headers["webhook-id"]]);
    if (event.type === "biolinks.link.created") equal(typeof event.data.slug, "string");
    const bytes = new TextEncoder().encode(body);
    await verifyWebhook({ headers: new Headers(headers), body: bytes }, [other, secret], { now });
    const request = new Request("https://a.example/", { method: "POST", headers, body });
    await verifyWebhook(request, secret, { now: now + 299_000 });
    const signature = headers["webhook-signature"] ?? "";
    for (const several of [`v1,AAAA v2,x ${signature}`, `${signature} v1,AAAA`]) {
      const signed = { ...headers, "webhook-signature": several };
      await verifyWebhook({ headers: signed, body }, [secret, other], { now });
    }
    const twice = { ...headers, "webhook-signature": ["v1,AAAA", signature, "v1,BBBB"] };
    await verifyWebhook({ headers: twice, body }, secret, { now });
    const appended = new Headers(headers);
    appended.append("webhook-signature", "v1,AAAA");
    await verifyWebhook({ headers: appended, body }, secret, { now });
    for (const none of ["", "whsec_"]) {
      const fault = await verifyWebhook({ headers, body }, none, { now }).catch((error) => error);
      equal(fault instanceof TypeError, true, "no secret");
    }
    const text = "No JSON";
    const signedText = {
      ...headers,
      "webhook-signature": await signatureOf(`${deliveryId}.${now / 1000}.${text}`, secret),
    };
    const wrong = [
      verifyWebhook({ headers: signedText, body: text }, secret, { now }),
      verifyWebhook({ headers, body: JSON.parse(body) }, secret, { now }),
      verifyWebhook({ headers, body: `${body} ` }, secret, { now }),
      verifyWebhook({ headers, body }, other, { now }),
      verifyWebhook({ headers, body }, [], { now }),
      verifyWebhook({ headers, body }, secret, { now: now + 301_000 }),
      verifyWebhook({ headers, body }, secret, { now: now - 301_000 }),
      ...["webhook-id", "webhook-timestamp", "webhook-signature"].flatMap((name) => [
        verifyWebhook({ headers: { ...headers, [name]: undefined }, body }, secret, { now }),
        verifyWebhook({ headers: { ...headers, [name]: "1" }, body }, secret, { now }),
      ]),
      ...[signature.slice(0, -2), `${signature}A`, signature.replace("v1,", "v2,")].map((one) =>
        verifyWebhook({ headers: { ...headers, "webhook-signature": one }, body }, secret, { now }),
      ),
    ];
    for (const [at, outcome] of (await Promise.allSettled(wrong)).entries()) {
      const isRefused = outcome.status === "rejected" && outcome.reason instanceof WebhookError;
      equal(isRefused, true, `wrong ${at}`);
    }
  },
};

/** As Standard Webhooks says. */
async function signatureOf(text: string, secret: string): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.slice(6)), (character) => character.charCodeAt(0));
  const hash = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, hash, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
}

/** All that a log or a console may make of a value. */
function textsOf(value: unknown): string[] {
  const inspect = (globalThis as { inspect?: (value: unknown) => string }).inspect;
  const own = value instanceof Error ? [value.message, value.stack ?? ""] : [];
  const cause = value instanceof Error && value.cause ? textsOf(value.cause) : [];
  return [String(value), JSON.stringify(value) ?? "", inspect?.(value) ?? "", ...own, ...cause];
}

export async function runChecks(stage: Stage): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check(stage);
      outcomes.push({ name });
    } catch (error) {
      outcomes.push({ name, fault: error instanceof Error ? (error.stack ?? "") : String(error) });
    }
  }
  return outcomes;
}
