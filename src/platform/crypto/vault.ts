import { randomBytes, toBytes, toText } from "../bytes.ts";
import { type Env, platformSettings } from "../config.ts";
import { sha256 } from "./digest.ts";

const VERSION = 1;
const KEY_ID_BYTES = 4;
const PREFIX_BYTES = 1 + KEY_ID_BYTES;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What no key opens: it was sealed with one that is gone, for another record, or is damaged. */
export class Unopenable extends Error {
  override readonly name = "Unopenable";

  constructor() {
    super("What is sealed opens with no key that is known here.");
  }
}

interface VaultKey {
  /** What begins all that it seals: the version, and the first bytes of the key's SHA-256. */
  prefix: Uint8Array;
  key: CryptoKey;
}

const currentKeys = new WeakMap<Env, Promise<VaultKey>>();
const oldKeys = new WeakMap<Env, Promise<VaultKey[]>>();

/** @throws SettingFault when ENCRYPTION_KEY is wrong */
function currentKey(env: Env): Promise<VaultKey> {
  return held(currentKeys, env, () => importKey(platformSettings.read(env).ENCRYPTION_KEY));
}

/** @throws SettingFault when ENCRYPTION_KEYS_OLD is wrong */
function earlierKeys(env: Env): Promise<VaultKey[]> {
  return held(oldKeys, env, () =>
    Promise.all(platformSettings.read(env).ENCRYPTION_KEYS_OLD.map(importKey)),
  );
}

function held<Made>(known: WeakMap<Env, Made>, env: Env, make: () => Made): Made {
  const made = known.get(env) ?? make();
  known.set(env, made);
  return made;
}

async function importKey(bytes: Uint8Array): Promise<VaultKey> {
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  const id = (await sha256(bytes)).subarray(0, KEY_ID_BYTES);
  return { prefix: Uint8Array.of(VERSION, ...id), key };
}

/** @throws SettingFault when nothing can be encrypted */
export function assertCanSeal(env: Env): void {
  platformSettings.assert(env, "ENCRYPTION_KEY");
}

/** The first bytes of all that is sealed now; what begins otherwise was sealed with another key. */
export async function sealPrefix(env: Env): Promise<Uint8Array> {
  return (await currentKey(env)).prefix;
}

/**
 * Encrypts a text with AES-256-GCM: the key's name, 12 random bytes of IV, the ciphertext.
 * `context` says what it belongs to: sealed for one record, it opens for no other.
 */
export async function seal(env: Env, context: string, text: string): Promise<Uint8Array> {
  const { prefix, key } = await currentKey(env);
  const iv = randomBytes(IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: toBytes(context) };
  const sealed = await crypto.subtle.encrypt(algorithm, key, toBytes(text));
  const out = new Uint8Array(PREFIX_BYTES + IV_BYTES + sealed.byteLength);
  out.set(prefix);
  out.set(iv, PREFIX_BYTES);
  out.set(new Uint8Array(sealed), PREFIX_BYTES + IV_BYTES);
  return out;
}

/**
 * The inverse of {@link seal}, with the present key or an old one.
 * @throws Unopenable, or SettingFault when a wrong setting may be the reason
 */
export async function unseal(env: Env, context: string, sealed: Uint8Array): Promise<string> {
  const opened = await tryKey(await currentKey(env), context, sealed);
  if (opened !== undefined) return opened;
  for (const key of await earlierKeys(env)) {
    const text = await tryKey(key, context, sealed);
    if (text !== undefined) return text;
  }
  throw new Unopenable();
}

/** Until 2026-11-21 values did not name their key: such a one is tried with every key. */
async function tryKey(
  { prefix, key }: VaultKey,
  context: string,
  sealed: Uint8Array,
): Promise<string | undefined> {
  const isNamed = prefix.every((byte, at) => sealed[at] === byte);
  const named = isNamed ? await decrypt(key, context, sealed.subarray(PREFIX_BYTES)) : undefined;
  return named ?? decrypt(key, context, sealed);
}

async function decrypt(
  key: CryptoKey,
  context: string,
  sealed: Uint8Array,
): Promise<string | undefined> {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const iv = sealed.subarray(0, IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: toBytes(context) };
  try {
    const plain = await crypto.subtle.decrypt(algorithm, key, sealed.subarray(IV_BYTES));
    return toText(new Uint8Array(plain));
  } catch (error) {
    if (error instanceof DOMException && error.name === "OperationError") return undefined;
    throw error;
  }
}
