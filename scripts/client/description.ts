/** The API description as the Worker serves it, without a database or anything else it needs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, whatever may be in it
export type Schema = any;

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Body {
  content?: Record<string, { schema?: Schema }>;
}

export interface DescribedOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Body | { $ref: string };
  responses: Record<string, Answered | { $ref: string }>;
  security?: Record<string, string[]>[];
}

export interface Answered extends Body {
  headers?: Record<string, unknown>;
}

export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: Record<string, Record<string, unknown>> & { schemas: Record<string, Schema> };
  webhooks?: Record<string, Record<string, DescribedOperation>>;
}

/** What the Worker of this checkout says of itself. */
export async function readDescription(): Promise<Description> {
  Object.assign(process.env, {
    CI: "1",
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    X_LOCAL_EXPLORER: "false",
  });
  const { unstable_startWorker: startWorker } = await import("wrangler");
  const persist = await mkdtemp(join(tmpdir(), "signpost-description-"));
  const worker = await startWorker({
    config: "wrangler.toml",
    bindings: {
      ADMIN_TOKEN: { type: "plain_text", value: "unused" },
      ENCRYPTION_KEY: { type: "plain_text", value: btoa("0123456789abcdef0123456789abcdef") },
    },
    dev: { watch: false, liveReload: false, inspector: false, logLevel: "error", persist },
  });
  try {
    const answer = await worker.fetch("http://localhost/openapi.json");
    return (await answer.json()) as Description;
  } finally {
    await worker.dispose();
    await rm(persist, { recursive: true, force: true });
  }
}

/** What a reference within the description leads to. */
export function follow<Found extends object>(
  description: Description,
  given: Found | { $ref: string },
): Found {
  if (!("$ref" in given) || typeof given.$ref !== "string") return given as Found;
  let found: unknown = description;
  for (const name of given.$ref.replace(/^#\//, "").split("/")) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    found = (found as Record<string, unknown> | undefined)?.[key];
  }
  if (!found) throw new Error(`The description has no ${given.$ref}.`);
  return follow(description, found as Found);
}
