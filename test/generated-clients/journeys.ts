/**
 * Takes the main journey on a running Signpost with each generated client, and holds all that was
 * sent and answered to the generated validators. `node journeys.ts STAGE DESCRIPTION_FILE`, the
 * stage as JSON; prints what was found as JSON.
 */
import { readFileSync } from "node:fs";
import { type Exchange, recordingFetch, type Stage } from "./exchange.ts";
import { takeSdkJourney } from "./sdk-journey.ts";
import { takeTypedJourney } from "./typed-journey.ts";
import { type Description, faultsOf, findOperation } from "./validate.ts";

const stage: Stage = JSON.parse(process.argv[2] ?? "");
const description: Description = JSON.parse(readFileSync(process.argv[3] ?? "", "utf8"));
const exchanges: Exchange[] = [];

await takeTypedJourney(stage, exchanges);
await takeSdkJourney(stage, exchanges);
const clients = [...new Set(exchanges.map(({ client }) => client))];
await readWhatIsLeft();
console.log(
  JSON.stringify({
    exchanges,
    faults: exchanges.flatMap((exchange) => faultsOf(description, exchange)),
    neverTaken: Object.fromEntries(clients.map((client) => [client, leftOut(client, "plain")])),
  }),
);

/** The operations that have answered none of these clients with a success. */
function leftOut(...names: string[]): string[] {
  const succeeded = exchanges.filter(
    ({ client, status }) => names.includes(client) && status < 400,
  );
  const taken = new Set(
    succeeded.map(({ method, path }) => findOperation(description, method, path)?.operationId),
  );
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path));
  return operations.map(({ operationId }) => operationId).filter((each) => !taken.has(each));
}

/** Reads newer operations that the journeys do not know yet, for the validators' sake. */
async function readWhatIsLeft(): Promise<void> {
  const missing = new Set(leftOut(...clients));
  const read = recordingFetch("plain", exchanges);
  for (const [template, { get }] of Object.entries(description.paths)) {
    if (!get || !missing.has(get.operationId)) continue;
    for (const path of spell(template)) {
      const token = path.startsWith("/admin/") ? stage.adminToken : workspaceKey();
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await read(new Request(stage.origin + path, { headers }));
      if (answer.ok) break;
    }
  }
}

/** A path with its last parameter as each id that the journeys have sent, its first as the workspace. */
function spell(template: string): string[] {
  const ids = new Set(
    exchanges.flatMap(
      ({ path, sent }) => `${path} ${JSON.stringify(sent)}`.match(/[0-9a-f-]{36}/g) ?? [],
    ),
  );
  const begun = template.replace("{workspace}", workspaceId());
  if (!begun.includes("{")) return [begun];
  return [...ids].map((id) => begun.replaceAll(/\{\w+\}/g, id));
}

function issuing(): Exchange {
  const isIssuing = ({ method, path }: Exchange) => method === "POST" && path.endsWith("/keys");
  const found = exchanges.findLast((each) => isIssuing(each) && grants(each.sent));
  if (!found) throw new Error("No key was issued.");
  return found;
}

function grants(sent: unknown): boolean {
  return JSON.stringify(sent).includes('["*"]');
}

function workspaceId(): string {
  return issuing().path.split("/")[4] ?? "";
}

function workspaceKey(): string {
  return (issuing().answered as { key: string }).key;
}
