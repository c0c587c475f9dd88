import { version } from "../../../package.json";
import { type CutOff, cutOffAfter } from "../cut-off.ts";
import { isOutOfSubrequests } from "../subrequests.ts";
import { now } from "../time.ts";
import { keptHeaders } from "./kept-headers.ts";
import { type Outcome, parseRetryAfter } from "./retry-policy.ts";

/** For headers and body together. */
export const POST_MILLISECONDS = 15_000;
const MAX_RESPONSE_BYTES = 4096;

/** Who we are, in each request: receivers may let us in by it, or find us in their logs. */
export const USER_AGENT = `Signpost-Webhooks/${version}`;

/**
 * Sends JSON once, whatever it leads to: 15 s for headers and body together, no redirects, the
 * first 4 KiB of the answer and 2 KiB of its headers. Who posts much has one timer for all: `cutOff`
 * begins one. @throws when the platform lets nothing more out of this invocation
 */
export async function postJson(
  url: string,
  body: string,
  headers: Record<string, string>,
  cutOff: () => CutOff = () => cutOffAfter(POST_MILLISECONDS),
): Promise<Omit<Outcome, "durationMs">> {
  // One signal over headers and body: a receiver that drips is cut off like one that hangs.
  const { signal: timeout, end } = cutOff();
  let statusCode: number | null = null;
  let responseHeaders: string | null = null;
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { ...headers, "Content-Type": "application/json", "User-Agent": USER_AGENT },
      redirect: "manual",
      signal: timeout,
    });
    statusCode = response.status;
    responseHeaders = keptHeaders(response.headers);
    const responseBody = await readStart(response, timeout);
    return { statusCode, responseBody, responseHeaders, ...judge(response) };
  } catch (error) {
    if (isOutOfSubrequests(error)) throw error;
    return { statusCode, error: nameFault(error, timeout), responseBody: null, responseHeaders };
  } finally {
    end();
  }
}

function judge(response: Response): Pick<Outcome, "error" | "retryAfter" | "instruction"> {
  const { status, headers } = response;
  const header = headers.get("webhook-delivery");
  const instruction = header === "disable" || header === "abort-message" ? header : undefined;
  const asksToWait = status === 429 || status === 503;
  const retryAfter = asksToWait ? parseRetryAfter(headers.get("Retry-After"), now()) : undefined;
  return {
    error: response.ok ? null : status >= 300 && status < 400 ? "redirect" : "bad_status",
    ...(retryAfter !== undefined && { retryAfter }),
    ...(instruction && { instruction }),
  };
}

/** The first 4 KiB of a body as text; the rest is not read. */
async function readStart({ body }: Response, timeout: AbortSignal): Promise<string | null> {
  if (!body) return null;
  const reader = body.getReader({ mode: "byob" });
  const cut = () => void reader.cancel().catch(() => undefined);
  timeout.addEventListener("abort", cut);
  // Workerd's, not the standard's: it waits for so much or for the end, however many parts come.
  const { value } = await reader.readAtLeast(
    MAX_RESPONSE_BYTES,
    new Uint8Array(MAX_RESPONSE_BYTES),
  );
  timeout.removeEventListener("abort", cut);
  timeout.throwIfAborted();
  cut();
  return toText(value ?? new Uint8Array());
}

/** As text that takes no more bytes: what is not UTF-8 grows threefold when it is decoded. */
function toText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_RESPONSE_BYTES));
  return text.slice(0, read);
}

/** What went wrong on the way, in a word that callers can rely on. */
function nameFault(error: unknown, timeout: AbortSignal): string {
  if (timeout.aborted) return "timeout";
  const message = error instanceof Error ? error.message : "";
  if (/refused/i.test(message)) return "connection_refused";
  if (/\bdns\b|resolve/i.test(message)) return "dns_error";
  if (/\btls\b|\bssl\b|certificate/i.test(message)) return "tls_error";
  return "connection_failed";
}
