import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface BenchReceiver {
  url: string;
  /** Milliseconds from publishing to the first receipt, by the number of the event. */
  lags: Map<number, number>;
  /** From now on it answers nothing. */
  hang(): void;
  /** It answers again, those that wait too. */
  recover(): void;
}

/** A receiver of events whose `data.id` is when they were published and their number. */
export async function startReceiver(): Promise<BenchReceiver> {
  const lags = new Map<number, number>();
  const waiting: ServerResponse[] = [];
  let hanging = false;
  const server = createServer((request, response) => {
    const arrived = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const [published, number] = String(data.id).split(" ").map(Number) as [number, number];
      if (!lags.has(number)) lags.set(number, arrived - published);
      if (hanging) waiting.push(response);
      else response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    lags,
    hang: () => {
      hanging = true;
    },
    recover: () => {
      hanging = false;
      for (const response of waiting.splice(0)) response.writeHead(204).end();
    },
  };
}
