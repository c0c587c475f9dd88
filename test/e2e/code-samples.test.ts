import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { checkAnswer } from "../support/node/contract.ts";
import { Terminal } from "../support/node/readme-blocks.ts";
import { createResolver } from "../support/node/resolver.ts";
import { type Signpost, startSignpost } from "../support/node/server.ts";
import { type Watch, watchCalls } from "../support/node/watched-calls.ts";
import { buildPackage, PACKAGE } from "./client/build.ts";

type Language = "Shell" | "TypeScript";
interface Sampled {
  operationId: string;
  method: string;
  path: string;
  tags: string[];
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
  "x-codeSamples": { lang: Language; source: string }[];
}

/** Of each tag one sample of each language, in the order in which one needs what another made. */
const STORY: Record<string, { Shell: string[]; TypeScript: string[] }> = {
  Operator: { Shell: ["createWorkspace", "addMember", "issueKey"], TypeScript: ["listMembers"] },
  Tags: { Shell: ["createTag"], TypeScript: ["listTags"] },
  Stages: { Shell: ["createStage"], TypeScript: ["getStage"] },
  Contacts: { Shell: ["createContact"], TypeScript: ["updateContact"] },
  Segments: { Shell: ["createSegment"], TypeScript: ["previewSegment"] },
  "Short links": { Shell: ["createLink"], TypeScript: ["updateLink"] },
  Domains: { Shell: ["createDomain"], TypeScript: ["listDomains"] },
  Files: { Shell: ["createFile"], TypeScript: ["createFile"] },
  Pages: { Shell: ["createPage"], TypeScript: ["updatePage"] },
  "Page blocks": { Shell: ["createBlock"], TypeScript: ["updateBlock"] },
  "Page versions": { Shell: ["publishPage"], TypeScript: ["listPageVersions"] },
  "QR codes": { Shell: ["createQrCode"], TypeScript: ["getQrCodeImage"] },
  Pixels: { Shell: ["createPixel"], TypeScript: ["updatePixel"] },
  Catalogue: { Shell: ["createProduct"], TypeScript: ["importProducts"] },
  Submissions: { Shell: ["listSubmissions"], TypeScript: ["exportSubmissions"] },
  Analytics: { Shell: ["getAnalytics"], TypeScript: ["getRealtimeAnalytics"] },
  Messages: { Shell: ["recordInboundMessage", "sendMessage"], TypeScript: ["getMessage"] },
  Webhooks: { Shell: ["createEndpoint"], TypeScript: ["updateEndpoint"] },
  "Webhook deliveries": { Shell: ["testEndpoint"], TypeScript: ["listDeliveries"] },
  "Automation hooks": { Shell: ["subscribeHook"], TypeScript: ["listHooks"] },
};
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const ADMIN_TOKEN = "test-admin-token";
/** Red, one pixel. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
const ZONE = ["cname.signpost.example", "shop.example.com", "hooks.zapier.com"];

let signpost: Signpost;
let resolver: Server;
let watch: Watch;
let folder: string;
let tags: string[];
let operations: Sampled[];
/** The real id by that of the examples. */
const ids = new Map<string, string>();
let apiKey = "none-yet";

beforeAll(async () => {
  await buildPackage();
  resolver = createResolver(
    Object.fromEntries(ZONE.map((name) => [name, { A: ["93.184.215.14"] }])),
  );
  resolver.listen(0, "127.0.0.1");
  await once(resolver, "listening");
  signpost = await startSignpost({
    vars: {
      ...{ ADMIN_TOKEN, KEY_RATE_LIMIT: "1000", CNAME_TARGET: ZONE[0] ?? "" },
      DOH_URL: `http://127.0.0.1:${(resolver.address() as AddressInfo).port}/dns-query`,
    },
  });
  watch = await watchCalls(signpost.port);
  const description = await (await fetch(`${signpost.origin}/openapi.json`)).json();
  tags = description.tags.map(({ name }: { name: string }) => name);
  operations = Object.entries<Record<string, Sampled>>(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => ({ ...one, path, method: method.toUpperCase() })),
  );
  folder = mkdtempSync(join(tmpdir(), "signpost-samples-"));
  mkdirSync(join(folder, "node_modules/@signpost"), { recursive: true });
  symlinkSync(PACKAGE, join(folder, "node_modules/@signpost/client"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "file.png"), Buffer.from(PICTURE, "base64"));
  const csv = operationOf("importProducts").requestBody?.content["text/csv"]?.example;
  writeFileSync(join(folder, "file.csv"), String(csv));
});

afterAll(async () => {
  resolver?.close().closeAllConnections();
  await watch?.stop();
  await signpost?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

function operationOf(id: string): Sampled {
  const found = operations.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`There is no ${id}.`);
  return found;
}

function sampleOf({ operationId, "x-codeSamples": samples }: Sampled, lang: Language): string {
  const [sample, ...others] = samples.filter((one) => one.lang === lang);
  if (!sample || others.length > 0) throw new Error(`${operationId} has no one ${lang} sample.`);
  return sample.source;
}

describe("each operation's samples", () => {
  test("are a call for a shell, with the headers that it needs, and a program", () => {
    expect(operations.length).toBeGreaterThan(100);
    const faults = operations.flatMap((operation) => {
      const { operationId, method, parameters = [], requestBody } = operation;
      const shell = sampleOf(operation, "Shell");
      const needed = parameters.filter(({ in: place, required }) => place === "header" && required);
      const isKeyed = parameters.some(({ name }) => name === "Idempotency-Key");
      const words = [
        ...(method === "GET" ? [] : [`curl -X ${method} '${signpost.origin}/`]),
        `Authorization: Bearer $${operation.path.startsWith("/admin/") ? "ADMIN_TOKEN" : "SIGNPOST_API_KEY"}"`,
        ...needed.map(({ name }) => `${name}: `),
        ...(isKeyed ? ["Idempotency-Key: "] : []),
        ...(requestBody ? ["Content-Type: "] : []),
      ];
      const missing = words.filter((word) => !shell.includes(word));
      const isFilled = !/\{\w+\}|undefined|null\/|\/null/.test(shell.split("\n")[0] ?? "");
      const hasBoth = operation["x-codeSamples"].length === 2 && isFilled;
      sampleOf(operation, "TypeScript");
      return [
        ...(hasBoth ? [] : [operationId]),
        ...missing.map((word) => `${operationId} ${word}`),
      ];
    });
    expect(faults).toEqual([]);
  });

  test("compile strictly against the client", () => {
    const place = join(folder, "all");
    mkdirSync(place);
    onTestFinished(() => rmSync(place, { recursive: true }));
    for (const operation of operations) {
      writeFileSync(join(place, `${operation.operationId}.ts`), sampleOf(operation, "TypeScript"));
    }
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ noUnusedLocals: true, noEmit: true, target: "ES2022", types: ["node"] },
      ...{ module: "NodeNext", moduleResolution: "NodeNext", erasableSyntaxOnly: true },
      lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
      typeRoots: [resolve("node_modules/@types")],
    };
    const config = JSON.stringify({ compilerOptions, include: ["all"] });
    writeFileSync(join(folder, "tsconfig.json"), config);
    const faults = compile();
    expect(faults).toBe("");
    console.log(`${operations.length} TypeScript samples compile`);
  });
});

function compile(): string {
  const options = { cwd: folder, encoding: "utf8", stdio: "pipe" } as const;
  try {
    return execFileSync(resolve("node_modules/.bin/tsc"), ["-p", folder], options);
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("a sample of each tag and language does what the description says", () => {
  test("there is one of each tag", () => {
    expect(Object.keys(STORY).sort()).toEqual(tags.sort());
    for (const [tag, { Shell, TypeScript }] of Object.entries(STORY)) {
      const last = [Shell.at(-1) ?? "", TypeScript.at(-1) ?? ""];
      expect(last.map((id) => operationOf(id).tags)).toEqual([[tag], [tag]]);
    }
  });

  const steps = Object.entries(STORY).flatMap(([tag, { Shell, TypeScript }]) => [
    ...Shell.map((id) => ({ tag, lang: "Shell" as const, id })),
    ...TypeScript.map((id) => ({ tag, lang: "TypeScript" as const, id })),
  ]);
  test.each(steps)("$tag: $id, $lang", async ({ lang, id }) => {
    const operation = operationOf(id);
    const { method, path: template, responses } = operation;
    const path = real(template.replaceAll(/\{(\w+)\}/g, (_, name) => exampleOf(operation, name)));
    const revision = await revisionOf(operation, path);
    const source = real(sampleOf(operation, lang))
      .replaceAll(signpost.origin, watch.origin)
      .replaceAll(/If-Match: [^']*/g, `If-Match: ${revision}`)
      .replaceAll(/ifMatch: "[^"]*"/g, `ifMatch: ${revision}`);
    watch.take();
    const terminal = run(source, lang);
    onTestFinished(() => terminal.close());
    expect(await terminal.exit(), terminal.stderr + source).toBe(0);
    const calls = watch.take();
    const answer = calls.at(-1);
    const called = `${answer?.method} ${answer?.path.split("?")[0]}`;
    expect([called, calls.length]).toEqual([`${method} ${path}`, 1]);
    const succeeded = Object.keys(responses).filter((status) => status < "300");
    expect(succeeded, answer?.text).toContain(String(answer?.status));
    if (!answer) return;
    await checkAnswer(signpost.origin, answer.path, method, answer);
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (lang === "Shell" && isJson) {
      expect(JSON.parse(terminal.stdout)).toEqual(JSON.parse(answer.text));
      const documented = responses[answer.status]?.content?.["application/json"]?.example;
      learn(documented, JSON.parse(answer.text));
      if (id === "issueKey") apiKey = JSON.parse(answer.text).key;
    }
  });
});

/** In a terminal that has nothing but what a sample's reader has exported. */
function run(source: string, lang: Language): Terminal {
  const exported = `export SIGNPOST_API_KEY='${apiKey}' ADMIN_TOKEN='${ADMIN_TOKEN}'\n`;
  if (lang === "Shell") return new Terminal(folder, exported + source);
  writeFileSync(join(folder, "sample.ts"), source);
  return new Terminal(folder, `${exported}'${process.execPath}' sample.ts`);
}

function real(text: string): string {
  return text.replaceAll(UUID, (id) => ids.get(id) ?? id);
}

/** Notes which real id stands where an example has its own. */
function learn(example: unknown, found: unknown): void {
  if (typeof example === "string" && typeof found === "string") {
    if (example.match(UUID)?.[0] === example) ids.set(example, found);
  } else if (typeof example === "object" && example !== null) {
    for (const [name, inner] of Object.entries(example)) {
      learn(inner, (found as Record<string, unknown> | null)?.[name]);
    }
  }
}

/** What an example has for a parameter of the path. */
function exampleOf(operation: Sampled, name: string): string {
  const { parameters = [] } = operation as {
    parameters?: { name: string; schema?: { example?: string } }[];
  };
  return String(parameters.find((one) => one.name === name)?.schema?.example);
}

/** The `ETag` of the record that a path is about, as whoever read it has it. */
async function revisionOf({ parameters = [] }: Sampled, path: string): Promise<string> {
  if (!parameters.some(({ name }) => name === "If-Match")) return "";
  const record = path.slice(0, path.search(/(?<=[0-9a-f]{12})(?:\/[a-z-]+)?$/));
  const headers = { Authorization: `Bearer ${apiKey}` };
  const { headers: answered } = await fetch(signpost.origin + record, { headers });
  return answered.get("ETag") ?? "";
}
