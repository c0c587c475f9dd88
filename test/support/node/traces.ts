import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes that would tell of a text, by what they are. */
export type Traces = Map<string, Buffer>;

const HASHES = ["md5", "sha1", "sha256", "sha512"];
/** A hash that is cut off tells as much. */
const HASH_BYTES = 8;

/** What a text may be found as: plain, in other cases, in UTF-16, hex, base64, and hashed without a salt. */
export function tracesOf(text: string): Traces {
  const bytes = Buffer.from(text);
  const traces: Traces = new Map([
    ["plain", bytes],
    ["lower case", Buffer.from(text.toLowerCase())],
    ["upper case", Buffer.from(text.toUpperCase())],
    ["UTF-16, low byte first", Buffer.from(text, "utf16le")],
    ["UTF-16, high byte first", Buffer.from(text, "utf16le").swap16()],
    ...written(bytes, "as"),
  ]);
  for (const hash of HASHES) {
    const digest = createHash(hash).update(bytes).digest().subarray(0, HASH_BYTES);
    traces.set(`its ${hash}`, digest);
    for (const [name, trace] of written(digest, `its ${hash} as`)) traces.set(name, trace);
  }
  return traces;
}

/** Bytes as text that may stand anywhere in a longer one of the same kind. */
export function written(bytes: Buffer, name: string): [string, Buffer][] {
  const hex = bytes.toString("hex");
  const all: [string, Buffer][] = [
    [`${name} hex`, Buffer.from(hex)],
    [`${name} HEX`, Buffer.from(hex.toUpperCase())],
  ];
  for (let before = 0; before < 3; before++) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    // Characters that hold nothing but these bytes, whatever stands around them.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    for (const alphabet of ["base64", "base64url"] as const) {
      const text = padded.toString(alphabet).slice(from, to);
      all.push([`${name} ${alphabet} at ${before}`, Buffer.from(text)]);
    }
  }
  return all;
}

/** All files in a folder, as bytes, by their paths in it: databases, their journals, and blobs. */
export function dumpOf(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(folder, path))]));
}

/** Where something of these texts is found: `<file>: <text>, <as what>`. */
export function findTraces(dump: Map<string, Buffer>, texts: Map<string, Traces>): string[] {
  const found: string[] = [];
  for (const [file, bytes] of dump) {
    for (const [text, traces] of texts) {
      for (const [name, trace] of traces)
        if (bytes.includes(trace)) found.push(`${file}: ${text}, ${name}`);
    }
  }
  return found;
}
