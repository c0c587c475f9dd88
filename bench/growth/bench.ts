import { randomBytes } from "node:crypto";
import {
  ADMIN_TOKEN,
  type Contestant,
  makeDaySalt,
  migrate,
  newAddress,
  signpost,
  start as startContestant,
  type WorkerSetup,
} from "../contestant.ts";
import type { Database } from "./stored.ts";

/** Rows since the start: of the database, and of the gates. */
export interface Rows {
  read: number;
  written: number;
  gateRead: number;
  gateWritten: number;
}

const QUIET_MILLISECONDS = 300;
const PATIENCE_MILLISECONDS = 60_000;

export interface Answer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is looked at by field.
  json: any;
}

/** No queue waits for a batch to fill, so that what an answer leaves behind is seen soon. */
function atOnce(setup: WorkerSetup): WorkerSetup {
  const consumers = Object.entries(setup.queueConsumers ?? {}).map(([queue, options]) => [
    queue,
    { ...(options as object), maxBatchTimeout: 0 },
  ]);
  return { ...setup, queueConsumers: Object.fromEntries(consumers) };
}

/** Signpost with so much stored, alone in a workerd of its own. */
export class Bench {
  readonly label: string;
  readonly start = Date.now() - 6 * 86_400_000;
  workspace = "";
  key = "";
  endpoints: string[] = [];
  /** Their names, but for those of dead letters. */
  queues: string[] = [];
  readonly #contestant: Contestant;
  readonly database: Promise<Database>;

  private constructor(label: string, contestant: Contestant) {
    this.label = label;
    this.#contestant = contestant;
    this.database = migrate(contestant);
  }

  static async open(label: string, resolver: string, receiver: string): Promise<Bench> {
    const vars = {
      ALLOW_PRIVATE_TARGETS: "true",
      KEY_RATE_LIMIT: "1000000",
      WEBHOOK_CHANGE_RATE_LIMIT: "1000000",
      CNAME_TARGET: "cname.signpost.example",
      DOH_URL: resolver,
      MESSAGE_CONNECTOR_URL: receiver,
      MESSAGE_CONNECTOR_SECRET: `whsec_${randomBytes(32).toString("base64")}`,
      GOOGLE_ANALYTICS_URL: receiver.replace(/\/$/, ""),
    };
    const setup = atOnce(signpost(vars, "bench/workers/growth.ts"));
    const bench = new Bench(label, await startContestant(label, setup));
    const queues = Object.keys(setup.queueConsumers ?? {});
    bench.queues = queues.filter((queue) => !queue.endsWith("-dead"));
    await bench.database;
    await makeDaySalt(bench.#contestant);
    return bench;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const token = path.startsWith("/admin/") ? ADMIN_TOKEN : this.key;
    const answer = await fetch(`http://127.0.0.1:${this.#contestant.port}${path}`, {
      method,
      redirect: "manual",
      headers: {
        Authorization: `Bearer ${token}`,
        "CF-Connecting-IP": newAddress(),
        "Idempotency-Key": crypto.randomUUID(),
        "If-Match": "*",
        ...headers,
      },
      ...(body === undefined ? {} : { body: written(body) }),
    });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { status: answer.status, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /** What only the benchmark's Worker does: jobs, queues, filling the gate. Answers the rows so far. */
  async control(path: string, body: unknown = {}): Promise<Rows> {
    const url = `http://127.0.0.1:${this.#contestant.port}/bench/${path}`;
    const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Rows;
  }

  async jobs(): Promise<string[]> {
    const answer = await fetch(`http://127.0.0.1:${this.#contestant.port}/bench/jobs`);
    return (await answer.json()) as string[];
  }

  /** Waits until nothing that an answer left behind touches the database any more. */
  async untilQuiet(): Promise<Rows> {
    const end = performance.now() + PATIENCE_MILLISECONDS;
    let last = await this.control("rows");
    for (let since = performance.now(); performance.now() - since < QUIET_MILLISECONDS; ) {
      if (performance.now() > end) throw new Error(`${this.label} does not come to rest.`);
      await new Promise((done) => setTimeout(done, 50));
      const rows = await this.control("rows");
      if (rows.read + rows.written !== last.read + last.written) since = performance.now();
      last = rows;
    }
    return last;
  }

  /** A workspace with a key that may all, and ten endpoints of which each wants posts. */
  async found(receiver: string): Promise<void> {
    const input = { name: "Big", plan: "business" };
    const made = await this.send("POST", "/admin/v1/workspaces", input);
    this.workspace = made.json.data.id;
    const keys = `/admin/v1/workspaces/${this.workspace}/keys`;
    this.key = (await this.send("POST", keys, { name: "Bench", permissions: ["*"] })).json.key;
    const path = "/api/v1/workspace-webhooks/endpoints";
    const subscriptions = [{ event: "publishing.post.published", channel: "all" }];
    while (this.endpoints.length < 10) {
      const wanted = { name: "Bench", url: receiver, subscriptions };
      const { id } = (await this.send("POST", path, wanted)).json.data;
      await this.send("PATCH", `${path}/${id}`, { enabled: true });
      this.endpoints.push(id);
    }
  }
}

/** A body as it is sent: bytes as they are, all else as JSON. */
function written(body: unknown): BodyInit {
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body);
}
