import type { PlatformContext } from "../../../platform/context/context.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { assetPath } from "./file-types.ts";
import type { FileRow } from "./files.repository.ts";
import type { File } from "./files.schemas.ts";

/** A file as the API answers it. */
export function presentFile({ platformOrigin }: PlatformContext, row: FileRow): File {
  const { id, type, bytes, width, height, createdAt } = row;
  const url = platformOrigin + assetPath(row);
  return { id, url, type, bytes, width, height, created_at: toTimestamp(createdAt) };
}
