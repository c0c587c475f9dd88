import { errorOf, SignpostError } from "./errors.ts";
import { List, type Page } from "./list.ts";
import type { Answer, AnyOptions, Call, ClientOptions, RequestOptions } from "./options.ts";

type Content = { headers: Headers; body?: BodyInit };
const UNKNOWN = "The first try's answer was lost, and the record has changed: by it, or others.";
/** Longer than a request that died with its Worker holds its key: 30 s. */
const HELD_SECONDS = 40;
/** A timer takes 24 days at most; with more it ends at once. */
const millisecondsOf = (seconds: number) => Math.min(seconds * 1000, 2 ** 31 - 1);
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Sends requests, again where that is safe. What it sends them with is nowhere to be seen. */
export class Core {
  readonly #authorization: string | null;
  readonly #options: ClientOptions;
  readonly #base: string;

  constructor(options: ClientOptions, secret: string | null) {
    const { protocol, username, password, origin, pathname } = new URL(options.baseUrl);
    if (!/^https?:$/.test(protocol) || username || password) {
      throw new TypeError("baseUrl must be an http or https address without a password.");
    }
    // What is no header would be told by fetch, in an error that holds it.
    if (secret !== null && (typeof secret !== "string" || !/^[\x21-\x7e]+$/.test(secret))) {
      throw new TypeError("The key must be one word of ASCII.");
    }
    this.#base = origin + pathname.replace(/\/+$/, "");
    this.#authorization = secret === null ? null : `Bearer ${secret}`;
    this.#options = options;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the generated methods say what it is
  async request(method: Method, path: string, call: Call, given: AnyOptions = {}): Promise<any> {
    const { signal = this.#options.signal, maxRetries = this.#options.maxRetries ?? 3 } = given;
    const url = this.#base + path + queryOf(call.query);
    const init = { method, redirect: "manual", ...this.#contentOf(call, given) } as const;
    const key = init.headers.get("Idempotency-Key") ?? undefined;
    let lost: SignpostError | undefined;
    // Tries that were spent, and how long others of this key, maybe dead, were waited for.
    let [attempt, held] = [0, 0];
    while (true) {
      try {
        return await this.#attempt(url, init, call.answer, given);
      } catch (error) {
        if (!(error instanceof SignpostError)) throw error;
        error.idempotencyKey = key;
        // A try whose answer was lost has deleted it; one that was refused has not.
        const wasLost = lost !== undefined && lost.code !== "overloaded";
        if (wasLost && method === "DELETE" && error.code === "not_found") return undefined;
        if (lost && error.code === "precondition_failed") {
          const unknown = { code: "outcome_unknown", message: UNKNOWN, cause: lost } as const;
          throw Object.assign(new SignpostError(unknown), { idempotencyKey: key });
        }
        const wasMaybeRun = error.status === 0 || error.status >= 500;
        if (wasMaybeRun && !wasLost) lost = error;
        const isHeld = error.code === "idempotency_in_progress";
        const mayWait = isHeld ? held < HELD_SECONDS && maxRetries > 0 : attempt < maxRetries;
        const isSafe = !wasMaybeRun || method !== "POST" || key !== undefined;
        const waitSeconds = this.#waitSeconds(error, attempt, held);
        if (!mayWait || !isSafe || waitSeconds === undefined) throw error;
        held = isHeld ? held + waitSeconds : 0;
        if (!isHeld) attempt++;
        await sleep(waitSeconds, signal);
      }
    }
  }

  /** Reads a record, has it changed, and writes it; once more when others changed it meanwhile. */
  // biome-ignore lint/suspicious/noExplicitAny: the generated methods say what it is
  async update(path: string, call: Call, given?: AnyOptions): Promise<any> {
    const { answer, body: change } = call;
    if (typeof change !== "function") return this.request("PATCH", path, call, given);
    for (let turn = 0; ; turn++) {
      let ifMatch = "";
      const onResponse: RequestOptions["onResponse"] = (response) => {
        ifMatch = response.headers.get("ETag") ?? "";
        (given?.onResponse ?? this.#options.onResponse)?.(response);
      };
      const record = await this.request("GET", path, { answer }, { ...given, onResponse });
      const body = await change(record);
      if (body === undefined) return record;
      try {
        return await this.request("PATCH", path, { ...call, body }, { ...given, ifMatch });
      } catch (error) {
        const hasChanged = error instanceof SignpostError && error.code === "precondition_failed";
        if (!hasChanged || turn >= 9) throw error;
        const signal = given?.signal ?? this.#options.signal;
        await sleep(Math.random() * 0.1 * 2 ** Math.min(turn, 5), signal);
      }
    }
  }

  list<T, P extends Page<T>>(path: string, query?: object, most?: number, given?: AnyOptions) {
    return new List<T, P>((cursor, isWalked) => {
      const limit = isWalked && most ? { limit: most } : {};
      const asked = { ...limit, ...query, ...(cursor !== undefined && { cursor }) };
      return this.request("GET", path, { answer: "body", query: asked }, given);
    });
  }

  #contentOf({ body, file, keyed, matched }: Call, options: AnyOptions): Content {
    const headers = new Headers({ Accept: "application/json, */*;q=0.5" });
    if (this.#authorization) headers.set("Authorization", this.#authorization);
    if (keyed) headers.set("Idempotency-Key", options.idempotencyKey ?? newKey());
    const ifMatch = options.ifMatch ?? (matched ? "*" : undefined);
    if (ifMatch !== undefined) headers.set("If-Match", quoted(ifMatch));
    if (file === undefined && body === undefined) return { headers };
    const ofFile = options.contentType || (file instanceof Blob && file.type);
    const type = file === undefined ? "application/json" : ofFile || "application/octet-stream";
    headers.set("Content-Type", type);
    return { headers, body: (file as BodyInit | undefined) ?? JSON.stringify(body) };
  }

  async #attempt(url: string, init: RequestInit, answer: Answer, given: RequestOptions) {
    const { fetch = globalThis.fetch, ...own } = this.#options;
    const { signal = own.signal, onResponse = own.onResponse } = given;
    const { timeoutSeconds = own.timeoutSeconds ?? 30 } = given;
    signal?.throwIfAborted();
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    const late = setTimeout(abort, millisecondsOf(timeoutSeconds));
    signal?.addEventListener("abort", abort);
    try {
      const response = await fetch(url, { ...init, signal: attempt.signal });
      onResponse?.(response);
      if (!response.ok) throw await errorOf(response);
      return await read(response, answer);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof SignpostError) throw cause;
      const isLate = attempt.signal.aborted;
      const code = isLate ? "timeout" : "connection_failed";
      const message = isLate ? `No answer in ${timeoutSeconds} s.` : "No whole answer came.";
      throw new SignpostError({ code, message, cause });
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** How long to wait before a request is tried again; undefined where that would not help. */
  #waitSeconds({ status, code, retryAfterSeconds }: SignpostError, spent: number, held: number) {
    const isHeld = code === "idempotency_in_progress";
    // In a browser a redirect has no status either.
    const isCut = status === 0 && code !== "unexpected_answer";
    const mayPass = isHeld || isCut || status === 429 || status >= 500;
    if (!mayPass || code === "not_configured") return undefined;
    const asked = retryAfterSeconds ?? (isHeld ? 1 : undefined);
    if (asked === undefined) return Math.min(8, 0.5 * 2 ** spent) * (0.5 + Math.random() / 2);
    if (asked > (this.#options.maxWaitSeconds ?? 60)) return undefined;
    // Never sooner than asked, and not all who were asked at once.
    return Math.max(0.1, asked, Math.min(4, held / 4)) * (1 + Math.random() / 4);
  }
}

async function read(response: Response, answer: Answer): Promise<unknown> {
  if (answer === "blob") return response.blob();
  if (answer === "nothing") return undefined;
  const body = await response.json();
  if (answer === "body") return body;
  const { data, ...beside } = body;
  return answer === "data" ? data : { ...data, ...beside };
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function quoted(revision: string): string {
  return /^[\w.-]+$/.test(revision) ? `"${revision}"` : revision;
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** A path with what its parameters stand for. @throws where one would lead to another path */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return values.reduce((made, value, index) => {
    if (!/[^.]/.test(value)) throw new TypeError(`An id is needed, not "${value}".`);
    return made + encodeURIComponent(value) + parts[index + 1];
  }, parts[0] ?? "");
}

/** Ends early where the signal is given: the next attempt then says so. */
function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, millisecondsOf(seconds));
    signal?.addEventListener("abort", end);
  });
}
