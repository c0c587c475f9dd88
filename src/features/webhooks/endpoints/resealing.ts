import { type Env, platformSettings } from "../../../platform/config.ts";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { sealPrefix } from "../../../platform/crypto/vault.ts";
import { now } from "../../../platform/time.ts";
import { findSecret, sealSecret } from "./endpoint-secret.ts";
import { type Looked, lookForStale, type Resealed, replaceSealed } from "./resealing.repository.ts";

const SLICE = 500;
/** A minute's share; where it ended, the next minute finds what is left. */
const BUDGET_MILLISECONDS = 10_000;
/** Once all is sealed with today's key, an isolate looks again only after this. */
const REST_MILLISECONDS = 60 * 60_000;

/** Where an isolate goes on: after which endpoint, what it left of this round, not before when. */
const places = new WeakMap<Env, { after: string; left: number; restsUntil: number }>();

/**
 * Seals anew, with today's key, the signing secrets that an old one has sealed, and tells how many
 * are left of those looked at in this round. `complete` ends a round: with nothing left then, the old key
 * may go. What no key opens is counted apart. While there is no old key this asks nobody anything.
 */
export async function resealSecrets(ctx: PlatformContext): Promise<void> {
  const { env, db, log } = ctx;
  if (platformSettings.read(env).ENCRYPTION_KEYS_OLD.length === 0) return;
  const time = now();
  const place = places.get(env) ?? { after: "", left: 0, restsUntil: 0 };
  places.set(env, place);
  if (place.restsUntil > time) return;
  const prefix = await sealPrefix(env);
  const told = { resealed: 0, left: 0, unreadable: 0, complete: false };
  for (;;) {
    const { after } = place;
    const looked = await lookForStale(db, prefix, { after, limit: SLICE, time });
    const { resealed, stale, unreadable } = await reseal(ctx, looked);
    told.resealed += resealed;
    told.unreadable += unreadable;
    place.left += stale - resealed - unreadable;
    told.left = place.left;
    const last = looked.at(-1);
    place.after = looked.length < SLICE ? "" : (last?.id ?? "");
    if (place.after === "") {
      if (place.left === 0) place.restsUntil = time + REST_MILLISECONDS;
      place.left = 0;
      told.complete = true;
      break;
    }
    if (now() - time >= BUDGET_MILLISECONDS) break;
  }
  log.info("secrets_resealed", told);
}

async function reseal({ env, db }: PlatformContext, looked: Looked[]) {
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
  return { stale: stale.length, resealed, unreadable: stale.length - values.length };
}
