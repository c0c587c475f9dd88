import { authorization, curl, quoted } from "../shell.ts";
import { credential } from "./credentials.ts";
import { bodyOf, fieldsOf, filledPath, isTouched } from "./fields.ts";
import { sampleFile } from "./sample-file.ts";

/** A request as it is sent, and as it is told. */
export interface Call {
  method: string;
  /** Without the query. */
  path: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Blob;
}

export interface Answer {
  status: number;
  statusText: string;
  milliseconds: number;
  headers: Headers;
  etag: string | null;
  /** Parsed, if it is JSON. */
  body: unknown;
  /** As it came, if it is something else. */
  file?: Blob;
}

/** What the form says, with a new `Idempotency-Key` unless somebody wrote one. */
export function callOf(form: HTMLFormElement): Call {
  const { method = "GET", path: template = "" } = form.dataset;
  const path = filledPath(form, template);
  const query = new URLSearchParams();
  for (const { name, value } of fieldsOf(form, "query"))
    if (value.trim()) query.append(name, value);
  const search = query.size > 0 ? `?${query}` : "";
  const headers: Record<string, string> = { Authorization: `Bearer ${credential()}` };
  for (const field of fieldsOf(form, "header")) {
    const { name } = field;
    const isNew = name === "Idempotency-Key" && !isTouched(field);
    const value = isNew ? newKey() : field.value.trim();
    if (value) headers[name] = value;
  }
  const call = { method, path, url: path + search, headers };
  const body = bodyOf(form);
  if (body) {
    headers["Content-Type"] = "application/json";
    return { ...call, body: body.value };
  }
  const file = form.querySelector<HTMLInputElement>("[data-file]");
  if (!file) return call;
  const sent = file.files?.[0] ?? sampleFile((file.dataset.types ?? "").split(" "));
  headers["Content-Type"] = sent.type || "application/octet-stream";
  return { ...call, body: sent };
}

export async function send({ method, url, headers, body }: Call): Promise<Answer> {
  const startedAt = performance.now();
  const answer = await fetch(url, {
    method,
    headers,
    credentials: "omit",
    cache: "no-store",
    ...(body !== undefined && { body }),
  });
  const content = await answer.blob();
  const milliseconds = Math.round(performance.now() - startedAt);
  const { status, statusText } = answer;
  const common = {
    status,
    statusText,
    milliseconds,
    headers: answer.headers,
    etag: answer.headers.get("ETag"),
  };
  if (!content.type.startsWith("application/json"))
    return { ...common, body: undefined, file: content };
  return { ...common, body: JSON.parse(await content.text()) };
}

/** Not `randomUUID`, which is not there on an address without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The call for a terminal, its secret left out. */
export function asCurl({ method, url, headers, body }: Call): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    name === "Authorization"
      ? authorization(url.startsWith("/admin/"))
      : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const sent =
    typeof body === "string" ? [`-d ${quoted(body)}`] : body ? ["--data-binary @file"] : [];
  return curl(method, location.origin + url, [...lines, ...sent]);
}
