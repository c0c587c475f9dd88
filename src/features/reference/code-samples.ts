/** How each operation is called from a shell and from TypeScript, made of the description. */
import { clientOperations } from "./client-operations.ts";
import type { Description, Operation } from "./document.ts";
import { callOf, type SampleCall } from "./sample-call.ts";
import { authorization, curl, quoted } from "./shell.ts";
import { typescriptSample } from "./typescript-sample.ts";

const JSON_TYPE = "application/json";
/** A body that is not longer stands in one line. */
const SHORT = 72;

/** The description with samples for whoever is served from this origin. */
export function withCodeSamples(description: Description, origin: string): Description {
  const paths = { ...description.paths };
  for (const operation of clientOperations(description)) {
    const { path, verb, undescribed } = operation;
    if (undescribed.length > 0) continue;
    const call = callOf(description, operation, origin);
    const samples: Operation["x-codeSamples"] = [
      { lang: "Shell", label: "curl", source: shellSample(call) },
      { lang: "TypeScript", source: typescriptSample(description, call) },
    ];
    const described = { ...(paths[path]?.[verb] as Operation), "x-codeSamples": samples };
    paths[path] = { ...paths[path], [verb]: described };
  }
  return { ...description, paths };
}

function shellSample({
  operation,
  origin,
  params,
  query,
  body,
  file,
  output,
  ifMatch,
}: SampleCall) {
  const { path, verb, headers, isOperators } = operation;
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const url = origin + filled + (search.size > 0 ? `?${search}`.replaceAll("%2C", ",") : "");
  const isKeyed = headers.some(({ name }) => name === "Idempotency-Key");
  return curl(verb.toUpperCase(), url, [
    authorization(isOperators),
    ...(isKeyed ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(ifMatch ? [`-H ${quoted(`If-Match: ${ifMatch}`)}`] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: ${JSON_TYPE}'`, `-d ${quoted(written(body))}`]),
    ...(file ? [`-H 'Content-Type: ${file.type}'`, `--data-binary @${file.name}`] : []),
    // An error is not written to the file then.
    ...(output ? [`--fail -o ${output}`] : []),
  ]);
}

function written(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length > SHORT ? JSON.stringify(body, null, 2) : line;
}
