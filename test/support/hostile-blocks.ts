import type { BlockType } from "../../src/features/biolinks/pages/blocks/block-type.ts";
import type { PageBlock } from "../../src/features/biolinks/pages/view/page-document.ts";
import { everyBlock } from "./page-documents.ts";

/** A block whose every text is this one, wherever the schema takes it, shortened if it must be. */
export function hostileBlock(type: BlockType, text: string): PageBlock {
  const block = everyBlock().find((one) => one.type === type.type);
  if (!block) throw new Error(`There is no block of type ${type.type}.`);
  let settings = structuredClone(block.settings);
  for (const path of textsOf(settings)) {
    for (const written of [text, text.slice(0, 24), text.replaceAll("\n", " ")]) {
      const changed = replaced(settings, path, written);
      const { success, data } = type.settings.safeParse(changed);
      if (success) {
        settings = data as object;
        break;
      }
    }
  }
  return { ...block, settings };
}

type Path = (string | number)[];

function textsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, [...path, key]));
}

function replaced(settings: object, path: Path, text: string): object {
  const copy = structuredClone(settings);
  let place = copy as Record<string, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>;
  place[path.at(-1) ?? ""] = text;
  return copy;
}
