import { z } from "zod";
import type { Env } from "../env.ts";
import { settingsOf } from "../env.ts";

const TIMEOUT_MILLISECONDS = 5000;
const TYPES = { A: 1, AAAA: 28 } as const;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

const Answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

/** The resolver could not be asked, or could not answer: nothing is known of the name. */
export class ResolverFault extends Error {
  override readonly name = "ResolverFault";
}

/** The addresses of a host name; none when there is no such name. @throws ResolverFault */
export async function resolveAddresses(env: Env, host: string): Promise<string[]> {
  const answers = await Promise.all([ask(env, host, "A"), ask(env, host, "AAAA")]);
  return answers.flat();
}

async function ask(env: Env, host: string, type: keyof typeof TYPES): Promise<string[]> {
  const url = new URL(settingsOf(env).DOH_URL);
  url.searchParams.set("name", host);
  url.searchParams.set("type", type);
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/dns-json" },
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const answer = Answer.parse(await response.json());
    if (answer.Status === NO_SUCH_NAME) return [];
    if (answer.Status !== NO_ERROR) throw new Error(`status ${answer.Status}`);
    const records = answer.Answer ?? [];
    return records.filter((record) => record.type === TYPES[type]).map((record) => record.data);
  } catch (error) {
    throw new ResolverFault(`The resolver failed for ${host}`, { cause: error });
  }
}
