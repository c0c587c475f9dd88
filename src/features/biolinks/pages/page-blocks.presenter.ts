import { toTimestamp } from "../../../platform/time.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import type { Block, VersionBlock } from "./page-blocks.schemas.ts";
import type { VersionBlock as StoredBlock } from "./version-document.ts";

/** A block of a version as the API answers it. */
export function presentVersionBlock(block: StoredBlock): VersionBlock {
  const { id, type, enabled, settings, visibility } = block;
  return { id, type, enabled, settings, visibility: presentVisibility(visibility) };
}

/** A block of a draft as the API answers it. */
export function presentBlock(block: BlockRow): Block {
  return {
    ...presentVersionBlock(block),
    revision: block.revision,
    created_at: toTimestamp(block.createdAt),
    updated_at: toTimestamp(block.updatedAt),
  };
}

function presentVisibility(visibility: StoredBlock["visibility"]): VersionBlock["visibility"] {
  if (!visibility) return null;
  const { starts_at, ends_at, countries = null, devices = null } = visibility;
  const toTime = (at: number | undefined) => (at === undefined ? null : toTimestamp(at));
  return { starts_at: toTime(starts_at), ends_at: toTime(ends_at), countries, devices };
}
