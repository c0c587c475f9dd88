import type { PlatformContext } from "../../../platform/context/context.ts";
import {
  type ResealedSlice,
  type ResealPage,
  resealingJob,
} from "../../../platform/crypto/resealing.ts";
import { findSecret, sealSecret } from "./endpoint-secret.ts";
import { lookForStale, type Resealed, replaceSealed } from "./resealing.repository.ts";

/** Seals anew the signing secrets that an old ENCRYPTION_KEY has sealed. */
export const resealSecrets = resealingJob("secrets_resealed", reseal);

async function reseal(
  { env, db }: PlatformContext,
  { prefix, ...page }: ResealPage,
): Promise<ResealedSlice> {
  const looked = await lookForStale(db, prefix, page);
  const stale = looked.flatMap(({ id, secret, previousSecret }) => [
    ...(secret ? [{ column: "secret" as const, id, old: secret }] : []),
    ...(previousSecret ? [{ column: "previous_secret" as const, id, old: previousSecret }] : []),
  ]);
  const values: Resealed[] = [];
  for (const value of stale) {
    const opened = await findSecret(env, value.id, value.old);
    if (opened === undefined) continue;
    values.push({ ...value, sealed: await sealSecret(env, value.id, opened) });
  }
  const resealed = await replaceSealed(db, values);
  const unreadable = stale.length - values.length;
  const last = looked.at(-1)?.id;
  return { looked: looked.length, last, stale: stale.length, resealed, unreadable };
}
