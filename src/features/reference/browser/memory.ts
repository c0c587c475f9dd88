/** What this tab knows of earlier answers. Gone with the tab, and so is the key. */
interface Known {
  /** The last record of each collection, by its path. */
  ids: Record<string, string>;
  /** … and by its last piece: `links`. */
  kinds: Record<string, string>;
  /** The last `ETag` of each path. */
  etags: Record<string, string>;
}

const PLACE = "signpost-docs-known";
const MAX_ETAGS = 200;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

/** What was kept; null also where nothing may be. */
export function read(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text in this tab; an empty one is forgotten. */
export function keep(name: string, value: string): void {
  try {
    if (value === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // Kept by the page alone, then.
  }
}

const known: Known = { ids: {}, kinds: {}, etags: {}, ...kept() };

/** Only what is as this script writes it: every page of the origin can write there. */
function kept(): Partial<Known> {
  try {
    const found = JSON.parse(read(PLACE) ?? "{}") ?? {};
    const isTexts = (part: unknown) =>
      typeof part === "object" &&
      part !== null &&
      Object.values(part).every((text) => typeof text === "string");
    return [found.ids, found.kinds, found.etags].every(isTexts) ? found : {};
  } catch {
    return {};
  }
}

export function kindOf(collection: string): string {
  return collection.split("/").at(-1) ?? "";
}

/** What paths name a record of a list by: its id, or as for `versions` its `version`. */
export function nameIn(record: unknown, collection: string): string | undefined {
  const fields = (record ?? {}) as Record<string, unknown>;
  if (isId(fields.id)) return fields.id;
  const name = fields[kindOf(collection).replace(/s$/, "")];
  return typeof name === "number" ? String(name) : undefined;
}

/** The last record of a collection; of one that cannot be asked, the last of its kind. */
export function knownId(collection: string, isListed: boolean): string | undefined {
  if (isListed || known.ids[collection]) return known.ids[collection];
  // What `recover` makes is one of `recoveries`.
  const kinds = Object.keys(known.kinds).filter((kind) => kindOf(collection).startsWith(kind));
  return known.kinds[kinds.at(-1) ?? ""];
}

export function knownKind(kind: string): string | undefined {
  return known.kinds[kind];
}

/** The last `ETag` of what is at a path; else that of the record which it is a part of. */
export function knownEtag(path: string, record: string): string | undefined {
  return known.etags[path] ?? known.etags[record];
}

export function rememberId(collection: string, id: string): void {
  known.ids[collection] = id;
  known.kinds[kindOf(collection)] = id;
}

/** What an answer tells of the records that it is about. */
export function rememberAnswer(
  method: string,
  path: string,
  answer: { status: number; etag: string | null; body: unknown },
  named: string[],
): void {
  const data = (answer.body as { data?: unknown } | undefined)?.data;
  const id = (data as { id?: unknown } | undefined)?.id;
  const [collection, last] = [path.slice(0, path.lastIndexOf("/")), path.split("/").at(-1)];
  const isOk = answer.status < 300;
  if (isOk && Array.isArray(data)) {
    const first = nameIn(data[0], path);
    if (first && !known.ids[path]) rememberId(path, first);
  } else if (isOk && isId(id) && (id === last || !path.includes(id))) {
    rememberId(id === last ? collection : path, id);
  }
  // It puts others in the place of those that are known.
  if (isOk && method === "PUT") delete known.ids[path];
  if (isOk && method === "DELETE" && isId(last)) forgetId(last);
  if (isOk && last?.endsWith("-delete")) for (const gone of named) forgetId(gone);
  if (answer.status === 412) forgetEtags(path);
  if (isOk && method !== "GET") for (const place of [path, ...named]) forgetEtags(place);
  if (isOk && answer.etag) {
    const isMade = method === "POST" && isId(id) && !path.includes(id);
    known.etags[isMade ? `${path}/${id}` : path] = answer.etag;
    // What is done to a record gives it another revision.
    if (isId(id) && path.includes(`/${id}/`)) {
      known.etags[path.slice(0, path.indexOf(id) + id.length)] = answer.etag;
    }
  }
  for (const place of Object.keys(known.etags).slice(0, -MAX_ETAGS)) delete known.etags[place];
  keep(PLACE, JSON.stringify(known));
}

/** By a path, or the id of a record. A change of a part changes the whole, and of the whole perhaps its parts. */
function forgetEtags(path: string): void {
  const pieces = path.split("/");
  const first = pieces.findIndex(isId);
  const record = first < 0 ? path : pieces.slice(0, first + 1).join("/");
  for (const place of Object.keys(known.etags)) {
    if (place.startsWith(record) || (isId(path) && place.includes(path))) delete known.etags[place];
  }
}

/** A record is gone. */
export function forgetId(id: string): void {
  for (const ids of [known.ids, known.kinds]) {
    for (const [place, one] of Object.entries(ids)) if (one === id) delete ids[place];
  }
  for (const place of Object.keys(known.etags)) if (place.includes(id)) delete known.etags[place];
  keep(PLACE, JSON.stringify(known));
}
