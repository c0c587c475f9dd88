import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { forgetAll } from "../../../visitor/addresses/address-book.ts";
import { tagProblem, tokenProblem } from "./pixel-providers.ts";
import { sealToken } from "./pixel-token.ts";
import type { PixelChanges, PixelRow } from "./pixels.repository.ts";
import * as repository from "./pixels.repository.ts";
import type { CreatePixel, UpdatePixel } from "./pixels.schemas.ts";

/** As many as a link may use. */
const MAX_PIXELS = 100;

/** @throws 404 */
export async function getPixel({ db, workspaceId }: Context, id: string): Promise<PixelRow> {
  const pixel = await repository.findPixel(db, workspaceId, id);
  if (!pixel) throw new ApiError("not_found", { message: "There is no such pixel." });
  return pixel;
}

export async function listPixels(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<PixelRow[]> {
  return repository.listPixels(db, workspaceId, page);
}

/** Those of the ids that are no pixels of this workspace, or none any more. */
export async function findForeignPixels(
  { db, workspaceId }: Context,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const own = new Set(await repository.findPixelIds(db, workspaceId, ids));
  return ids.filter((id) => !own.has(id));
}

/** @throws 422 when one of them is none of the workspace's */
export async function assertOwnPixels(ctx: Context, ids: string[]): Promise<void> {
  const foreign = await findForeignPixels(ctx, ids);
  if (foreign.length > 0) {
    throw invalid("settings.pixels", `No pixels of the workspace: ${foreign.join(", ")}.`);
  }
}

/** @throws 422 */
export async function createPixel(ctx: Context, input: CreatePixel): Promise<PixelRow> {
  return createOnce(ctx, {
    find: (id) => repository.findPixel(ctx.db, ctx.workspaceId, id),
    insert: async (id) => {
      const { name, provider, tag, enabled = true, consent = "required", access_token } = input;
      const time = now();
      const pixel: PixelRow = {
        id,
        workspaceId: ctx.workspaceId,
        name,
        provider,
        tag,
        enabled,
        consent,
        accessToken: access_token ? await sealToken(ctx.env, id, access_token) : null,
        revision: newRevision(),
        createdAt: time,
        updatedAt: time,
        deletedAt: null,
      };
      if (await repository.insertPixel(ctx.db, pixel, MAX_PIXELS)) return pixel;
      const message = `A workspace may have at most ${MAX_PIXELS} pixels.`;
      throw new ApiError("validation_failed", { message, errors: { pixels: [message] } });
    },
  });
}

/** @throws 404, 412, 422 */
export async function updatePixel(
  ctx: Context,
  pixel: PixelRow,
  expected: ExpectedRevision,
  input: UpdatePixel,
): Promise<PixelRow> {
  const changes = await toChanges(ctx, pixel, input);
  return ifUnchanged(
    pixel,
    expected,
    async (current) => {
      if (changesNothing(current, changes)) return current;
      const version = { revision: newRevision(), updatedAt: now() };
      const updated = await repository.updatePixel(ctx.db, current, { ...changes, ...version });
      if (updated && isSeen(current, updated)) forgetAll({ workspaceId: ctx.workspaceId });
      return updated;
    },
    () => getPixel(ctx, pixel.id),
  );
}

/** Whether visitors meet a difference, as triggers tell the change log. */
function isSeen(before: PixelRow, after: PixelRow): boolean {
  const seen = ({ enabled, tag, consent, accessToken }: PixelRow) =>
    JSON.stringify(enabled && [tag, consent, accessToken !== null]);
  return seen(before) !== seen(after);
}

/** @throws 422. A pixel's provider never changes, so its rules are those of any revision. */
async function toChanges(ctx: Context, pixel: PixelRow, input: UpdatePixel): Promise<PixelChanges> {
  const { id, provider } = pixel;
  const { name, tag, enabled, consent, access_token } = input;
  if (input.provider && input.provider !== provider) {
    throw invalid("provider", "A pixel keeps its provider: create another pixel.");
  }
  // What is sent back as it was read was judged when it was saved.
  const wrongTag = tag === undefined || tag === pixel.tag ? undefined : tagProblem(provider, tag);
  if (wrongTag) throw invalid("tag", wrongTag);
  const wrongToken = tokenProblem(provider, access_token);
  if (wrongToken) throw invalid("access_token", wrongToken);
  return {
    ...(name !== undefined && { name }),
    ...(tag !== undefined && { tag }),
    ...(enabled !== undefined && { enabled }),
    ...(consent !== undefined && { consent }),
    ...(access_token !== undefined && {
      accessToken: access_token ? await sealToken(ctx.env, id, access_token) : null,
    }),
  };
}
