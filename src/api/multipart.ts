/** `multipart/form-data` (RFC 7578) with one file, of which nothing is copied. */
import { toBytes, toText } from "../platform/bytes.ts";
import { ApiError, invalid } from "./errors.ts";

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i;
const MAX_HEADER_BYTES = 8 * 1024;

/** The content of a form's one field. @throws 422 for a form of other or more fields, or for none */
export function readFormFile(body: Uint8Array, contentType: string, field: string): Uint8Array {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (!boundary) throw malformed("The Content-Type names no boundary.");
  const delimiter = toBytes(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  if (!isAt(body, first, 0)) throw malformed("The form does not begin with its boundary.");
  const headersEnd = find(body, toBytes("\r\n\r\n"), first.length, MAX_HEADER_BYTES);
  const end = headersEnd < 0 ? -1 : find(body, delimiter, headersEnd + 2);
  if (end < 0) throw malformed("The form breaks off before its end.");
  const headers = toText(body.subarray(first.length, headersEnd));
  const after = end + delimiter.length;
  const isLast = body[after] === 0x2d && body[after + 1] === 0x2d;
  if (!isLast || !nameOf(headers, field)) {
    throw invalid(field, `Send a form with the one field \`${field}\`, or the file as the body.`);
  }
  // A field without content ends where its headers do.
  return body.subarray(Math.min(headersEnd + 4, end), end);
}

function nameOf(headers: string, field: string): boolean {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? "";
  const [, quoted, plain] = /(?:^|;)\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  return (quoted ?? plain) === field;
}

/** Where bytes stand first, looked for from a place on, no further than so many; -1 if nowhere. */
function find(body: Uint8Array, wanted: Uint8Array, from: number, within = body.length): number {
  const last = Math.min(body.length - wanted.length, from + within);
  for (let at = from; at <= last; at++) {
    if (body[at] === wanted[0] && isAt(body, wanted, at)) return at;
  }
  return -1;
}

function isAt(body: Uint8Array, wanted: Uint8Array, at: number): boolean {
  for (let n = 0; n < wanted.length; n++) {
    if (body[at + n] !== wanted[n]) return false;
  }
  return true;
}

function malformed(message: string): ApiError {
  return new ApiError("malformed_body", { message });
}
