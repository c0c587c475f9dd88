import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Deployment } from "./config.ts";
import { Failure } from "./failure.ts";
import { SECRETS, type SecretName } from "./secret-names.ts";
import { mustWrangler, refused, wrangler } from "./wrangler.ts";

type Values = Partial<Record<SecretName, string>>;

const KEY_BYTES = 32;
const TOKEN_CHARACTERS = 16;
const make: Record<SecretName, () => string> = {
  ENCRYPTION_KEY: () => randomBytes(KEY_BYTES).toString("base64"),
  ADMIN_TOKEN: () => randomBytes(24).toString("hex"),
};

export interface Secrets {
  made: SecretName[];
  /** What opens the operator's API, if it is known here: it cannot be read back. */
  adminToken: string | undefined;
  /** Where the values are kept, if they are. */
  file: string | undefined;
}

/** Which of the Worker's secrets are set. @throws unless that is certain */
export async function listSecrets({ file }: Deployment): Promise<Set<string>> {
  const args = ["secret", "list", "-c", file];
  const answer = await wrangler(args);
  if (answer.code === 0) {
    try {
      return new Set((JSON.parse(answer.stdout) as { name: string }[]).map(({ name }) => name));
    } catch {
      // Not a list: it is not known what is set.
    }
  } else if (/Worker "[^"]+".* not found\./.test(answer.said)) return new Set();
  throw refused(
    args,
    answer,
    "No secret was changed. Mend what is named above, then run this again.",
  );
}

/**
 * Sets the secrets that are not set, and no others. A value is written to a file of its owner's
 * before it is uploaded, so that a run which is cut off leaves none that nobody knows.
 */
export async function setMissingSecrets(deployment: Deployment): Promise<Secrets> {
  const file = `.secrets.${deployment.environment}.json`;
  const kept = read(file);
  const known = (name: SecretName) => process.env[name]?.trim() || kept[name];
  const there = await listSecrets(deployment);
  const made = SECRETS.filter((name) => !there.has(name));
  if (made.length > 0) {
    const values: Values = {};
    for (const name of made) values[name] = known(name) ?? (await newValue(name, deployment));
    assertValues(values);
    if (!process.env.CI) writeWhole(file, JSON.stringify({ ...kept, ...values }, null, 2));
    const args = ["secret", "bulk", "-c", deployment.file];
    const remedy = "Nothing was overwritten. Run this again: it takes the same values.";
    await mustWrangler(args, remedy, { input: JSON.stringify(values) });
    Object.assign(kept, values);
  }
  return { made, adminToken: known("ADMIN_TOKEN"), file: existsSync(file) ? file : undefined };
}

async function newValue(name: SecretName, deployment: Deployment): Promise<string> {
  if (process.env.CI) {
    throw new Failure(
      `${name} is not set, and one made here would be lost with this machine.`,
      `Give it to this job as a secret of your CI, as an environment variable ${name} (the README says how to make one), or set it with \`npx wrangler secret put ${name} --name ${deployment.config.name}\`.`,
    );
  }
  if (name === "ENCRYPTION_KEY" && (await holdsWorkspaces(deployment))) {
    throw new Failure(
      "ENCRYPTION_KEY is not set, but the database holds workspaces: their secrets open with the key of before only.",
      'Run `ENCRYPTION_KEY=… npm run deploy` with that key (from a file, not typed: shells remember). If it is lost for good, the runbook says what to do ("`ENCRYPTION_KEY` is changed").',
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

function read(file: string): Values {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Values;
  } catch {
    throw new Failure(`${file} is not JSON.`, "Mend it: it may hold the only copy of a key.");
  }
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
