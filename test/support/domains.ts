import { type Answer, send } from "./http.ts";
import { PERSON } from "./visitor.ts";
import { env } from "./webhooks.ts";
import { newIdempotencyKey, type Workspace } from "./workspace.ts";
import type { Zone } from "./zone.ts";

export const DOMAINS = "/api/v1/biolinks/domains";
export const TARGET = "cname.signpost.example";

/** A host of its own for a test. */
export function newHost(): string {
  return `go-${crypto.randomUUID().slice(0, 13)}.brand.com`;
}

export function createDomain(workspace: Workspace, host: string): Promise<Answer> {
  const headers = { "Idempotency-Key": newIdempotencyKey() };
  return workspace.send("POST", DOMAINS, { headers, body: { host } });
}

export function verify(workspace: Workspace, id: string): Promise<Answer> {
  return workspace.send("POST", `${DOMAINS}/${id}/verify`);
}

export function readDomain(workspace: Workspace, id: string): Promise<Answer> {
  return workspace.send("GET", `${DOMAINS}/${id}`);
}

/** Changes what the resolver answers; null: there is no such name. */
export async function setZone(zone: Record<string, Zone[string] | null>): Promise<void> {
  const url = new URL("/zone", env.DOH_URL);
  await fetch(url, { method: "PUT", body: JSON.stringify(zone) });
}

interface WithRecords {
  host: string;
  dns_records: { type: string; name: string; value: string }[];
}

/** Creates the records that a domain asks for. */
export async function createRecords({ host, dns_records }: WithRecords): Promise<void> {
  const token = dns_records.find(({ type }) => type === "TXT");
  await setZone({ [token?.name ?? ""]: { TXT: [token?.value ?? ""] }, [host]: { CNAME: TARGET } });
}

export async function removeRecords({ host }: { host: string }): Promise<void> {
  await setZone({ [host]: null, [`_signpost.${host}`]: null });
}

/** A domain that is verified. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createActiveDomain(workspace: Workspace, host = newHost()): Promise<any> {
  const { data } = (await createDomain(workspace, host)).body;
  await createRecords(data);
  const verified = await verify(workspace, data.id);
  if (verified.body.data.status !== "active") throw new Error(verified.text);
  return verified.body.data;
}

/** Follows an address on a domain as a person does. */
export function follow(host: string, path: string, headers: Record<string, string> = {}) {
  return send(`https://${host}${path}`, { headers: { "User-Agent": PERSON, ...headers } });
}
