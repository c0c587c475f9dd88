import type { Deployment } from "./config.ts";
import { Failure } from "./failure.ts";
import { refused, wrangler } from "./wrangler.ts";

interface Login {
  loggedIn: boolean;
  email?: string;
  accounts?: { id: string; name: string }[];
  /** Of a login in the browser; what an API token may do is not told. */
  tokenPermissions?: string[];
}

const LOG_IN =
  "Run `npx wrangler login`; in CI set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID instead.";
/** What a login in the browser must have; wrangler asks for all of them. */
const SCOPES = ["workers_scripts:write", "workers_kv:write", "d1:write", "queues:write"];

/**
 * Who is logged in, and to which account, which the deployment then names: each step is in it.
 * @throws when nobody is, or it is not clear to which
 */
export async function checkLogin({ config, environment }: Deployment): Promise<string> {
  const args = ["whoami", "--json"];
  const answer = await wrangler(args);
  const login = parse(answer.stdout);
  if (login?.loggedIn === false) throw new Failure("Nobody is logged in to Cloudflare.", LOG_IN);
  if (answer.code !== 0 || !login) throw refused(args, answer, LOG_IN);
  const lacking = SCOPES.filter((scope) => login.tokenPermissions?.includes(scope) === false);
  if (lacking.length > 0) {
    throw new Failure(
      `The login lacks rights: ${lacking.join(", ")}.`,
      "Run `npx wrangler login`.",
    );
  }
  const accounts = login.accounts ?? [];
  const given = process.env.CLOUDFLARE_ACCOUNT_ID;
  if (given && config.account_id && given !== config.account_id) {
    throw new Failure(
      `CLOUDFLARE_ACCOUNT_ID is ${given}, but the account_id of ${environment} is ${config.account_id}.`,
      "Unset the one that is not meant, then run this again.",
    );
  }
  const chosen = given || config.account_id;
  const account = chosen ? accounts.find(({ id }) => id === chosen) : accounts[0];
  if (!account || (!chosen && accounts.length > 1)) {
    const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
    const what = chosen
      ? `This login is not of the account ${chosen}.`
      : "Which account is not said.";
    throw new Failure(
      accounts.length === 0 ? "This login has no account." : `${what} It has:\n${list}`,
      "Set CLOUDFLARE_ACCOUNT_ID to one of its accounts, then run this again.",
    );
  }
  config.account_id = account.id;
  return login.email ? `${account.name}, as ${login.email}` : account.name;
}

function parse(text: string): Login | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
