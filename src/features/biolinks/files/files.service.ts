import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { now } from "../../../platform/time.ts";
import { cleanFile } from "./clean-file.ts";
import { UnfitFile } from "./file-bytes.ts";
import { UploadRoom } from "./file-room.ts";
import { type Content, getBucket, putContent, putContentBack } from "./file-store.ts";
import type { FileUser } from "./files.ports.ts";
import type { FileRow } from "./files.repository.ts";
import * as repository from "./files.repository.ts";

/** While the same content is being removed: as often, a second apart. */
const MAX_TRIES = 5;
const PAUSE_MILLISECONDS = 1000;
const REMOVAL_SECONDS = 60;
/** How many of those that use a file are named. */
const NAMED = 10;

/** @throws 404 */
export async function getFile({ db, workspaceId }: Context, id: string): Promise<FileRow> {
  const file = await repository.findFile(db, workspaceId, id);
  if (!file) throw new ApiError("not_found", { message: "There is no such file." });
  return file;
}

export async function listFiles(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<FileRow[]> {
  return repository.listFiles(db, workspaceId, page);
}

interface Stored {
  file: FileRow;
  /** The workspace had this content already. */
  existing: boolean;
}

/** Stores a file, or finds the one that the workspace has of this content. @throws 422, 503 */
export async function createFile(ctx: Context, source: Uint8Array): Promise<Stored> {
  const bucket = await getBucket(ctx);
  const { bytes, ...known } = cleanOrRefuse(source);
  const sha256 = await sha256Hex(bytes);
  const { db, workspaceId } = ctx;
  const content = { sha256, type: known.type, bytes };
  return createOnce(ctx, {
    find: async (id) => {
      const file = await repository.findFile(db, workspaceId, id);
      if (!file) return undefined;
      // The run that wrote the row may have failed behind it. Code of before may have cleaned otherwise.
      if (file.sha256 === sha256) await putContentBack(ctx, bucket, content);
      return { file, existing: false };
    },
    insert: async (id) => {
      const size = bytes.length;
      const file = { id, workspaceId, sha256, ...known, bytes: size, createdAt: now() };
      return store(ctx, bucket, file, content);
    },
  });
}

/** First the object, then the row: what has no row goes from R2 after a day. */
async function store(
  ctx: Context,
  bucket: R2Bucket,
  file: FileRow,
  content: Content,
): Promise<Stored> {
  const { db, workspaceId } = ctx;
  const room = new UploadRoom(ctx, file.bytes);
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const known = await repository.findFileOf(db, workspaceId, file.sha256);
    // Or else whoever has no room fills R2 all the same, for a day.
    if (!known) await room.take();
    const giveBack = async (fault: unknown) => {
      await room.giveBack();
      throw fault;
    };
    await putContent(ctx, bucket, content).catch(giveBack);
    // Another run of the same request may be quicker: its file is the one that is counted.
    const insert = () =>
      repository.insertFile(db, file).catch((fault: unknown) => {
        if (isUniqueConflict(fault)) return giveBack(fault);
        throw fault;
      });
    if (!known && (await insert())) {
      // A removal that ended between the two took the object. Now that there is a row, none begins.
      await putContentBack(ctx, bucket, content);
      return { file, existing: false };
    }
    const existing = await repository.findFileOf(db, workspaceId, file.sha256);
    if (existing) {
      await room.giveBack();
      return { file: existing, existing: true };
    }
    if (tries < MAX_TRIES) await scheduler.wait(PAUSE_MILLISECONDS);
  }
  await room.giveBack();
  const message = "The same content is just being removed. Try again after Retry-After.";
  throw new ApiError("overloaded", { message, retryAfterSeconds: REMOVAL_SECONDS });
}

/** @throws 422 */
function cleanOrRefuse(source: Uint8Array) {
  try {
    return cleanFile(source);
  } catch (error) {
    throw error instanceof UnfitFile ? invalid("file", error.message) : error;
  }
}

/** Deletes a file that nothing uses. @throws 404, 409 while something does */
export async function deleteFile(
  ctx: Context,
  file: FileRow,
  users: readonly FileUser[],
): Promise<void> {
  if (await repository.deleteUnused(ctx.db, file, users)) return;
  for (const { name, findUses } of users) {
    const ids = await findUses(ctx, file.id, NAMED + 1);
    if (ids.length === 0) continue;
    const more = ids.length > NAMED ? " and others" : "";
    const message = `The file is used by ${name} ${ids.slice(0, NAMED).join(", ")}${more}.`;
    throw new ApiError("conflict", { message });
  }
  // It is gone, or was used until just now.
  await getFile(ctx, file.id);
  throw new ApiError("conflict", { message: "The file was used just now. Try again." });
}

/** The operator's switch: for everybody who has this content. */
export async function setFileDisabled(
  { db }: Context,
  { sha256 }: FileRow,
  isDisabled: boolean,
): Promise<void> {
  await repository.setDisabled(db, sha256, isDisabled, now());
}
