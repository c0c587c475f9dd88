import { readBody } from "../api/request-body.ts";
import { toText } from "../platform/bytes.ts";

/** The fields of a posted form; of one too large, none. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBody(request);
  return new URLSearchParams(bytes && toText(bytes));
}

/**
 * Whether a form was certainly posted from another site. Programs, and browsers that hide where they
 * come from, say nothing: so this is no guard where a visitor's own cookie counts.
 */
export function isForeignForm(headers: Headers, host: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = URL.parse(headers.get("Origin") ?? "");
  return origin !== null && origin.host !== host;
}
