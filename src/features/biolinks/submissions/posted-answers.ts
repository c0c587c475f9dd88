import { ApiError } from "../../../api/errors.ts";
import { parseJsonObject, readBody } from "../../../api/request-body.ts";
import { toText } from "../../../platform/bytes.ts";
import type { Posted } from "./form-answers.ts";

const MAX_BYTES = 64 * 1024;
const MAX_MILLISECONDS = 15_000;
const MAX_NAMES = 100;

export function isJson(request: Request): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers.get("Content-Type") ?? "");
}

/** What was sent, by the names of the form's inputs. @throws 413, 422 */
export async function readPosted(request: Request): Promise<Posted> {
  const bytes = await readBody(request, { bytes: MAX_BYTES, milliseconds: MAX_MILLISECONDS });
  if (!bytes) {
    const message = `What is sent with a form may have ${MAX_BYTES / 1024} KiB.`;
    throw new ApiError("payload_too_large", { message });
  }
  // Without a prototype: a name is nothing but what was sent.
  const posted: Record<string, unknown[]> = Object.create(null);
  if (isJson(request)) {
    for (const [name, value] of Object.entries(parseJsonObject(bytes)).slice(0, MAX_NAMES)) {
      if (value !== null) posted[name] = Array.isArray(value) ? value : [value];
    }
    return posted;
  }
  const form = new URLSearchParams(toText(bytes));
  for (const name of [...new Set(form.keys())].slice(0, MAX_NAMES))
    posted[name] = form.getAll(name);
  return posted;
}
