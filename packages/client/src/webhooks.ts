/** Verifies Signpost's webhooks, which are signed as Standard Webhooks says. */
import type { WebhookEvent } from "./generated/events.ts";

export type { WebhookEvent, WebhookEvents } from "./generated/events.ts";

/** A request as `fetch` knows it, or its parts: headers of Node, and the body as it came. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | Record<string, string | readonly string[] | undefined>;
      /** The bytes or the text, not what was parsed of them. */
      body: string | Uint8Array;
    };

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be off: 300 unless said. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  now?: number;
}

export interface VerifiedWebhook {
  event: WebhookEvent;
  /** The same on all attempts of a delivery: one that comes twice is handled once. */
  deliveryId: string;
  /** When this attempt was signed. */
  sentAt: Date;
}

/** What came is no webhook of Signpost's, or none of today: answer 400. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * The event of a webhook whose signature holds. While a secret is rotated both may be given.
 * @throws WebhookError when none of its signatures is made with one of the secrets, it is old, or
 * its body is no JSON, or not as it came
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  const header = headersOf(request.headers);
  const [deliveryId, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
  // Between them are spaces, or commas where the header came more than once.
  const signatures = (header("webhook-signature").match(/v1,[^\s,]+/g) ?? []).slice(0, 32);
  const body =
    "arrayBuffer" in request ? new Uint8Array(await request.arrayBuffer()) : toBytes(request.body);
  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  const signed = joined(toBytes(`${deliveryId}.${timestamp}.`), body);
  let holds = false;
  for (const one of [secret].flat()) {
    const expected = await sign(one, signed);
    // All are compared, whether one held or not.
    for (const signature of signatures) holds = isSame(expected, signature) || holds;
  }
  if (!holds) throw new WebhookError("No signature holds.");
  if (!(Math.abs(now - sentAt) <= toleranceSeconds * 1000)) {
    throw new WebhookError("The webhook was signed too long ago, or in the future.");
  }
  return { event: parsed(body), deliveryId, sentAt: new Date(sentAt) };
}

function parsed(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    throw new WebhookError("The body is no JSON.", { cause });
  }
}

function headersOf(headers: WebhookRequest["headers"]) {
  const all = new Headers();
  const given = headers instanceof Headers ? headers : Object.entries(headers);
  // Only ours: Node's HTTP/2 has names that are none of a header, such as `:path`.
  for (const [name, value] of given)
    if (value !== undefined && /^webhook-/i.test(name)) all.set(name, String(value));
  return (name: string): string => {
    const value = all.get(name);
    if (!value) throw new WebhookError(`The header ${name} is missing.`);
    return value;
  };
}

/** `v1,` and the base64 of the HMAC, as it stands in the header. */
async function sign(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = { name: "HMAC", hash: "SHA-256" };
  const text = secret.replace(/^whsec_/, "");
  // One that is empty, as a setting may be, would sign for everybody.
  if (!/^[\w+/]{20,}=*$/.test(text)) throw new TypeError("A secret is needed: `whsec_…`.");
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, hash, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
  return `v1,${btoa(String.fromCharCode(...mac))}`;
}

/** Takes as long for any text of this length. */
function isSame(expected: string, given: string): boolean {
  let difference = expected.length ^ given.length;
  for (let at = 0; at < expected.length; at++) {
    difference |= expected.charCodeAt(at) ^ given.charCodeAt(at);
  }
  return difference === 0;
}

function toBytes(text: string | Uint8Array): Uint8Array {
  if (typeof text === "string") return new TextEncoder().encode(text);
  if (ArrayBuffer.isView(text)) return text;
  throw new WebhookError("The body must be given as it came, not what was parsed of it.");
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + rest.length);
  whole.set(head);
  whole.set(rest, head.length);
  return whole;
}
