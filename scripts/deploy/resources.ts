import type { Deployment } from "./config.ts";
import { Failure } from "./failure.ts";
import { mustWrangler, refused, wrangler } from "./wrangler.ts";

/** Dead letters are replayed for 10 days; unset, a queue keeps what it has for 4. */
const DEAD_LETTERS_SECONDS = String(14 * 24 * 60 * 60);
const RETRY =
  "What was made stays and is found again: mend what is named above, then run this again.";
const PAID = "It needs the plan Workers Paid. ";

interface Found {
  databaseId: string | undefined;
  namespaceId: string | undefined;
  queues: Set<string>;
  bucket: "there" | "missing" | "no R2 in this account" | "not wanted";
}

/** Reads what there is, which also shows that the login may; nothing is made yet. */
export async function findResources(deployment: Deployment): Promise<Found> {
  const { database, namespace, bucket } = namesOf(deployment);
  const { file } = deployment;
  const remedy = "Nothing was changed. Mend what is named above, then run this again.";
  const list = async <Item>(...what: string[]) => {
    const args = [...what, "-c", file];
    const text = await mustWrangler(args, remedy);
    try {
      return JSON.parse(text) as Item[];
    } catch {
      throw new Failure(`\`wrangler ${args.join(" ")}\` answered no JSON:\n\n${text}\n`, remedy);
    }
  };
  const databases = await list<{ uuid: string; name: string }>("d1", "list", "--json");
  const namespaces = await list<{ id: string; title: string }>("kv", "namespace", "list");
  return {
    databaseId: databases.find(({ name }) => name === database)?.uuid,
    namespaceId: namespaces.find(({ title }) => title === namespace)?.id,
    queues: await findQueues(file, remedy),
    bucket: bucket === undefined ? "not wanted" : await findBucket(bucket, file, remedy),
  };
}

/** Makes what is missing, and writes into the deployment by which id each is found. */
export async function makeResources(deployment: Deployment, found: Found): Promise<string[]> {
  const { database, namespace, bucket, queues, dead } = namesOf(deployment);
  const { config, file } = deployment;
  const made: string[] = [];
  const make = async (what: string, ...args: string[]) => {
    await mustWrangler([...args, "-c", file], `${what} could not be made. ${RETRY}`);
    made.push(what);
  };
  let { databaseId, namespaceId } = found;
  if (!databaseId)
    await make(`database ${database}`, "d1", "create", database, "--update-config=false");
  for (const queue of queues) {
    const isDead = dead.has(queue);
    const retention = isDead ? ["--message-retention-period-secs", DEAD_LETTERS_SECONDS] : [];
    if (!found.queues.has(queue)) {
      const args = ["queues", "create", queue, ...retention, "-c", file];
      await mustWrangler(args, `The queue ${queue} could not be made. ${PAID}${RETRY}`);
      made.push(`queue ${queue}`);
    } else if (isDead) {
      // How long it keeps what it has is told by nothing: said anew, which changes nothing else.
      const args = ["queues", "update", queue, ...retention, "-c", file];
      await mustWrangler(args, `${PAID}${RETRY}`);
    }
  }
  if (!namespaceId)
    await make(
      `namespace ${namespace}`,
      "kv",
      "namespace",
      "create",
      namespace,
      "--update-config=false",
    );
  if (bucket && found.bucket === "missing")
    await make(`bucket ${bucket}`, "r2", "bucket", "create", bucket, "--update-config=false");
  if (!databaseId || !namespaceId) {
    ({ databaseId, namespaceId } = await findResources(deployment));
    if (!databaseId || !namespaceId) {
      throw new Failure("What was made is not listed yet.", "Run this again in a minute.");
    }
  }
  const [db] = config.d1_databases ?? [];
  const [salts] = config.kv_namespaces ?? [];
  if (db) db.database_id = databaseId;
  if (salts) salts.id = namespaceId;
  // A binding to a bucket that cannot be is refused by the deploy; without it all but files works.
  if (found.bucket === "no R2 in this account") delete config.r2_buckets;
  return made;
}

function namesOf({ config }: Deployment) {
  const [db] = config.d1_databases ?? [];
  const [salts] = config.kv_namespaces ?? [];
  const { consumers = [], producers = [] } = config.queues ?? {};
  if (!db?.database_name || !salts) {
    throw new Failure("wrangler.toml lacks the database or the namespace.", "Put it back into it.");
  }
  const dead = new Set(consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []));
  const all = [...consumers, ...producers].flatMap(({ queue }) => queue ?? []);
  return {
    database: db.database_name,
    // As `wrangler deploy` calls the one that it makes by itself.
    namespace: `${config.name}-${salts.binding.toLowerCase()}`,
    bucket: config.r2_buckets?.[0]?.bucket_name,
    // A queue comes after the one of its dead letters: it is never without.
    queues: new Set([...dead, ...all]),
    dead,
  };
}

/** Page by page until one is empty: how many a page has is Cloudflare's choice. */
async function findQueues(file: string, remedy: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let page = 1; page <= 100; page++) {
    const args = ["queues", "list", "--page", String(page), "-c", file];
    const table = await mustWrangler(args, remedy);
    const rows = table.split("\n").filter((line) => line.trimStart().startsWith("│"));
    const [head, ...queues] = rows.map((row) => row.split("│").map((cell) => cell.trim()));
    const column = head?.indexOf("name") ?? -1;
    const before = names.size;
    for (const queue of queues) names.add(queue[column] ?? "");
    if (names.size === before) break;
  }
  return names;
}

async function findBucket(bucket: string, file: string, remedy: string): Promise<Found["bucket"]> {
  const args = ["r2", "bucket", "info", bucket, "--json", "-c", file];
  const answer = await wrangler(args);
  if (answer.code === 0) return "there";
  if (answer.said.includes("[code: 10006]")) return "missing";
  if (answer.said.includes("[code: 10042]")) return "no R2 in this account";
  throw refused(args, answer, remedy);
}
