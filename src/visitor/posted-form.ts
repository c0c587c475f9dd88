import { ApiError } from "../api/errors.ts";
import { readBody } from "../api/request-body.ts";
import { toText } from "../platform/bytes.ts";

/** A form that is too long, or breaks off, or is too slow: the fault of whoever sent it. */
export class UnreadForm extends Error {
  override readonly name = "UnreadForm";
  readonly status: number;

  constructor(status: number) {
    super("A posted form could not be read.");
    this.status = status;
  }
}

/** The fields of a posted form. @throws UnreadForm */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBody(request).catch((error: unknown) => {
    throw error instanceof ApiError ? new UnreadForm(error.status) : error;
  });
  if (!bytes) throw new UnreadForm(413);
  return new URLSearchParams(toText(bytes));
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
