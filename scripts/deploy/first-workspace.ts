import { type Deployment, PRODUCTION } from "./config.ts";
import { Failure } from "./failure.ts";
import type { Secrets } from "./secrets.ts";
import { keepSecrets, readSecrets } from "./secrets-file.ts";

const NAME = "first";

/** The operator's API does not take the token: changed by somebody who had a reason to. */
class NotOpened extends Error {}

/**
 * The first workspace and a key for it, on an empty database; what to do where there are some, or
 * nobody here knows ADMIN_TOKEN. A run that was cut off between the two is gone on with.
 */
export async function firstWorkspace(
  { origin, config, environment }: Deployment,
  secrets: Secrets,
): Promise<string[]> {
  const { adminToken, isAdminOpen, file } = secrets;
  const byHand = `curl -s ${origin}/admin/v1/workspaces -H "Authorization: Bearer $ADMIN_TOKEN"`;
  const deploy =
    environment === PRODUCTION ? "npm run deploy" : `npm run deploy -- --env ${environment}`;
  if (!isAdminOpen) {
    return [
      "ADMIN_TOKEN is not set: the operator's API is closed, and stays so. To open it:",
      `  npm run deploy -- ${environment === PRODUCTION ? "" : `--env ${environment} `}--open-admin`,
    ];
  }
  // A key in a log of CI would be everybody's who may read it.
  if (process.env.CI) return [`Workspaces: none is made in CI. With ADMIN_TOKEN: ${byHand}`];
  if (!adminToken) {
    return [
      "ADMIN_TOKEN was set before and cannot be read back, so no workspace was looked for. Whoever has it runs",
      `  ADMIN_TOKEN=… ${deploy}`,
      `or, if nobody has: npx wrangler secret put ADMIN_TOKEN --name ${config.name}`,
    ];
  }
  const ask = asker(`${origin}/admin/v1/workspaces`, adminToken);
  try {
    const { data } = await ask<{ data: Workspace[] }>("GET", "?limit=2");
    if (file && readSecrets(file).ADMIN_TOKEN !== adminToken) {
      keepSecrets(file, { ADMIN_TOKEN: adminToken });
    }
    return await make(ask, data, byHand, `${origin}/admin/v1/workspaces`);
  } catch (fault) {
    if (!(fault instanceof NotOpened)) throw fault;
    return [
      "The ADMIN_TOKEN that is known here does not open the operator's API, so no workspace was looked for: it was changed since, elsewhere. Whoever has the present one runs",
      // Elsewhere than in production the file's goes before the shell's.
      `  ADMIN_TOKEN=… ${deploy}${environment === PRODUCTION ? "" : " --trust-key"}`,
      `or, if nobody has: npx wrangler secret put ADMIN_TOKEN --name ${config.name}`,
    ];
  }
}

interface Workspace {
  id: string;
  name: string;
}

async function make(
  ask: Ask,
  [known, ...more]: Workspace[],
  byHand: string,
  url: string,
): Promise<string[]> {
  if (known && (known.name !== NAME || more.length > 0 || (await hasKeys(ask, known.id)))) {
    const id = known.name === NAME && more.length === 0 ? known.id : "$WORKSPACE";
    return [
      `Workspaces: there are some, so none was made. ${byHand}`,
      "A key is shown once. Where nobody has one, make another:",
      `  curl -s -X POST ${url}/${id}/keys -H "Authorization: Bearer $ADMIN_TOKEN" -d '{"name": "second", "permissions": ["*"]}'`,
    ];
  }
  const id = known?.id ?? (await ask<{ data: { id: string } }>("POST", "", { name: NAME })).data.id;
  const body = { name: NAME, permissions: ["*"] };
  const { key } = await ask<{ key: string }>("POST", `/${id}/keys`, body);
  return [`Workspace: ${id}`, `Key (shown this once): ${key}`];
}

type Ask = ReturnType<typeof asker>;

async function hasKeys(ask: Ask, workspace: string): Promise<boolean> {
  return (await ask<{ data: unknown[] }>("GET", `/${workspace}/keys?limit=1`)).data.length > 0;
}

function asker(url: string, token: string) {
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((fault) => {
      throw new Failure(
        `${url} cannot be reached: ${fault.message}`,
        "It is deployed: run this again.",
      );
    });
    if (answer.ok) return (await answer.json()) as Answer;
    if (answer.status === 401 || answer.status === 404) throw new NotOpened();
    throw new Failure(
      `${method} ${url}${path} answered ${answer.status}: ${await answer.text()}`,
      "It is deployed, but not well: see docs/runbook.md, then run this again.",
    );
  };
}
