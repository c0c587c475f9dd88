import { createServer, type Server } from "node:http";

/** A status, or `reset`: cut off. */
type Answer = number | "reset";

/**
 * Stands in for the server APIs of pixels' providers: Meta's under /meta, Google's under /ga4. Each
 * pixel's tag has a box. PUT /answers/<tag> says how the next events are answered, then 200 again;
 * GET /received/<tag> tells what came.
 */
export function createProviderApi(): Server {
  const boxes = new Map<string, { url: string; headers: object; body: unknown }[]>();
  const answers = new Map<string, Answer[]>();
  return createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://provider");
    let text = "";
    for await (const chunk of request) text += chunk;
    const [, first = "", last = ""] = url.pathname.split("/");
    if (first === "received") {
      response.end(JSON.stringify(boxes.get(last) ?? []));
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
    box.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
    const answer = answers.get(tag)?.shift() ?? 200;
    if (answer === "reset") return void request.socket.destroy();
    response.statusCode = answer;
    response.end("{}");
  });
}
