import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { newAddress } from "../address.ts";

interface WatchedCall {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

/** What stands before a Signpost and notes how each call was answered. */
export interface Watch {
  origin: string;
  /** The calls since they were taken last, in their order. */
  take(): WatchedCall[];
  stop(): Promise<void>;
}

export async function watchCalls(port: number): Promise<Watch> {
  let calls: WatchedCall[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    // What is compressed could not be read here.
    const named = {
      ...headers,
      "cf-connecting-ip": newAddress(),
      "accept-encoding": "identity",
    };
    const onward = request(
      { host: "localhost", port, method, path, headers: named },
      async (answer) => {
        const { statusCode: status = 502 } = answer;
        const content = Buffer.concat(await answer.toArray());
        const fields = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
        const text = content.toString("utf8");
        calls.push({
          method,
          path,
          status,
          headers: new Headers(fields as [string, string][]),
          text,
        });
        outgoing.writeHead(status, answer.headers).end(content);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
    stop: async () => {
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
}
