import type { Env } from "../../../platform/config.ts";
import { ResolverFault, resolve, resolveAddresses } from "../../../platform/dns/dns-over-https.ts";
import { textOf } from "../../../platform/dns/txt-record.ts";
import type { DomainProblem } from "./domains.table.ts";
import { isApex } from "./host.ts";

const MAX_ALIASES = 8;
const OWNERSHIP_PREFIX = "signpost-verification=";

export interface DnsRecord {
  type: "TXT" | "CNAME" | "ALIAS";
  name: string;
  value: string;
  purpose: "ownership" | "traffic";
}

/** What the owner of a host is to create. At an apex DNS allows no CNAME: flattened, it is an ALIAS. */
export function dnsRecords(host: string, token: string, target: string): DnsRecord[] {
  return [
    {
      type: "TXT",
      name: `_signpost.${host}`,
      value: OWNERSHIP_PREFIX + token,
      purpose: "ownership",
    },
    { type: isApex(host) ? "ALIAS" : "CNAME", name: host, value: target, purpose: "traffic" },
  ];
}

/** How a check of a host's DNS ended. `unknown`: the resolver could not be asked. */
export interface DnsFinding {
  verdict: "right" | "wrong" | "unknown";
  problems: DomainProblem[];
}

/** Looks up whether a host is its claimant's, and leads here. An outage of the resolver is no verdict. */
export async function checkDns(
  env: Env,
  domain: { host: string; token: string },
  target: string,
): Promise<DnsFinding> {
  const [ownership, traffic] = dnsRecords(domain.host, domain.token, target) as [
    DnsRecord,
    DnsRecord,
  ];
  const findings = await Promise.all([
    findingOf(ownership, () => ownershipProblem(env, ownership)),
    findingOf(traffic, () => trafficProblem(env, traffic)),
  ]);
  const verdicts = findings.map(({ verdict }) => verdict);
  const verdict = verdicts.includes("unknown")
    ? "unknown"
    : verdicts.includes("wrong")
      ? "wrong"
      : "right";
  return { verdict, problems: findings.flatMap(({ problems }) => problems) };
}

const FAULTS: Record<ResolverFault["kind"], string> = {
  timeout: "The DNS resolver did not answer in time",
  server_failure: "The DNS resolver could not get an answer (SERVFAIL) from the name's servers",
  unusable: "The DNS resolver could not be asked",
};

async function findingOf(
  record: DnsRecord,
  findProblem: () => Promise<DomainProblem | undefined>,
): Promise<DnsFinding> {
  try {
    const problem = await findProblem();
    return problem ? { verdict: "wrong", problems: [problem] } : { verdict: "right", problems: [] };
  } catch (error) {
    if (!(error instanceof ResolverFault)) throw error;
    const message = `${FAULTS[error.kind]}: this says nothing of the ${record.type} record. Try again.`;
    return { verdict: "unknown", problems: [problemOf(record, [], message)] };
  }
}

async function ownershipProblem(env: Env, record: DnsRecord): Promise<DomainProblem | undefined> {
  const { exists, data } = await resolve(env, record.name, "TXT");
  const texts = data.map(textOf);
  if (texts.includes(record.value)) return undefined;
  const message = !exists
    ? `There is no such name: create a TXT record ${record.name} with the value ${record.value}.`
    : texts.length === 0
      ? `The name has no TXT record: create one with the value ${record.value}.`
      : `None of the TXT records has the value ${record.value}: add one that has.`;
  return problemOf(record, texts, message);
}

/** Right is an alias of the target, or, flattened, no other addresses than the target's. */
async function trafficProblem(env: Env, record: DnsRecord): Promise<DomainProblem | undefined> {
  const aliases: string[] = [];
  for (let name = record.name; aliases.length < MAX_ALIASES; ) {
    const { data } = await resolve(env, name, "CNAME");
    const alias = data[0] && normalise(data[0]);
    if (!alias || aliases.includes(alias)) break;
    aliases.push(alias);
    if (alias === record.value) return undefined;
    name = alias;
  }
  const [own, targets] = await Promise.all([
    resolveAddresses(env, record.name),
    resolveAddresses(env, record.value),
  ]);
  if (own.length > 0 && own.every((address) => targets.includes(address))) return undefined;
  const wanted =
    record.type === "CNAME"
      ? `a CNAME record ${record.name} that leads to ${record.value}`
      : `an ALIAS (or ANAME, or flattened CNAME) record ${record.name} that leads to ${record.value}`;
  const found = [...aliases, ...own];
  const message =
    found.length === 0
      ? `${record.name} leads nowhere: create ${wanted}.`
      : `${record.name} leads elsewhere: replace its records by ${wanted}.`;
  return problemOf(record, found, message);
}

function problemOf(record: DnsRecord, found: string[], message: string): DomainProblem {
  return { record: record.type, name: record.name, found, expected: [record.value], message };
}

function normalise(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
