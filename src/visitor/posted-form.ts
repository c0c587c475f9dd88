import { readBody } from "../api/request-body.ts";
import { toText } from "../platform/bytes.ts";

/** The fields of a posted form; of one too large, none. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBody(request);
  return new URLSearchParams(bytes && toText(bytes));
}
