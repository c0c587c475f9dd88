import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { migrate } from "../contestant.ts";
import { id as idSql } from "../growth/stored.ts";
import { type IsolateMemory, isolateMemory } from "../isolate-memory.ts";
import { hang, openReceiver } from "./receivers.ts";
import { steady } from "./steady.ts";
import { connect, found, type Tenant, testEndpoint } from "./tenant.ts";

/** A database answers within 30 s. */
const SLICE = 20_000;
/** Before what is measured: the lane takes up what it found. */
const SETTLING_SECONDS = 5;

/** How a receiver is dead: connections to it are taken and nothing is answered, or refused. */
export type Death = "hangs" | "refuses";

export interface BesideTheDead {
  death: Death;
  lags: number[];
  before: IsolateMemory;
  after: IsolateMemory;
}

type Database = Awaited<ReturnType<typeof migrate>>;

/** The neighbour's lags while another workspace's lane has so many deliveries for nobody. */
export async function besideTheDead(
  neighbour: Tenant,
  database: Database,
  inspector: number,
  { death, pending, seconds }: { death: Death; pending: number; seconds: number },
): Promise<BesideTheDead> {
  const before = await isolateMemory(inspector, neighbour.at);
  const dead = await found(neighbour.at, `Dead: ${death}`, 0);
  await connect(dead, await deadUrl(death));
  await storeDue(database, dead, pending);
  await testEndpoint(dead);
  await pause(SETTLING_SECONDS * 1000);
  const lags = await steady(neighbour, seconds);
  const after = await isolateMemory(inspector, neighbour.at);
  return { death, lags, before, after };
}

async function deadUrl(death: Death): Promise<string> {
  if (death === "hangs") {
    const receiver = await openReceiver();
    await hang(receiver);
    return receiver.url;
  }
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}/`;
}

/** Writes deliveries that are due, with their events, as a long outage leaves them. */
async function storeDue(db: Database, { workspace, endpoints }: Tenant, count: number) {
  const time = Date.now() - 60_000;
  const id = idSql(`${time}`);
  for (let from = 0; from < count; from += SLICE) {
    const to = Math.min(from + SLICE, count);
    const each = `WITH RECURSIVE each (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM each WHERE n < ${to - 1})`;
    await db
      .prepare(
        `${each} INSERT INTO events (id, workspace_id, type, channel, test, data, fanned_out_at,
           created_at)
         SELECT ${id}, ?1, 'publishing.post.published', 'all', 0,
           json_object('id', '0 0', 'title', null, 'url', null, 'networks', json('[]'),
           'scheduled_at', null, 'published_at', null), ${time}, ${time} FROM each`,
      )
      .bind(workspace)
      .run();
    await db
      .prepare(
        `${each} INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event,
           channel, test, status, attempts_count, next_attempt_at, created_at)
         SELECT ${id}, ?1, 'endpoint', ?2,
           ${id}, 'publishing.post.published', 'all', 0,
           'pending', 0, ${time} + n % 1000, ${time} FROM each`,
      )
      .bind(workspace, endpoints[0] ?? "")
      .run();
  }
}
