import { clientAddress } from "../access/limits/client-address.ts";
import { toBytes, toHex } from "../platform/bytes.ts";
import { type Env, platformSettings } from "../platform/config.ts";
import type { Address } from "../platform/request-address.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import { lookUp } from "./addresses/address-book.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { pageResponse } from "./pages.ts";
import { isForeignForm, readForm } from "./posted-form.ts";
import type { NewReport } from "./reports/report-book.ts";
import {
  MAX_REPORT_DETAILS,
  MAX_REPORTED_ADDRESS,
  REPORT_REASONS,
  type ReportReason,
} from "./reports/report-content.ts";
import { REPORT_PATH } from "./reports/report-path.ts";
import { pageKeyOf, slugKeyOf } from "./slug.ts";
import { redirectTo } from "./visit-answer.ts";

/**
 * A data centre takes no more of all hosts, and a tenth of that from one address, so that nobody
 * spends it for all. How many reports of an address are kept is counted in the database.
 */
const ALL_REPORTS = { key: "reports" };
const ALL_WAIT_SECONDS = 60;
const SENDER_BYTES = 16;

/** The form, and what it sends. `host`: as addresses are looked up by. */
export async function serveReport(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  url: Address,
  host: string,
): Promise<Response> {
  const { method } = request;
  if (method === "POST") return takeForm(directory, request, env, url, host);
  if (method !== "GET" && method !== "HEAD") {
    return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD, POST" });
  }
  const asked = new URLSearchParams(url.search);
  if (asked.has("done")) return pageResponse(request, { kind: "reported" });
  const at = (asked.get("at") ?? "").slice(0, MAX_REPORTED_ADDRESS);
  return pageResponse(request, { kind: "report", fields: { at, reason: "", details: "" } });
}

async function takeForm(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  url: Address,
  host: string,
): Promise<Response> {
  const form = await readForm(request);
  const { at, reason, details } = {
    at: textOf(form, "at"),
    reason: textOf(form, "reason"),
    details: textOf(form, "details"),
  };
  const again = (problem: "foreign" | "address" | "reason" | "details") =>
    pageResponse(request, { kind: "report", fields: { at, reason, details }, problem });
  if (isForeignForm(request.headers, url.host)) return again("foreign");
  if (!isReason(reason)) return again("reason");
  if (Array.from(details).length > MAX_REPORT_DETAILS) return again("details");
  const reported = URL.parse(at, request.url);
  if (at === "" || at.length > MAX_REPORTED_ADDRESS || reported?.host !== url.host) {
    return again("address");
  }
  if (!/^https?:$/.test(reported.protocol)) return again("address");
  const target = await findTarget(directory, request, env, host, reported.pathname);
  if (!target) return again("address");
  const found = { ...target, url: reported.origin + reported.pathname };
  const waitSeconds = await take(directory, request, env, { ...found, reason, details });
  if (waitSeconds > 0) return pageResponse(request, { kind: "too_many_tries", waitSeconds });
  return redirectTo({ status: 303, location: `${REPORT_PATH}?done`, cacheControl: "no-store" });
}

/** For how many seconds its sender has to wait; 0: it was taken. */
async function take(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  report: Omit<NewReport, "sender">,
): Promise<number> {
  const own = { key: `reports ${clientAddress(request.headers)}` };
  if (!(await env.MISS_RATE_LIMIT.limit(own)).success) return ALL_WAIT_SECONDS;
  const { success } = await env.HOST_MISS_RATE_LIMIT.limit(ALL_REPORTS);
  if (!success) return ALL_WAIT_SECONDS;
  return directory.reports.take(env, { ...report, sender: await senderOf(env, request.headers) });
}

/** What stands at a path for visitors. What is switched off already needs no report. */
async function findTarget(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  host: string,
  path: string,
) {
  const root = path === "/" && host !== "" ? "" : undefined;
  const slugKey = slugKeyOf(path) ?? pageKeyOf(path) ?? root;
  if (slugKey === undefined) return undefined;
  const { link, page }: Held = await lookUp({ env, directory }, request, { host, slugKey });
  const found = link ?? page;
  if (found?.state !== "live") return undefined;
  const kind = link ? ("link" as const) : ("page" as const);
  return { workspaceId: found.workspaceId, kind, targetId: found.id };
}

function textOf(form: URLSearchParams, field: string): string {
  return (form.get(field) ?? "").replaceAll("\0", "").replaceAll("\r\n", "\n").trim();
}

function isReason(given: string): given is ReportReason {
  return Object.hasOwn(REPORT_REASONS, given);
}

/** Hashed with a key that is stored nowhere, so that no address is. */
async function senderOf(env: Env, headers: Headers): Promise<string> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const secret = platformSettings.read(env).ENCRYPTION_KEY;
  const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"]);
  const text = toBytes(`reports\n${clientAddress(headers)}`);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text), 0, SENDER_BYTES));
}
