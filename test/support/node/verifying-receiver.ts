import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { WebhookClient } from "./webhook-client.ts";

/** What a receiver saw. */
export interface SeenPost {
  /** When all of it was here. */
  at: number;
  body: string;
  /** As judged when it came: a signature holds for five minutes. */
  isSigned: boolean;
}

/** A receiver of webhooks with an endpoint of its own, which notes each POST. */
export interface VerifyingReceiver {
  server: Server;
  /** By webhook-id, one for each POST. */
  posts: Map<string, SeenPost[]>;
  /** Its endpoint's. */
  id: string;
}

export async function startVerifyingReceiver(
  client: WebhookClient,
  on: { post(): void; answer(): void },
): Promise<VerifyingReceiver> {
  const posts: VerifyingReceiver["posts"] = new Map();
  let secret = "";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const id = String(request.headers["webhook-id"]);
      const body = Buffer.concat(chunks).toString("utf8");
      const isSigned = verifies(secret, body, request.headers as Record<string, string>);
      posts.set(id, [...(posts.get(id) ?? []), { at: Date.now(), body, isSigned }]);
      on.post();
      setTimeout(() => response.writeHead(204).end(on.answer), Math.random() * 20);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const made = await client.createEndpoint(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  );
  secret = made.secret;
  return { server, posts, id: made.id };
}

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
