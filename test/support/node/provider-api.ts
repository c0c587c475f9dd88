import { createServer, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";

/** A status, `slow` (200 after a while), or `reset`: cut off. */
type Answer = number | "slow" | "reset";
const SLOW_MILLISECONDS = 100;

/**
 * Stands in for the server APIs of pixels' providers: Meta's under /meta, Google's under /ga4; and for
 * Turnstile's under /turnstile, which passes who says `passed-…`, once but for who asks again with
 * the same key, and fails at `broken`. Each
 * pixel's tag has a box. PUT /answers/<tag> says how the next events are answered, then 200 again;
 * GET /received/<tag> tells what came, GET /most/<token> how many came with a token at the same time.
 */
export function createProviderApi(): Server {
  const boxes = new Map<string, { url: string; headers: object; body: unknown }[]>();
  const answers = new Map<string, Answer[]>();
  const verifiedBy = new Map<string, string>();
  const open = new Map<string, { now: number; most: number }>();
  return createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://provider");
    let text = "";
    for await (const chunk of request) text += chunk;
    const [, first = "", last = ""] = url.pathname.split("/");
    if (first === "received") {
      response.end(JSON.stringify(boxes.get(last) ?? []));
      return;
    }
    if (first === "turnstile") {
      const { status, body } = verify(new URLSearchParams(text), verifiedBy);
      response.statusCode = status;
      response.end(body);
      return;
    }
    if (first === "most") {
      response.end(String(open.get(last)?.most ?? 0));
      return;
    }
    if (first === "answers") {
      answers.set(last, JSON.parse(text));
      response.end();
      return;
    }
    const tag = first === "ga4" ? (url.searchParams.get("measurement_id") ?? "") : last;
    const box = boxes.get(tag) ?? [];
    boxes.set(tag, box);
    const body = JSON.parse(text);
    box.push({ url: request.url ?? "", headers: request.headers, body });
    const answer = answers.get(tag)?.shift() ?? 200;
    if (answer === "reset") return void request.socket.destroy();
    const token = body.access_token ?? url.searchParams.get("api_secret");
    const held = open.get(token) ?? { now: 0, most: 0 };
    open.set(token, held);
    held.most = Math.max(held.most, ++held.now);
    if (answer === "slow") await setTimeout(SLOW_MILLISECONDS);
    held.now--;
    response.statusCode = answer === "slow" ? 200 : answer;
    response.end("{}");
  });
}

function verify(
  form: URLSearchParams,
  verifiedBy: Map<string, string>,
): { status: number; body: string } {
  const response = form.get("response") ?? "";
  if (response === "broken") return { status: 500, body: "<h1>Oh no</h1>" };
  const fault = faultOf(form, response, verifiedBy);
  const answer = fault ? { success: false, "error-codes": [fault] } : { success: true };
  return { status: 200, body: JSON.stringify(answer) };
}

function faultOf(
  form: URLSearchParams,
  response: string,
  verifiedBy: Map<string, string>,
): string | undefined {
  if (form.get("secret") !== "turnstile-secret") return "invalid-input-secret";
  if (response === "") return "missing-input-response";
  if (!response.startsWith("passed-") || form.has("remoteip")) return "invalid-input-response";
  const key = form.get("idempotency_key");
  const before = verifiedBy.get(response);
  if (before !== undefined && before !== key) return "timeout-or-duplicate";
  // Without a key no second question is the same.
  verifiedBy.set(response, key ?? crypto.randomUUID());
  return undefined;
}
