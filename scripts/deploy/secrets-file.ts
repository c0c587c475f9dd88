import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Deployment } from "./config.ts";
import { Failure } from "./failure.ts";
import type { SecretName } from "./secret-names.ts";

export type Values = Partial<Record<SecretName, string>>;

/** Where whoever deploys keeps the secrets' values: what is set cannot be read back. */
export function secretsFile({ environment }: Pick<Deployment, "environment">): string {
  return `.secrets.${environment}.json`;
}

/** The files of all other environments that were deployed from here. */
export function secretsOfOthers(environment: string): { file: string; values: Values }[] {
  const own = secretsFile({ environment });
  const files = readdirSync(".").filter((file) => /^\.secrets\.\w+\.json$/.test(file));
  return files.filter((file) => file !== own).map((file) => ({ file, values: readSecrets(file) }));
}

export function readSecrets(file: string): Values {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Values;
  } catch {
    throw new Failure(`${file} is not JSON.`, "Mend it: it may hold the only copy of a key.");
  }
}

/** Whole or not at all. An ENCRYPTION_KEY that was there stays, under a name that tells until when. */
export function keepSecrets(file: string, values: Values): void {
  const { ENCRYPTION_KEY: before, ...kept } = readSecrets(file);
  const isReplaced = before && values.ENCRYPTION_KEY && before !== values.ENCRYPTION_KEY;
  const all = {
    ...kept,
    ...(isReplaced && { [`ENCRYPTION_KEY_BEFORE_${new Date().toISOString()}`]: before }),
    ...(before && { ENCRYPTION_KEY: before }),
    ...values,
  };
  writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
