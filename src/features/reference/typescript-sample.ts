/** A program of `@signpost/client` that makes one call. */
import { type ClientOperation, camelCase, mustMatch } from "./client-operations.ts";
import { type Description, nameOf, resolve } from "./document.ts";
import type { SampleCall } from "./sample-call.ts";

/** Of a call, and of what stands in one line of a value. */
const WIDTH = 80;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export function typescriptSample(description: Description, call: SampleCall): string {
  const { operation, file, output } = call;
  const { form } = operation;
  const client = clientOf(call);
  const calling = callText(call, client.name);
  const record = recordName(description, operation);
  const [imported, done] = {
    nothing: ["", `await ${calling};`],
    list: ["", `for await (const ${record} of ${calling}) {\n  console.log(${record});\n}`],
    blob: [
      'import { writeFile } from "node:fs/promises";\n',
      `const file = await ${calling};\nawait writeFile("${output}", new Uint8Array(await file.arrayBuffer()));`,
    ],
    data: ["", shown(record, calling)],
    merged: ["", shown(record, calling)],
    body: ["", shown(record, calling)],
  }[form];
  const read = file ? 'import { openAsBlob } from "node:fs";\n' : "";
  return `${read}${imported}${client.made}\n${done}`;
}

function shown(record: string, calling: string): string {
  return `const ${record} = await ${calling};\nconsole.log(${record});`;
}

function clientOf({ operation, origin }: SampleCall) {
  const [name, type, module, option, variable] = operation.isOperators
    ? ["operator", "SignpostOperator", "@signpost/client/operator", "adminToken", "ADMIN_TOKEN"]
    : ["signpost", "Signpost", "@signpost/client", "apiKey", "SIGNPOST_API_KEY"];
  const made = `import { ${type} } from "${module}";

const ${name} = new ${type}({
  baseUrl: ${JSON.stringify(origin)},
  ${option}: process.env.${variable} ?? "",
});
`;
  return { name, made };
}

/** The method with what it takes: ids, the body or the file, the query, the options. */
function callText(call: SampleCall, client: string): string {
  const { operation, params, query, body, file, ifMatch } = call;
  const { place, method } = operation;
  const mustSay = mustMatch(operation);
  const hasQuery = Object.keys(query).length > 0;
  const taken = [
    ...operation.params.map(({ name }) => JSON.stringify(params[name])),
    ...(file ? [`await openAsBlob("${file.name}", { type: "${file.type}" })`] : []),
    ...(body === undefined ? [] : [literal(body)]),
    ...(hasQuery || (mustSay && operation.query.length > 0) ? [literal(query)] : []),
    ...(mustSay ? [literal({ ifMatch: ifMatch.replaceAll('"', "") })] : []),
  ];
  return called([client, ...place, method].join("."), taken);
}

function called(name: string, taken: string[]): string {
  const line = `${name}(${taken.join(", ")})`;
  const isWhole = taken.slice(0, -1).every((one) => !one.includes("\n"));
  const [first = ""] = line.split("\n");
  if (isWhole && first.length < WIDTH) return line;
  return `${name}(\n${taken.map((one) => `  ${indented(one)},\n`).join("")})`;
}

/** A value as a program has it. */
function literal(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => literal(one))
    : Object.entries(value).map(([name, inner]) => `${keyOf(name)}: ${literal(inner)}`);
  const line = parts.join(", ");
  const [open, close] = isList ? "[]" : "{}";
  if (line.length < WIDTH && !line.includes("\n")) {
    return isList || line === "" ? `${open}${line}${close}` : `{ ${line} }`;
  }
  return `${open}\n${parts.map((part) => `  ${indented(part)},\n`).join("")}${close}`;
}

function keyOf(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

/** No text in it has a line of its own: those are written as `\n`. */
function indented(code: string): string {
  return code.replaceAll("\n", "\n  ");
}

/** What to call the record that is answered: as its schema is. */
function recordName(description: Description, { form, answers }: ClientOperation): string {
  const names = answers.map((answer) => {
    const { data } = resolve(description, answer).properties ?? {};
    return nameOf((form === "list" ? data?.items : data) ?? {});
  });
  const [name, ...others] = new Set(names);
  if (!name || others.length > 0) return form === "list" ? "record" : "answer";
  return camelCase(name.charAt(0).toLowerCase() + name.slice(1));
}
