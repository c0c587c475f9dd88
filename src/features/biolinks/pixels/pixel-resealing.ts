import type { PlatformContext } from "../../../platform/context/context.ts";
import {
  type ResealedSlice,
  type ResealPage,
  resealingJob,
} from "../../../platform/crypto/resealing.ts";
import { Unopenable } from "../../../platform/crypto/vault.ts";
import {
  lookForStaleTokens,
  type ResealedToken,
  replaceTokens,
} from "./pixel-resealing.repository.ts";
import { openToken, sealToken } from "./pixel-token.ts";

/** Seals anew the access tokens that an old ENCRYPTION_KEY has sealed. */
export const resealPixelTokens = resealingJob("pixel_tokens_resealed", reseal);

async function reseal(
  { env, db }: PlatformContext,
  { prefix, ...page }: ResealPage,
): Promise<ResealedSlice> {
  const looked = await lookForStaleTokens(db, prefix, page);
  const stale = looked.flatMap(({ id, token }) => (token ? [{ id, old: token }] : []));
  const tokens: ResealedToken[] = [];
  for (const { id, old } of stale) {
    const opened = await openToken(env, id, old).catch((fault: unknown) => {
      if (!(fault instanceof Unopenable)) throw fault;
    });
    if (opened === undefined) continue;
    tokens.push({ id, old, sealed: await sealToken(env, id, opened) });
  }
  const resealed = await replaceTokens(db, tokens);
  const unreadable = stale.length - tokens.length;
  const last = looked.at(-1)?.id;
  return { looked: looked.length, last, stale: stale.length, resealed, unreadable };
}
