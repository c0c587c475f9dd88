/** A part of a file, as a `Range` header asks for it (RFC 9110). */
export interface ByteRange {
  offset: number;
  length: number;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The one range that a request asks for of a file; undefined: the whole file, as for several ranges,
 * or of another version of it; `none`: it asks for what is behind the end.
 */
export function rangeOf(
  headers: Headers,
  bytes: number,
  etag: string,
): ByteRange | "none" | undefined {
  const [, first, last] = RANGE.exec(headers.get("Range") ?? "") ?? [];
  const condition = headers.get("If-Range");
  if (first === undefined || last === undefined || (condition !== null && condition !== etag)) {
    return undefined;
  }
  if (first === "") {
    const length = Math.min(Number(last || Number.NaN), bytes);
    if (Number.isNaN(length)) return undefined;
    return length === 0 ? "none" : { offset: bytes - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < offset) return undefined;
  return offset >= bytes ? "none" : { offset, length: end - offset + 1 };
}
