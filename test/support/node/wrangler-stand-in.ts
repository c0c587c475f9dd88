/**
 * Stands in for `wrangler` and the account behind it: notes each call, answers in the words of
 * wrangler 4.156.2 and keeps what was made in the file that STAND_IN_ACCOUNT names.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { StandInAccount } from "./deploy-stage.ts";

const FILE = process.env.STAND_IN_ACCOUNT ?? "";
const account: StandInAccount = JSON.parse(readFileSync(FILE, "utf8"));
const args = process.argv.slice(2);
const command = args.filter((arg) => !arg.startsWith("-")).join(" ");
const flag = (name: string) => args[args.indexOf(name) + 1];
const config = () => JSON.parse(readFileSync(flag("-c") ?? "", "utf8").replace(/^\/\/.*\n/, ""));
const call = {
  args,
  input: "",
  env: Object.values(process.env).join("\n"),
  // As wrangler has it: the file says it before the variable does.
  account: (args.includes("-c") && config().account_id) || process.env.CLOUDFLARE_ACCOUNT_ID,
};
account.calls.push(call);

function save(): void {
  writeFileSync(FILE, JSON.stringify(account));
}

function answer(text: string, code = 0): never {
  save();
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(code);
}

function refuse(text: string): never {
  return answer(`\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m ${text}`, 1);
}

const refuseApi = (path: string, why: string) =>
  refuse(`A request to the Cloudflare API (/accounts/acc/${path}) failed.\n\n  ${why}`);

function deploy(): never {
  const { name, d1_databases, queues, kv_namespaces, r2_buckets } = config();
  if (args.includes("--dry-run")) answer("--dry-run: exiting now.");
  const database = account.databases.find(({ uuid }) => uuid === d1_databases[0].database_id);
  if (!database) refuseApi("workers", "D1 binding 'DB' references a database that is not there.");
  for (const { queue, dead_letter_queue } of [...queues.producers, ...queues.consumers]) {
    for (const one of [queue, dead_letter_queue]) {
      if (one && !(one in account.queues)) refuse(`Queue "${one}" does not exist.`);
    }
  }
  if (!account.namespaces.some(({ id }) => id === kv_namespaces[0].id))
    refuse("No such namespace.");
  for (const { bucket_name } of r2_buckets ?? []) {
    if (!account.buckets?.includes(bucket_name)) refuse(`R2 bucket '${bucket_name}' not found.`);
  }
  const worker = account.workers[name] ?? { secrets: {} };
  account.workers[name] = { ...worker, deployedOn: database?.migrated ? "migrated" : "unmigrated" };
  answer(`Uploaded ${name} (3.21 sec)\nDeployed ${name} triggers (1.07 sec)`);
}

function createQueue(name: string): never {
  if (name in account.queues)
    refuseApi("queues", `Queue name '${name}' is already taken. [code: 11009]`);
  account.queues[name] = Number(flag("--message-retention-period-secs") ?? 345600);
  answer(`🌀 Creating queue '${name}'\n✅ Created queue '${name}'`);
}

function listQueues(page: number): never {
  const names = Object.keys(account.queues).slice((page - 1) * 5, page * 5);
  const rows = names.map((name) => `│ ${randomUUID()} │ ${name} │ 2026 │ 2026 │ 1 │ 1 │`);
  const head = "│ id │ name │ created_on │ modified_on │ producers │ consumers │";
  answer(names.length === 0 ? "" : ["┌────┐", head, "├────┤", ...rows, "└────┘"].join("\n"));
}

async function putSecrets(): Promise<never> {
  for await (const chunk of process.stdin) call.input += chunk;
  const { name } = config();
  const worker = account.workers[name] ?? { secrets: {} };
  Object.assign(worker.secrets, JSON.parse(call.input));
  account.workers[name] = worker;
  answer(
    `🌀 Processing the secrets for the Worker "${name}"\n✨ Finished processing secrets file:`,
  );
}

function listSecrets(): never {
  const { name } = config();
  const worker = account.workers[name];
  if (!worker) {
    refuse(
      `Worker "${name}" not found.\n\n  If this is a new Worker, run \`wrangler deploy\` first to create it.`,
    );
  }
  const list = Object.keys(worker.secrets).map((one) => ({ name: one, type: "secret_text" }));
  answer(JSON.stringify(list, null, 2));
}

function migrate(): never {
  const id = config().d1_databases[0].database_id;
  const database = account.databases.find(({ uuid }) => uuid === id);
  if (!database) refuse("Couldn't find a D1 DB with the name or binding 'DB'");
  const text = database.migrated
    ? "✅ No migrations to apply!"
    : "🌀 Executing on remote database DB";
  database.migrated = true;
  answer(text);
}

const broken = Object.entries(account.refuses).find(([start]) => args.join(" ").startsWith(start));
if (broken) refuse(broken[1]);
for (const [start, workers] of Object.entries(account.meanwhile ?? {})) {
  if (args.join(" ").startsWith(start)) Object.assign(account.workers, workers);
}

const last = args[/^(kv|r2)$/.test(args[0] ?? "") ? 3 : 2] ?? "";
if (command === "whoami") {
  if (!account.login) answer('{\n    "loggedIn": false\n}', 1);
  answer(JSON.stringify({ loggedIn: true, ...account.login }, null, 4));
} else if (command.startsWith("deploy")) deploy();
else if (command.startsWith("d1 list"))
  answer(JSON.stringify(account.databases.map(({ uuid, name }) => ({ uuid, name }))));
else if (command.startsWith("d1 create")) {
  account.databases.push({ uuid: randomUUID(), name: last, migrated: false, workspaces: 0 });
  answer(`✅ Successfully created DB '${last}' in region WEUR`);
} else if (command.startsWith("d1 migrations apply")) migrate();
else if (command.startsWith("d1 execute")) {
  const id = config().d1_databases[0].database_id;
  const found = account.databases.some((one) => one.uuid === id && one.workspaces > 0) ? 1 : 0;
  answer(JSON.stringify([{ results: [{ found }], success: true, meta: {} }]));
} else if (command.startsWith("queues list")) listQueues(Number(flag("--page")));
else if (command.startsWith("queues create")) createQueue(last);
else if (command.startsWith("queues update")) {
  if (!(last in account.queues)) refuse(`Queue "${last}" does not exist.`);
  account.queues[last] = Number(flag("--message-retention-period-secs"));
  answer(`Updating queue ${last}.\nUpdated queue ${last}.`);
} else if (command.startsWith("kv namespace list")) answer(JSON.stringify(account.namespaces));
else if (command.startsWith("kv namespace create")) {
  account.namespaces.push({ id: randomUUID().replaceAll("-", ""), title: last });
  answer(`🌀 Creating namespace with title "${last}"\n✨ Success!`);
} else if (command.startsWith("r2 bucket info")) {
  if (!account.buckets) {
    refuseApi("r2/buckets", "Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
  }
  if (!account.buckets?.includes(last)) {
    refuseApi("r2/buckets", "The specified bucket does not exist. [code: 10006]");
  }
  answer(JSON.stringify({ name: last }));
} else if (command.startsWith("r2 bucket create")) {
  account.buckets?.push(last);
  answer(`✅ Created bucket '${last}'`);
} else if (command.startsWith("secret list")) listSecrets();
else if (command.startsWith("secret bulk")) await putSecrets();
else refuse(`Unknown command: ${command}`);
