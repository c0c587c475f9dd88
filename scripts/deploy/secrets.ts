import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type Deployment, PRODUCTION } from "./config.ts";
import { Failure } from "./failure.ts";
import { SECRETS, type SecretName } from "./secret-names.ts";
import {
  keepSecrets,
  readSecrets,
  secretsFile,
  secretsOfOthers,
  type Values,
} from "./secrets-file.ts";
import { mustWrangler, refused, wrangler } from "./wrangler.ts";

const KEY_BYTES = 32;
const TOKEN_CHARACTERS = 16;
const make: Record<SecretName, () => string> = {
  ENCRYPTION_KEY: () => randomBytes(KEY_BYTES).toString("base64"),
  ADMIN_TOKEN: () => randomBytes(24).toString("hex"),
};

export interface SecretsOptions {
  /** Set ADMIN_TOKEN though it is not the first deploy: without it the operator's API is closed. */
  openAdmin: boolean;
  /** Set what is known here though the database holds workspaces, or it may be another environment's. */
  trustKey: boolean;
}

export interface Secrets {
  made: SecretName[];
  /** Whether ADMIN_TOKEN is set: without it nobody opens the operator's API. */
  isAdminOpen: boolean;
  /** What opens the operator's API, if it is known here: it cannot be read back. */
  adminToken: string | undefined;
  /** Where the values are kept, if they are. */
  file: string | undefined;
}

/** Which of the Worker's secrets are set; undefined: there is no Worker. @throws unless that is certain */
export async function listSecrets({ file }: Deployment): Promise<Set<string> | undefined> {
  const args = ["secret", "list", "-c", file];
  const answer = await wrangler(args);
  if (answer.code === 0) {
    try {
      return new Set((JSON.parse(answer.stdout) as { name: string }[]).map(({ name }) => name));
    } catch {
      // Not a list: it is not known what is set.
    }
  } else if (/Worker "[^"]+".* not found\./.test(answer.said)) return undefined;
  throw refused(
    args,
    answer,
    "No secret was changed. Mend what is named above, then run this again.",
  );
}

/**
 * Sets the secrets that are to be set and are not, and no others. A value is written to a file of
 * its owner's before it is uploaded, so that a run which is cut off leaves none that nobody knows.
 */
export async function setMissingSecrets(
  deployment: Deployment,
  options: SecretsOptions,
): Promise<Secrets> {
  const file = secretsFile(deployment);
  const kept = readSecrets(file);
  const given = (name: SecretName) => process.env[name]?.trim() || undefined;
  const isOwn = options.trustKey || isShellOf(deployment);
  const known = (name: SecretName) =>
    name === "ADMIN_TOKEN" && !isOwn ? kept[name] || given(name) : given(name) || kept[name];
  // Each deploy sends it to the environment's host, not only the one that sets it.
  const token = given("ADMIN_TOKEN");
  if (token && !isOwn && !kept.ADMIN_TOKEN) assertNotOfOthers(deployment, { ADMIN_TOKEN: token });
  const there = await listSecrets(deployment);
  const made = await findMissing(deployment, there, options, known);
  if (made.length > 0) {
    const values: Values = {};
    for (const name of made) values[name] = known(name) ?? newValue(name, deployment);
    assertValues(values);
    if (!options.trustKey) assertOwn(deployment, values);
    // Before the file too: it must not keep a key in which nothing is encrypted.
    await assertStillMissing(deployment, made);
    if (!process.env.CI) keepSecrets(file, values);
    const args = ["secret", "bulk", "-c", deployment.file];
    const remedy = "Nothing was overwritten. Run this again: it takes the same values.";
    await mustWrangler(args, remedy, { input: JSON.stringify(values) });
    Object.assign(kept, values);
  }
  return {
    made,
    isAdminOpen: made.includes("ADMIN_TOKEN") || there?.has("ADMIN_TOKEN") === true,
    adminToken: known("ADMIN_TOKEN"),
    file: existsSync(file) ? file : undefined,
  };
}

/** An operator's API that was closed, by deleting ADMIN_TOKEN, stays closed. */
async function findMissing(
  deployment: Deployment,
  there: Set<string> | undefined,
  { openAdmin, trustKey }: SecretsOptions,
  known: (name: SecretName) => string | undefined,
): Promise<SecretName[]> {
  const made = SECRETS.filter((name) => !there?.has(name));
  const hasWorkspaces = made.length > 0 && (await holdsWorkspaces(deployment));
  const isKeyMissing = made.includes("ENCRYPTION_KEY");
  if (isKeyMissing && hasWorkspaces && !(trustKey && known("ENCRYPTION_KEY"))) {
    refuseKey(deployment);
  }
  // A Worker on an empty database: a first deploy that was cut off, or whose key was set by hand.
  // CI makes no workspace, so there an empty database tells nothing of a Worker that has its key.
  const isFirst = !hasWorkspaces && (isKeyMissing || !process.env.CI);
  return made.filter((name) => name !== "ADMIN_TOKEN" || isFirst || openAdmin);
}

function refuseKey({ config: { name } }: Deployment): never {
  throw new Failure(
    "ENCRYPTION_KEY is not set, but the database holds workspaces: their secrets open with the key of before only.",
    `Set that key by hand, \`npx wrangler secret put ENCRYPTION_KEY --name ${name}\`, then run this again. Or, if you are certain that the one of the environment or of the file of secrets is it: \`npm run deploy -- --trust-key\`. If it is lost for good, the runbook says what to do ("A deploy goes wrong").`,
  );
}

/** Two first deploys at once, from two machines: the later must not overwrite the earlier's key. */
async function assertStillMissing(deployment: Deployment, made: SecretName[]): Promise<void> {
  const now = await listSecrets(deployment);
  const set = made.filter((name) => now?.has(name));
  if (set.length === 0) return;
  throw new Failure(
    `Somebody else has just set ${set.join(", ")}: another deploy is under way.`,
    "No secret was changed. Wait for its end, then run this again.",
  );
}

function newValue(name: SecretName, { config }: Deployment): string {
  if (process.env.CI) {
    throw new Failure(
      `${name} is not set, and one made here would be lost with this machine.`,
      `Give it to this job as a secret of your CI, as an environment variable ${name} (the README says how to make one), or set it with \`npx wrangler secret put ${name} --name ${config.name}\`.`,
    );
  }
  return make[name]();
}

async function holdsWorkspaces({ file }: Deployment): Promise<boolean> {
  const sql = "SELECT EXISTS (SELECT 1 FROM workspaces) AS found";
  const args = ["d1", "execute", "DB", "--remote", "--json", "-c", file, "--command", sql];
  const text = await mustWrangler(args, "No secret was changed. Run this again.");
  return (JSON.parse(text) as { results: { found: number }[] }[])[0]?.results[0]?.found !== 0;
}

/** In CI each environment has secrets of its own; what a shell exports is production's by custom. */
function isShellOf({ environment }: Deployment): boolean {
  return environment === PRODUCTION || Boolean(process.env.CI);
}

function assertOwn(deployment: Deployment, values: Values): void {
  assertNotOfOthers(deployment, values);
  if (isShellOf(deployment)) return;
  const { environment } = deployment;
  const kept = readSecrets(secretsFile(deployment));
  const exported = SECRETS.filter(
    (name) => values[name] && values[name] !== kept[name] && process.env[name]?.trim(),
  );
  if (exported.length === 0) return;
  throw new Failure(
    `${exported.join(" and ")} of this shell may be ${PRODUCTION}'s, and would become ${environment}'s.`,
    toTrust(deployment),
  );
}

/** A secret of two environments would open the one for whoever has that of the other. */
function assertNotOfOthers(deployment: Deployment, values: Values): void {
  const others = secretsOfOthers(deployment.environment);
  for (const name of SECRETS.filter((name) => values[name])) {
    const other = others.find((one) => one.values[name] === values[name]);
    if (!other) continue;
    throw new Failure(`The ${name} that is known here is of ${other.file}.`, toTrust(deployment));
  }
}

function toTrust({ environment }: Deployment): string {
  const flags = environment === PRODUCTION ? "" : `--env ${environment} `;
  return `Unset it, and ${environment} gets one of its own. Or, if you are certain that it is meant: \`npm run deploy -- ${flags}--trust-key\`.`;
}

/** What is set is never overwritten by this command, so a wrong value would stay. */
function assertValues({ ENCRYPTION_KEY: key, ADMIN_TOKEN: token }: Values): void {
  const bytes = Buffer.from(key ?? "", "base64");
  if (key !== undefined && (bytes.toString("base64") !== key || bytes.length !== KEY_BYTES)) {
    throw new Failure(
      "The ENCRYPTION_KEY that was given is not 32 bytes in base64.",
      "Make one with `openssl rand -base64 32`.",
    );
  }
  if (token !== undefined && token.length < TOKEN_CHARACTERS) {
    throw new Failure(
      `The ADMIN_TOKEN that was given has fewer than ${TOKEN_CHARACTERS} characters.`,
      "Make one with `openssl rand -hex 24`.",
    );
  }
}
