/** An answer to a generated client, and what it had sent. */
export interface Exchange {
  client: string;
  method: string;
  path: string;
  query: Record<string, string>;
  sent: unknown;
  status: number;
  headers: [string, string][];
  answered: unknown;
}

/** A fetch that keeps what went over it. */
export function recordingFetch(client: string, exchanges: Exchange[]) {
  return async (request: Request): Promise<Response> => {
    const isJson = request.headers.get("Content-Type")?.startsWith("application/json");
    const sent = isJson ? parse(await request.clone().text()) : undefined;
    // An address of its own for each, past limits by address.
    const [a, b, c] = crypto.getRandomValues(new Uint8Array(3));
    request.headers.set("CF-Connecting-IP", `10.${a}.${b}.${c}`);
    const answer = await fetch(request);
    const { pathname, searchParams } = new URL(request.url);
    exchanges.push({
      client,
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      sent,
      status: answer.status,
      headers: [...answer.headers],
      answered: readAnswer(answer, await answer.clone().text()),
    });
    return answer;
  };
}

/** A file is a text to its schema. */
function readAnswer({ headers }: Response, text: string): unknown {
  const isJson = headers.get("Content-Type")?.startsWith("application/json") ?? true;
  return isJson ? parse(text) : text;
}

function parse(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** What the two generated clients answer alike. */
type Outcome<Data, Refused> = (
  | { data: Data; error?: undefined }
  | { data?: undefined; error: Refused }
) & { response?: Response };

/** The data of a call that must succeed, with the answer's ETag. */
export async function taken<Data, Refused>(
  call: Promise<Outcome<Data, Refused>>,
): Promise<{ data: Exclude<Data, undefined>; etag: string; status: number }> {
  const { data, error, response } = await call;
  if (error !== undefined || !response?.ok) {
    throw new Error(`${response?.url} answered ${response?.status}: ${JSON.stringify(error)}`);
  }
  const etag = response.headers.get("ETag") ?? "";
  return { data: data as Exclude<Data, undefined>, etag, status: response.status };
}

/** Asserts that a call is refused, and how; the clients must know what a refusal looks like. */
export async function refused<Data, Refused extends { code: string; message: string }>(
  call: Promise<Outcome<Data, Refused>>,
  status: number,
  code: string,
): Promise<void> {
  const { error, response } = await call;
  if (response?.status !== status || error?.code !== code) {
    const got = `${response?.status} ${JSON.stringify(error)}`;
    throw new Error(`${response?.url}: expected ${status} ${code}, got ${got}`);
  }
}

/** Asks again until something is so. */
export async function until<Data>(
  ask: () => Promise<Data>,
  isSo: (data: Data) => boolean,
): Promise<Data> {
  for (let tries = 0; tries < 100; tries++) {
    const data = await ask();
    if (isSo(data)) return data;
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error("It never came to be so.");
}

/** Where a journey goes: a server, its operator's token, and hosts that the server reaches. */
export interface Stage {
  origin: string;
  adminToken: string;
  /** Takes webhooks: answers 200, and 500 below `/failing`. */
  receiver: string;
  /** Sets what the resolver that the server asks knows of hosts. */
  resolverZone: string;
}

/** Makes the DNS records of a domain. */
export async function createRecords(
  { resolverZone }: Stage,
  host: string,
  records: { type: string; name: string; value: string }[],
): Promise<void> {
  const zone: Record<string, object> = {};
  for (const { type, name, value } of records) {
    zone[name] = { ...zone[name], ...(type === "TXT" ? { TXT: [value] } : { CNAME: value }) };
  }
  await fetch(resolverZone, { method: "PUT", body: JSON.stringify({ [host]: {}, ...zone }) });
}

/** The id of what was made, where an answer may also be of what was not. */
export function idOf(made: { id: string } | { dry_run: true }): string {
  if (!("id" in made)) throw new Error("Nothing was made.");
  return made.id;
}
