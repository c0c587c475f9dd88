import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Contestant } from "../contestant.ts";
import { processorTime } from "../processor-time.ts";
import { machineNow } from "./clock.ts";
import { type Receiver, untilReceived } from "./receivers.ts";
import { countPublished, lastPublished } from "./tenant.ts";

const RAW_SECONDS = 2;
/** As many as three lanes have at a time. */
const RAW_CONNECTIONS = 15;

/** Deliveries a second, and microseconds of the runtime's processor for each. */
export interface Floor {
  rate: number;
  cpu: number;
}

/** What a Worker does that only signs and POSTs, five at a time to each receiver. */
export async function floor(
  { port, pid }: Contestant,
  receivers: Receiver[],
  events: number,
): Promise<Floor> {
  const cpu = processorTime(pid);
  const after = lastPublished();
  const publishedAt = machineNow();
  countPublished(events);
  await Promise.all(
    receivers.map(async ({ url }) => {
      const order = { url, events, first: after + 1, publishedAt };
      const body = JSON.stringify(order);
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
      if (!answer.ok) throw new Error(`The floor answered ${answer.status}.`);
    }),
  );
  const got = await untilReceived(receivers, after, events);
  const ended = Math.max(...got.map(({ lastAt }) => lastAt));
  const deliveries = events * receivers.length;
  return {
    rate: (deliveries * 1000) / (ended - publishedAt),
    cpu: (processorTime(pid) - cpu) / deliveries,
  };
}

/** POSTs a second that the receivers take from this process: they are to be no bottleneck. */
export async function receiversLimit(receivers: Receiver[]): Promise<number> {
  const body = `{"data":{"id":"${machineNow()} 0"},"more":"${"x".repeat(250)}"}`;
  const post = `POST / HTTP/1.1\r\nHost: bench\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  let answers = 0;
  const sockets: Socket[] = [];
  for (let nth = 0; nth < RAW_CONNECTIONS; nth++) {
    const { port } = new URL((receivers[nth % receivers.length] as Receiver).url);
    const socket = connect({ host: "127.0.0.1", port: Number(port), noDelay: true });
    socket.on("connect", () => socket.write(post));
    socket.on("data", () => {
      answers++;
      socket.write(post);
    });
    socket.on("error", () => undefined);
    sockets.push(socket);
  }
  await pause(RAW_SECONDS * 1000);
  for (const socket of sockets) socket.destroy();
  return answers / RAW_SECONDS;
}
