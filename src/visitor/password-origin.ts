import { clientAddress, clientNetwork } from "../access/limits/client-address.ts";
import { toBytes, toHex } from "../platform/bytes.ts";
import { type Env, platformSettings } from "../platform/config.ts";
import type { Origin } from "./password-tries.repository.ts";

const HASH_BYTES = 16;

/** Who tries a link's password, as that link's object keeps it for an hour. */
export async function passwordOrigin(env: Env, linkId: string, headers: Headers): Promise<Origin> {
  return hashedOrigin(env, `password-tries\n${linkId}`, headers);
}

/**
 * Who does something that is counted for an hour: hashed with a key that is stored nowhere, so that
 * no address is, and differently for each purpose. @throws SettingFault when ENCRYPTION_KEY is wrong
 */
export async function hashedOrigin(env: Env, purpose: string, headers: Headers): Promise<Origin> {
  const secret = platformSettings.read(env).ENCRYPTION_KEY;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"]);
  const hash = async (address: string) => {
    const text = toBytes(`${purpose}\n${address}`);
    return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text), 0, HASH_BYTES));
  };
  return {
    address: await hash(clientAddress(headers)),
    network: await hash(clientNetwork(headers)),
  };
}
