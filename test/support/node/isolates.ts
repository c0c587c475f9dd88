import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { newAddress } from "../address.ts";
import { createRuntimeHome } from "./runtime-process.ts";

/** The platform's host, whatever port an isolate is on. */
export const PLATFORM = "localhost:8787";

export interface Isolate {
  name: string;
  port: number;
}

export interface IsolateAnswer {
  status: number;
  location: string | undefined;
  text: string;
}

/** The Worker, started once for each clock, over one database and one shared cache. */
export interface Isolates {
  all: Isolate[];
  database: Awaited<ReturnType<Miniflare["getD1Database"]>>;
  /** The cron trigger of a minute. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts as many isolates as clocks are given, each by how many milliseconds it is wrong. */
export async function startIsolates(skews: number[]): Promise<Isolates> {
  const vars = { KEY_RATE_LIMIT: "1000000" };
  const home = createRuntimeHome(vars, { script: "skewed-worker.ts" });
  const options = JSON.parse(readFileSync(join(home.folder, "options.json"), "utf8"));
  const { resourcePersistencePath, host, cf, ...worker } = options;
  const workers = skews.map((skew, at) => ({
    ...worker,
    name: `isolate-${at}`,
    bindings: { ...worker.bindings, CLOCK_SKEW: String(skew) },
    // One consumer of a queue.
    ...(at > 0 && { queueConsumers: {} }),
  }));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath,
      host,
      cf,
      workers,
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(message);
      },
    }),
  );
  const first = "isolate-0";
  const database = await runtime.getD1Database("DB", first);
  const all = await Promise.all(
    skews.map(async (_skew, at) => {
      const name = `isolate-${at}`;
      return { name, port: Number((await runtime.unsafeGetDirectURL(name)).port) };
    }),
  );
  return {
    all,
    database,
    tick: async () => {
      const work = await runtime.getWorker(first);
      await work.scheduled({ cron: "* * * * *" });
    },
    stop: async () => {
      await runtime.dispose();
      home.remove();
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Asked {
  method?: string;
  path: string;
  host?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Goes away before the answer. */
  signal?: AbortSignal;
}

/** Asks one isolate, under any host. */
export function ask(
  { port }: Isolate,
  { method = "GET", path, host = PLATFORM, headers = {}, body, signal }: Asked,
): Promise<IsolateAnswer> {
  return new Promise((resolve, reject) => {
    const length = { "Content-Length": String(Buffer.byteLength(body ?? "")) };
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port,
        method,
        path,
        ...(signal && { signal }),
        headers: { Host: host, "CF-Connecting-IP": newAddress(), ...(body && length), ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            location: answer.headers.location,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
