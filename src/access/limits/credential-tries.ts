import { ApiError } from "../../api/errors.ts";
import type { Env } from "../../platform/config.ts";
import { now } from "../../platform/time.ts";
import { refuseCredentials } from "./address-limits.ts";
import { clientAddress } from "./client-address.ts";

const OVER_MILLISECONDS = 60_000;
const MAX_ENTRIES = 10_000;

/** One try with a credential, to be told how it ended. */
export interface CredentialTry {
  opened(): void;
  /** What to answer: 401, or 429 when the address keeps trying. */
  refused(message?: string): Promise<ApiError>;
}

/**
 * Tries with credentials that only a look at what is stored tells from invented ones. The limit of
 * an address cannot be asked without taking a place of it, so a place is taken when a credential
 * opened nothing. From the first that found no place, and for a minute after the last, its address
 * takes one before each look: then nothing is looked up beyond the limit, and a right guess in a
 * flood is refused too. What opened before, as this isolate remembers, is let past.
 */
export class CredentialTries {
  readonly #overUntil = new Map<string, number>();
  readonly #opened = new Map<string, true>();

  /** `credential`: its hash, if it is to be remembered when it opens. @throws 429 */
  async begin(env: Env, headers: Headers, credential?: string): Promise<CredentialTry> {
    const address = clientAddress(headers);
    const isOver = (this.#overUntil.get(address) ?? 0) > now();
    const isPaid = isOver && !(credential && this.#opened.has(credential));
    if (isPaid) {
      const refusal = await this.#takePlace(env, headers, address);
      if (refusal.code === "rate_limited") throw refusal;
    }
    return {
      opened: () => {
        if (credential) remember(this.#opened, credential, true);
      },
      refused: async (message) => {
        if (credential) this.#opened.delete(credential);
        if (isPaid) return new ApiError("unauthenticated", { message });
        return this.#takePlace(env, headers, address, message);
      },
    };
  }

  async #takePlace(env: Env, headers: Headers, address: string, message?: string) {
    const refusal = await refuseCredentials(env, headers, message);
    if (refusal.code === "rate_limited")
      remember(this.#overUntil, address, now() + OVER_MILLISECONDS);
    return refusal;
  }
}

/** Beyond the most entries the oldest is forgotten. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  if (!entries.has(key) && entries.size >= MAX_ENTRIES) {
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      break;
    }
  }
  entries.set(key, value);
}
