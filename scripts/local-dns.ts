/**
 * The DNS of `npm start`: knows the records it was given, keeps them beside the local storage, and
 * asks Cloudflare for all other names. Asked as the JSON API of DNS over HTTPS is.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { writeWhole } from "./write-whole.ts";

export const PUBLIC_RESOLVER = "https://cloudflare-dns.com/dns-query";
/** Shorter than Signpost waits for a resolver. */
const TIMEOUT_MILLISECONDS = 4000;
const TYPES: Record<string, number> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 };
const LOOPBACK: Record<string, string> = { A: "127.0.0.1", AAAA: "::1" };
const NO_ERROR = 0;
const TTL = 60;
const MAX_ALIASES = 8;

const LocalRecord = z.object({
  type: z.enum(["TXT", "CNAME", "ALIAS"]),
  name: z.string().min(1).transform(normalise),
  value: z.string().min(1),
});
type LocalRecord = z.output<typeof LocalRecord>;
const LocalRecords = z.object({ dns_records: z.array(LocalRecord).min(1) });
/** What the API answered of a domain, or its `dns_records` alone. */
const Given = z.union([
  z.object({ data: LocalRecords }).transform(({ data }) => data),
  LocalRecords,
]);

const Resolved = z.object({
  Status: z.number(),
  Answer: z
    .array(z.object({ name: z.string(), type: z.number(), TTL: z.number(), data: z.string() }))
    .optional(),
});
type Resolved = z.output<typeof Resolved>;

export class LocalDns {
  readonly #file: string;
  #records: LocalRecord[];

  /** @param file where the records are kept */
  constructor(file: string) {
    this.#file = file;
    this.#records = readRecords(file);
  }

  /** Adds records; one that leads elsewhere than before is replaced. @throws ZodError */
  add(given: unknown): LocalRecord[] {
    const { dns_records: added } = Given.parse(given);
    const isReplaced = (old: LocalRecord) =>
      added.some(
        ({ type, name, value }) =>
          name === old.name &&
          (type === "TXT") === (old.type === "TXT") &&
          (type !== "TXT" || value === old.value),
      );
    this.#records = [...this.#records.filter((old) => !isReplaced(old)), ...added];
    mkdirSync(dirname(this.#file), { recursive: true });
    writeWhole(this.#file, JSON.stringify({ dns_records: this.#records }));
    return added;
  }

  /** What a resolver answers. @throws when the public resolver cannot be asked */
  async resolve(asked: string, type: string, aliases = 0): Promise<Resolved> {
    const name = normalise(asked);
    const one = (kind: string, data: string) => ({ name, type: TYPES[kind] ?? 0, TTL, data });
    if (name === "localhost") {
      const address = LOOPBACK[type];
      return { Status: NO_ERROR, Answer: address ? [one(type, address)] : [] };
    }
    const own = this.#records.filter((record) => record.name === name);
    if (own.length === 0 || aliases > MAX_ALIASES) return askPublicly(name, type);
    const lead = own.find((record) => record.type !== "TXT");
    if (lead?.type === "ALIAS" && type in LOOPBACK) {
      const led = await this.resolve(lead.value, type, aliases + 1);
      const ends = led.Answer?.filter((record) => record.type === TYPES[type]) ?? [];
      return { ...led, Answer: ends.map((record) => ({ ...record, name })) };
    }
    if (lead?.type === "CNAME") {
      const alias = one("CNAME", `${lead.value}.`);
      if (type === "CNAME") return { Status: NO_ERROR, Answer: [alias] };
      const led = await this.resolve(lead.value, type, aliases + 1);
      return { ...led, Answer: [alias, ...(led.Answer ?? [])] };
    }
    const texts = type === "TXT" ? own.filter((record) => record.type === "TXT") : [];
    return {
      Status: NO_ERROR,
      Answer: texts.map(({ value }) => one("TXT", JSON.stringify(value))),
    };
  }
}

/** Those of a file that cannot be read are given anew: they are no reason not to start. */
function readRecords(file: string): LocalRecord[] {
  if (!existsSync(file)) return [];
  try {
    return LocalRecords.parse(JSON.parse(readFileSync(file, "utf8"))).dns_records;
  } catch {
    console.error(`${file} cannot be read: it is passed over. Give the DNS records again.`);
    return [];
  }
}

async function askPublicly(name: string, type: string): Promise<Resolved> {
  const url = new URL(PUBLIC_RESOLVER);
  url.search = new URLSearchParams({ name, type }).toString();
  const headers = { Accept: "application/dns-json" };
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  return Resolved.parse(await (await fetch(url, { headers, signal })).json());
}

function normalise(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
