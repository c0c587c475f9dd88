import { type Schema, validate } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/event-types.ts";
import { hasLostField } from "../../src/events/closed-schema.ts";
import type { EventType } from "../../src/events/event-type.ts";
import { newEvent } from "../../src/events/events.service.ts";
import { postEvents } from "../../src/features/publishing/posts.events.ts";
import { publish, WEBHOOKS } from "../support/webhooks.ts";
import { createWorkspace } from "../support/workspace.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Data = Record<string, Json>;

/** Texts that are nearly of a format, and others. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.webUrl({
    withFragments: true,
    withQueryParameters: true,
    validSchemes: ["http", "https", "ftp"],
  }),
  fc.emailAddress(),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    "",
    " ",
    "all",
    "active",
    "whatsapp",
    "queued",
    "failed",
    "00000000-0000-0000-0000-000000000000",
    "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a1",
    "urn:uuid:0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
    "2026-02-30T00:00:00Z",
    "2024-02-29T00:00:00.1Z",
    "2026-11-20T08:00:00+01:00",
    "2026-11-20t08:00:00z",
    "2026-11-20T08:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T23:59:60Z",
    "2026-11-20T08:00:00.000Z\n",
    "2026-11-20",
    "https://example.com",
    "HTTPS://user:pass@example.com:8443/a%20b?c=d#e",
    "https://example.com/grüße",
    "https://example.com/a b",
    "https://example.com/%zz",
    "https://example.com/[1]",
    "https://example.com/\n",
    " https://example.com/",
    "https:example.com",
    "https://",
    "https://a:b:c/",
    "https://[::1]/",
    "https://1.2.3.999/",
    "https://xn--a/",
    "https://example.com:99999/",
    "javascript:alert(1)",
    "mailto:ada@example.com",
    "example.com",
    "ada@example",
  ),
);
const names = fc.constantFrom(
  "id",
  "name",
  "error",
  "x",
  "",
  "__proto__",
  "constructor",
  "toString",
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 2 }).map(objectOf),
  ),
})).value;

/** As `JSON.parse` makes it: a field named `__proto__` is one like any other. */
function objectOf(fields: [string, Json][]): Data {
  const made: Data = {};
  for (const [name, value] of fields) {
    Object.defineProperty(made, name, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return made;
}

/** All places in data: the names that lead there. */
function placesIn(value: Json, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name])),
  ];
}

/** The data with the value at a place made anew. */
function remade(
  value: Json,
  [name, ...rest]: string[],
  make: (old: Json) => Json | undefined,
): Json {
  if (name === undefined) return make(value) ?? null;
  if (Array.isArray(value)) {
    return value.map((one, at) => (String(at) === name ? remade(one, rest, make) : one));
  }
  const fields = Object.entries(value as Data).flatMap(([field, inner]): [string, Json][] => {
    if (field !== name) return [[field, inner]];
    if (rest.length > 0) return [[field, remade(inner, rest, make)]];
    const made = make(inner);
    return made === undefined ? [] : [[field, made]];
  });
  return objectOf(fields);
}

/** Something done to data at one of its places. */
const mutations = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom("replace", "remove", "add", "append"),
  name: fc.oneof(names, fc.string({ maxLength: 5 })),
  value: json,
});
type Mutation = typeof mutations extends fc.Arbitrary<infer One> ? One : never;

function mutate(data: Json, { place, kind, name, value }: Mutation): Json {
  const places = placesIn(data);
  const path = places[place % places.length] ?? [];
  return remade(data, path, (old) => {
    if (kind === "remove") return undefined;
    if (kind === "append" && Array.isArray(old)) return [...old, value];
    if (kind === "add" && typeof old === "object" && old !== null && !Array.isArray(old)) {
      return objectOf([...Object.entries(old), [name, value]]);
    }
    return value;
  });
}

/** Samples with what they leave null filled in. */
function startsOf(type: EventType): Data[] {
  const sample = type.sample as Data;
  const template = { name: "order_update", params: { name: "Ada", order: "4711" } };
  return "template" in sample ? [sample, { ...sample, template }] : [sample];
}

async function publishedSchemas(): Promise<Map<string, Schema>> {
  const { body } = await (await createWorkspace()).send("GET", `${WEBHOOKS}/events`);
  return new Map(
    body.data.map(({ event, schema }: { event: string; schema: Schema }) => [event, schema]),
  );
}

function isPublished(schema: Schema | undefined, data: Json): boolean {
  if (!schema) throw new Error("There is no such event.");
  return validate(data, schema, "2020-12").valid;
}

function isTaken(type: EventType, data: Json): boolean {
  return type.data.safeParse(data).success && !hasLostField(data);
}

describe("what is checked of an event's data", () => {
  it("is what its published JSON Schema says, of whatever becomes of its sample", async () => {
    const schemas = await publishedSchemas();
    const counts = { taken: 0, refused: 0 };
    for (const type of EVENT_TYPES) {
      const changed = fc.tuple(
        fc.constantFrom(...startsOf(type)),
        fc.array(mutations, { minLength: 1, maxLength: 3 }),
      );
      fc.assert(
        fc.property(changed, ([start, changes]) => {
          const data = changes.reduce<Json>(mutate, start);
          const published = isPublished(schemas.get(type.name), data);
          counts[published ? "taken" : "refused"]++;
          expect([data, isTaken(type, data)]).toEqual([data, published]);
        }),
        { numRuns: 400 },
      );
    }
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(100);
  });

  it("is so for every text as a time or an address", async () => {
    const schemas = await publishedSchemas();
    const { published } = postEvents;
    const fields = fc.constantFrom("id", "url", "published_at");
    fc.assert(
      fc.property(fields, texts, (field, text) => {
        const data = { ...published.sample, [field]: text };
        expect([data, isTaken(published, data)]).toEqual([
          data,
          isPublished(schemas.get(published.name), data),
        ]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the intake", () => {
  const contact = { event: "salesbot.contact.created", channel: "whatsapp" };
  const message = { event: "salesbot.message.sent", channel: "whatsapp" };
  const samples = new Map<string, object>(EVENT_TYPES.map(({ name, sample }) => [name, sample]));

  it("takes a contact of a publisher that does not say yet what changed or is left out", async () => {
    const { changed: _, custom_left_out: __, ...older } = Object(samples.get(contact.event));
    expect((await publish(await createWorkspace(), contact, older)).status).toBe(202);
  });

  it.each([
    [contact, '{"loyalty": 1}', "data.loyalty"],
    [contact, '{"custom": {"a": {"b": 1}}}', "data.custom.a"],
    [contact, '{"custom": {"__proto__": {"b": 1}}}', "data"],
    [contact, '{"__proto__": {"b": 1}}', "data.__proto__"],
    [contact, '{"tags": ["vip"]}', "data.tags.0"],
    [contact, '{"created_at": "2026-11-20T08:00:00+01:00"}', "data.created_at"],
    [
      message,
      '{"template": {"name": "a", "params": {}, "language": "en"}}',
      "data.template.language",
    ],
    [undefined, '{"url": "https:example.com"}', "data.url"],
    [undefined, '{"url": "https://example.com/grüße"}', "data.url"],
    [undefined, '{"url": "javascript:alert(1)"}', "data.url"],
    [undefined, '{"network": "x"}', "data.network"],
  ])("refuses of %j with %s its %s", async (event, more, field) => {
    const sample = samples.get(event?.event ?? "publishing.post.published");
    // Written by hand: an object literal has no field `__proto__`.
    const data = JSON.parse(`${JSON.stringify(sample).slice(0, -1)}, ${more.slice(1)}`);
    const { status, body } = await publish(await createWorkspace(), event, data);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
  });

  it("takes every event's sample, with a percent-encoded address too", async () => {
    const workspace = await createWorkspace();
    for (const { name, channels } of EVENT_TYPES) {
      const answer = await publish(workspace, { event: name, channel: channels[0] ?? "" });
      expect([name, answer.status]).toEqual([name, 202]);
    }
    const url = "https://social.example/gr%C3%BC%C3%9Fe?a=1#top";
    const data = { ...postEvents.published.sample, url };
    expect((await publish(workspace, undefined, data)).status).toBe(202);
  });
});

describe("an event of ours", () => {
  it("holds no field that is not published", () => {
    const { published } = postEvents;
    const data = { ...published.sample, more: 1 };
    expect(() =>
      newEvent({ workspaceId: crypto.randomUUID() }, published, { channel: "all", data }),
    ).toThrow("publishing.post.published does not fit its schema");
  });
});
