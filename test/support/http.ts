import { createExecutionContext } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import type { Env } from "../../src/platform/config.ts";
import worker from "../../src/worker.ts";
import { newAddress } from "./address.ts";
import { Contract } from "./contract.ts";

export { newAddress } from "./address.ts";

export const ORIGIN = "http://localhost:8787";
export const ADMIN_TOKEN = "test-admin-token";

/** What the tests look at of an answer. Records are checked field by field, so they are not typed. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  body: any;
}

export interface Send {
  method?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a string or bytes as they are. */
  body?: object | string | Uint8Array;
  /** Bindings that differ from those of the tests. */
  env?: Env;
}

let contract: Promise<Contract> | undefined;

/** The API description, read once in each test file. */
async function readContract(): Promise<Contract> {
  const answer = await exports.default.fetch(`${ORIGIN}/openapi.json`);
  return new Contract(await answer.json());
}

/** How many answers of the API were held to its description since this was last asked. */
export async function takeCheckedAnswers(): Promise<number> {
  const count = (await contract)?.checked ?? 0;
  contract = undefined;
  return count;
}

/**
 * Sends a request to the Worker, through its fetch handler, in the real runtime. An answer of the
 * API that differs from the API description fails the test, as does any without nosniff but a
 * redirect without a body.
 */
export async function send(
  path: string,
  { method = "GET", headers = {}, body, env }: Send = {},
): Promise<Answer> {
  const url = path.startsWith("http") ? path : ORIGIN + path;
  const sent: RequestInit = {
    method,
    headers: { "CF-Connecting-IP": newAddress(), ...headers },
    redirect: "manual",
    ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
  };
  const response = env
    ? await worker.fetch(new Request(url, sent), env, createExecutionContext())
    : await exports.default.fetch(url, sent);
  const text = await response.text();
  const isRedirect = response.status >= 300 && response.headers.has("Location");
  if (
    !(isRedirect && text === "") &&
    response.headers.get("X-Content-Type-Options") !== "nosniff"
  ) {
    throw new Error(`Without nosniff: ${method} ${url} answered ${response.status}`);
  }
  if (url.startsWith(`${ORIGIN}/`)) {
    contract ??= readContract();
    const { pathname } = new URL(url);
    const { status, headers } = response;
    (await contract).check({ method, path: pathname, status, headers, text });
  }
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function isRaw(body: object | string): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends as the operator. */
export function operate(
  method: string,
  path: string,
  body?: object,
  more: Send = {},
): Promise<Answer> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  return send(`/admin/v1${path}`, { method, headers, ...(body && { body }), ...more });
}
