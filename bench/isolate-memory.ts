/** What a Worker takes: its isolate, asked through the inspector, and its whole runtime. */
import { readFileSync } from "node:fs";
import type { Contestant } from "./contestant.ts";

export interface IsolateMemory {
  /** JavaScript's own, after a collection. */
  heapMegabytes: number;
  /** Of the process: with the database, the shared cache and the queues of the local runtime. */
  residentMegabytes: number;
}

const MEGABYTE = 1024 * 1024;

export async function isolateMemory(
  inspector: number,
  { port, pid }: Contestant,
): Promise<IsolateMemory> {
  const heap = await heapOf(inspector, port);
  const status = pid === undefined ? "" : readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
  return { heapMegabytes: heap / MEGABYTE, residentMegabytes: kilobytes / 1024 };
}

/** Used after a collection, which waits for the isolate's next turn: so requests give it some. */
async function heapOf(inspector: number, port: number): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${inspector}/core:user:contestant`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("The runtime's inspector does not answer."));
  });
  const used = new Promise<number>((resolve, reject) => {
    socket.onclose = () => reject(new Error("The runtime's inspector is gone."));
    socket.onmessage = ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as {
        id?: number;
        result?: { usedSize: number };
      };
      if (id === 2 && result) resolve(result.usedSize);
    };
  });
  for (let collection = 0; collection < 3; collection++) {
    socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" }));
    await (await fetch(`http://127.0.0.1:${port}/robots.txt`)).text();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await (await fetch(`http://127.0.0.1:${port}/robots.txt`)).text();
  }
  socket.send(JSON.stringify({ id: 2, method: "Runtime.getHeapUsage" }));
  const size = await used;
  socket.onclose = null;
  socket.close();
  return size;
}
