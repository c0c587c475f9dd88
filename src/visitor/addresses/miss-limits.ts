import { waitUntil } from "cloudflare:workers";
import { clientAddress } from "../../access/limits/client-address.ts";
import type { Env } from "../../platform/config.ts";
import { inTime } from "../../platform/in-time.ts";
import { now } from "../../platform/time.ts";

/** The bindings' period: after so long there are places again. */
const PERIOD_SECONDS = 60;
/** A limit that does not answer by then, or fails, refuses nobody. */
const PATIENCE_MILLISECONDS = 500;
const MOST_REMEMBERED = 10_000;
/** One that found nothing before takes its places before a look when it makes more at once. */
const MOST_AT_ONCE = 60;

/** Too many unknown links were asked for: what is not held is not looked up now. */
export class TooManyMisses extends Error {
  override readonly name = "TooManyMisses";
  readonly waitSeconds: number;

  constructor(waitSeconds: number) {
    super("Too many addresses without a link were asked for.");
    this.waitSeconds = waitSeconds;
  }
}

/** A look that is about to be made. */
export interface Look {
  /** Too many unknown slugs are tried at the host, by whomever: what is not held has to wait. */
  isSlow: boolean;
  /** To be told how it ended: what found nothing takes places. */
  ended(hasFound: boolean): void;
}

/**
 * Limits how many addresses without a link may be found, so that who tries slugs at random does not
 * reach the database: by a client (beyond it all that is not held is refused to that client), and
 * at a host (beyond it looks are slow). What exists costs no place. A place is taken once nothing
 * was found; a client that was refused one takes it before each look, for a minute.
 */
export class MissLimits {
  readonly #clients = new Over();
  readonly #hosts = new Over();
  readonly #underway = new Map<string, number>();
  /** Who found nothing within the last minute. */
  readonly #missed = new Recent();

  readonly #prefix: string;

  /** `what` is looked for: misses of one kind take no places of another. */
  constructor(what = "") {
    this.#prefix = what && `${what} `;
  }

  /** @throws TooManyMisses */
  async begin(env: Env, headers: Headers, host: string): Promise<Look> {
    const client = this.#prefix + clientAddress(headers);
    const hostName = `${this.#prefix}host ${host}`;
    const ofClient = () => this.#clients.takePlace(env.MISS_RATE_LIMIT, client);
    const ofHost = () => this.#hosts.takePlace(env.HOST_MISS_RATE_LIMIT, hostName);
    const atOnce = this.#underway.get(client) ?? 0;
    const isMany = atOnce >= MOST_AT_ONCE && this.#missed.has(client);
    const isPaid = isMany || this.#clients.has(client);
    if (isPaid && !(await ofClient())) throw new TooManyMisses(PERIOD_SECONDS);
    this.#add(client, 1);
    return {
      isSlow: this.#hosts.has(hostName),
      ended: (hasFound) => {
        this.#add(client, -1);
        // Whoever is refused a place takes none of the host's.
        const take = async () => (isPaid || (await ofClient())) && ofHost();
        if (hasFound) return;
        this.#missed.note(client);
        waitUntil(take());
      },
    };
  }

  #add(client: string, looks: 1 | -1): void {
    const count = (this.#underway.get(client) ?? 0) + looks;
    if (count > 0) this.#underway.set(client, count);
    else this.#underway.delete(client);
  }
}

/** What was noted within the last minute, as far as this isolate knows. */
class Recent {
  readonly #until = new Map<string, number>();

  has(name: string): boolean {
    return (this.#until.get(name) ?? 0) > now();
  }

  note(name: string): void {
    this.#until.delete(name);
    for (const oldest of this.#until.keys()) {
      if (this.#until.size < MOST_REMEMBERED) break;
      this.#until.delete(oldest);
    }
    this.#until.set(name, now() + PERIOD_SECONDS * 1000);
  }
}

/** Who was refused a place. */
class Over extends Recent {
  async takePlace(limit: RateLimit, name: string): Promise<boolean> {
    const answer = await inTime(limit.limit({ key: name }), PATIENCE_MILLISECONDS).catch(
      () => undefined,
    );
    if (answer?.success !== false) return true;
    this.note(name);
    return false;
  }
}
