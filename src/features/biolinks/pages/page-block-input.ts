import type { Context } from "../../../platform/context/context.ts";
import { newId, newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { findBlockType } from "./blocks/block-types.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import type { BlockInput } from "./page-blocks.schemas.ts";
import type { Named } from "./page-names.ts";

const MAX_NAME_LENGTH = 120;
/** What of its settings a block is called by, the first that it has. */
const NAMING = ["label", "title", "name", "text", "alt"];

/** What people know a block by: its label or text, or else its type. */
export function blockName(type: string, settings: Record<string, unknown>): string {
  for (const field of NAMING) {
    const value = settings[field];
    if (typeof value === "string" && value.trim() !== "") {
      return [...value.trim()].slice(0, MAX_NAME_LENGTH).join("");
    }
  }
  return type;
}

/** What JSON keeps of a value: no field without one. So is compared with what is stored. */
export function asStored<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** What a block of a type names, below `prefix`. */
export function namesOfBlock(
  type: string,
  settings: Record<string, unknown>,
  prefix: string,
): Named[] {
  const names = findBlockType(type)?.names(settings) ?? [];
  return names.map((name) => ({ ...name, field: `${prefix}settings.${name.field}` }));
}

/** What the blocks of an input name. */
export function namesOfBlocks(inputs: readonly BlockInput[]): Named[] {
  return inputs.flatMap(({ type, settings }, at) => namesOfBlock(type, settings, `blocks.${at}.`));
}

/** A new block, as it is stored. */
export function blockRow(
  { workspaceId }: Pick<Context, "workspaceId">,
  pageId: string,
  id: string,
  input: BlockInput,
): BlockRow {
  const { type, enabled = true, settings, visibility = null } = asStored(input);
  const time = now();
  return {
    id,
    workspaceId,
    pageId,
    type,
    enabled,
    settings,
    visibility,
    name: blockName(type, settings),
    published: false,
    revision: newRevision(),
    createdAt: time,
    updatedAt: time,
    deletedAt: null,
  };
}

/** The blocks of a new page. Nobody can tell their ids from the page's: by them a locked page's clicks go. */
export async function newBlocks(
  ctx: Context,
  pageId: string,
  inputs: readonly BlockInput[],
): Promise<BlockRow[]> {
  return Promise.all(inputs.map((input) => blockRow(ctx, pageId, newId(), input)));
}
