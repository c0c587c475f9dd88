import { ApiError } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { findForeignLabels } from "../../salesbot/labels/labels.service.ts";
import { findOwnCatalogue } from "../catalogue/shown-products.ts";
import { findFiles } from "../files/files.ports.ts";
import { findLinkWorkspaces } from "../links/links.ports.ts";
import type { Name } from "./blocks/block-type.ts";
import { isFileGone, missingFileRefusal } from "./page-files.repository.ts";

/** What a page names, and where: `field` is the whole path in the request's body. */
export type Named = Pick<Name, "kind" | "id" | "field" | "accepts">;

interface Problem {
  field: string;
  message: string;
}

/**
 * Writes what names links, files, products and tags of the workspace: what it has not is told of by its
 * field. `guards` go into the batch that writes, which a file that is gone by then aborts.
 * @throws 422, 409 when a file was deleted meanwhile
 */
export async function writeNaming<Written>(
  ctx: Context,
  names: readonly Named[],
  write: (guards: D1PreparedStatement[]) => Promise<Written>,
): Promise<Written> {
  await assertNamed(ctx, names);
  const files = fileIds(names);
  if (files.length === 0) return write([]);
  try {
    return await write([missingFileRefusal(ctx.db, ctx.workspaceId, files)]);
  } catch (error) {
    if (!isFileGone(error)) throw error;
    await assertNamed(ctx, names);
    const message = "A file that this names was deleted just now. Try again.";
    throw new ApiError("conflict", { message });
  }
}

function fileIds(names: readonly Named[]): string[] {
  return names.flatMap(({ kind, id }) => (kind === "file" ? [id] : []));
}

/** @throws 422 */
async function assertNamed(ctx: Context, names: readonly Named[]): Promise<void> {
  const problems = await Promise.all([
    linkProblems(ctx, names),
    fileProblems(ctx, names),
    catalogueProblems(ctx, names),
    tagProblems(ctx, names),
  ]);
  const errors = problems.flat().map(({ field, message }) => [field, [message]]);
  if (errors.length === 0) return;
  throw new ApiError("validation_failed", { errors: Object.fromEntries(errors) });
}

async function linkProblems(
  { db, workspaceId }: Context,
  names: readonly Named[],
): Promise<Problem[]> {
  const links = names.filter(({ kind }) => kind === "link");
  if (links.length === 0) return [];
  const owners = await findLinkWorkspaces(db, [...new Set(links.map(({ id }) => id))]);
  const foreign = links.filter(({ id }) => owners.get(id) !== workspaceId);
  return foreign.map(({ field }) => ({ field, message: "This is no link of the workspace." }));
}

async function fileProblems(ctx: Context, names: readonly Named[]): Promise<Problem[]> {
  const files = await findFiles(ctx, fileIds(names));
  return names.flatMap(({ kind, id, field, accepts }) => {
    if (kind !== "file") return [];
    const file = files.get(id);
    if (!file) return { field, message: "This is no file of the workspace." };
    if (accepts === "any" || file.type.startsWith("image/")) return [];
    return { field, message: `Must be a picture: this file is of the type ${file.type}.` };
  });
}

/** A tag that is deleted later is given to nobody. */
async function tagProblems(ctx: Context, names: readonly Named[]): Promise<Problem[]> {
  const tags = names.filter(({ kind }) => kind === "tag");
  const ids = new Set(tags.map(({ id }) => id));
  const foreign = new Set(await findForeignLabels(ctx, "tag", [...ids]));
  return tags.flatMap(({ id, field }) =>
    foreign.has(id) ? { field, message: "This is no tag of the workspace." } : [],
  );
}

/** One that is deleted later is not drawn. */
async function catalogueProblems(ctx: Context, names: readonly Named[]): Promise<Problem[]> {
  const idsOf = (wanted: Named["kind"]) =>
    names.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
  const asked = { products: idsOf("product"), collections: idsOf("collection") };
  const own = await findOwnCatalogue(ctx, asked);
  return names.flatMap(({ kind, id, field }) => {
    if ((kind !== "product" && kind !== "collection") || own.has(id)) return [];
    return { field, message: `This is no ${kind} of the workspace.` };
  });
}
