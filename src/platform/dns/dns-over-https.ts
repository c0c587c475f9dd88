import { z } from "zod";
import { type Env, platformSettings } from "../config.ts";
import { cutOffAfter } from "../cut-off.ts";
import { isOutOfSubrequests } from "../subrequests.ts";

const TIMEOUT_MILLISECONDS = 5000;
const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

export type RecordType = keyof typeof TYPES;

const Answer = z.object({
  Status: z.number(),
  Answer: z
    .array(
      z.object({
        name: z.string(),
        type: z.number(),
        data: z.string(),
        TTL: z.number().default(0),
      }),
    )
    .optional(),
});

/** What a resolver says of a name: whether there is such a name, and its records of a type. */
export interface Resolution {
  exists: boolean;
  data: string[];
  /** For so long it may be believed; 0 where nobody says. */
  ttlSeconds: number;
}

/** The resolver could not be asked, or could not answer: nothing is known of the name. */
export class ResolverFault extends Error {
  override readonly name = "ResolverFault";
  readonly kind: "timeout" | "server_failure" | "unusable";

  constructor(host: string, kind: ResolverFault["kind"], cause?: unknown) {
    super(`The resolver failed for ${host}: ${kind}`, { cause });
    this.kind = kind;
  }
}

/** The addresses of a host name; none when there is no such name. @throws ResolverFault */
export async function resolveAddresses(env: Env, host: string): Promise<string[]> {
  return (await resolveHost(env, host)).addresses;
}

/** The same with how long they may be believed, in seconds. @throws ResolverFault */
export async function resolveHost(
  env: Env,
  host: string,
): Promise<{ addresses: string[]; ttlSeconds: number }> {
  const answers = await Promise.all([resolve(env, host, "A"), resolve(env, host, "AAAA")]);
  const found = answers.filter(({ data }) => data.length > 0);
  const ttlSeconds = found.length > 0 ? Math.min(...found.map((one) => one.ttlSeconds)) : 0;
  return { addresses: found.flatMap(({ data }) => data), ttlSeconds };
}

/** The records of one type that a name has, at the end of whatever aliases. @throws ResolverFault */
export async function resolve(env: Env, name: string, type: RecordType): Promise<Resolution> {
  const url = new URL(platformSettings.read(env).DOH_URL);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  const { signal: timeout, end } = cutOffAfter(TIMEOUT_MILLISECONDS);
  let answer: z.output<typeof Answer>;
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/dns-json" },
      signal: timeout,
    });
    answer = Answer.parse(await response.json());
  } catch (error) {
    if (isOutOfSubrequests(error)) throw error;
    throw new ResolverFault(name, timeout.aborted ? "timeout" : "unusable", error);
  } finally {
    end();
  }
  if (answer.Status === NO_SUCH_NAME) return { exists: false, data: [], ttlSeconds: 0 };
  if (answer.Status === SERVER_FAILURE) throw new ResolverFault(name, "server_failure");
  if (answer.Status !== NO_ERROR) throw new ResolverFault(name, "unusable");
  const chain = answer.Answer ?? [];
  const records = chain.filter((record) => record.type === TYPES[type]);
  const ttlSeconds = chain.length > 0 ? Math.min(...chain.map(({ TTL }) => TTL)) : 0;
  return { exists: true, data: records.map(({ data }) => data), ttlSeconds };
}
