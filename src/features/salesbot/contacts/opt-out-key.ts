import { fromBase64, randomBytes, toBase64, toBytes, toHex } from "../../../platform/bytes.ts";
import { type Env, platformSettings } from "../../../platform/config.ts";
import type { Context, PlatformContext } from "../../../platform/context/context.ts";
import { seal, sealPrefix, Unopenable, unseal } from "../../../platform/crypto/vault.ts";
import { now } from "../../../platform/time.ts";
import {
  findSealedKey,
  keepSealedKey,
  lookForStaleKeys,
  replaceSealedKey,
} from "./opt-outs.repository.ts";

const KEY_BYTES = 32;
/** No two people of a workspace are taken for one by chance. */
const HASH_BYTES = 16;
const MAX_KEYS_HELD = 1000;
const ALGORITHM = { name: "HMAC", hash: "SHA-256" };
const KEYS_A_SLICE = 200;
const BUDGET_MILLISECONDS = 10_000;
const REST_MILLISECONDS = 60 * 60_000;

const held = new WeakMap<Env, Map<string, CryptoKey>>();

/** Hashes what people are known by, as the list of opt-outs has it. @throws Unopenable when the key is lost */
export async function hashIdentities(ctx: Context, identities: string[]): Promise<string[]> {
  if (identities.length === 0) return [];
  const key = await keyOf(ctx);
  return Promise.all(
    identities.map(async (identity) => {
      const hash = await crypto.subtle.sign("HMAC", key, toBytes(identity));
      return toHex(new Uint8Array(hash, 0, HASH_BYTES));
    }),
  );
}

/**
 * A workspace's key, made when it is first needed. What is held is the key, never the question for
 * it: that dies with its request, and whoever waited for it would wait for ever.
 */
async function keyOf(ctx: Context): Promise<CryptoKey> {
  const { env, workspaceId } = ctx;
  const keys = held.get(env) ?? new Map<string, CryptoKey>();
  held.set(env, keys);
  const known = keys.get(workspaceId);
  if (known) return known;
  const key = await readKey(ctx);
  if (keys.size >= MAX_KEYS_HELD) keys.clear();
  keys.set(workspaceId, key);
  return key;
}

async function readKey({ env, db, workspaceId }: Context): Promise<CryptoKey> {
  const context = sealContext(workspaceId);
  const sealed =
    (await findSealedKey(db, workspaceId)) ??
    (await keepSealedKey(
      db,
      workspaceId,
      await seal(env, context, toBase64(randomBytes(KEY_BYTES))),
    ));
  const bytes = fromBase64(await unseal(env, context, sealed));
  if (!bytes) throw new Unopenable();
  return crypto.subtle.importKey("raw", bytes, ALGORITHM, false, ["sign"]);
}

function sealContext(workspaceId: string): string {
  return `opt-outs:${workspaceId}`;
}

/** Where an isolate goes on: after which workspace, and not before when. */
const places = new WeakMap<Env, { after: string; left: number; restsUntil: number }>();

/**
 * Seals anew, with today's ENCRYPTION_KEY, the keys that an old one has sealed; `complete` ends a
 * round. While there is no old key this asks nobody anything.
 */
export async function resealOptOutKeys({ env, db, log }: PlatformContext): Promise<void> {
  if (platformSettings.read(env).ENCRYPTION_KEYS_OLD.length === 0) return;
  const startedAt = now();
  const place = places.get(env) ?? { after: "", left: 0, restsUntil: 0 };
  places.set(env, place);
  if (place.restsUntil > startedAt) return;
  const prefix = await sealPrefix(env);
  const told = { resealed: 0, left: 0, complete: false };
  while (!told.complete && now() - startedAt < BUDGET_MILLISECONDS) {
    const looked = await lookForStaleKeys(db, prefix, { after: place.after, limit: KEYS_A_SLICE });
    for (const { workspaceId, sealed } of looked) {
      if (!sealed) continue;
      const context = sealContext(workspaceId);
      const opened = await unseal(env, context, sealed).catch((fault: unknown) => {
        if (!(fault instanceof Unopenable)) throw fault;
      });
      if (opened === undefined) {
        place.left++;
        continue;
      }
      await replaceSealedKey(db, workspaceId, await seal(env, context, opened));
      told.resealed++;
    }
    told.complete = looked.length < KEYS_A_SLICE;
    place.after = told.complete ? "" : (looked.at(-1)?.workspaceId ?? "");
  }
  told.left = place.left;
  if (told.complete) {
    if (place.left === 0) place.restsUntil = now() + REST_MILLISECONDS;
    place.left = 0;
  }
  log.info("opt_out_keys_resealed", told);
}
