/** The room that an upload takes: looked at, and counted, before anything of it is stored. */
import { countUpload, findFileRoom, uncountUpload } from "../../../access/usage/usage.ports.ts";
import { ApiError } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { now } from "../../../platform/time.ts";

/** What a file's row counts as, beside its bytes in R2: the trigger `usage_files_made` says so too. */
const ROW_BYTES = 500;

export class UploadRoom {
  readonly #ctx: Context;
  readonly #bytes: number;
  #countedAt: number | undefined;

  constructor(ctx: Context, bytes: number) {
    this.#ctx = ctx;
    this.#bytes = bytes;
  }

  /** Counts the upload for the day, once, if the workspace has room for it. @throws 422 */
  async take(): Promise<void> {
    await assertRoom(this.#ctx, this.#bytes);
    if (this.#countedAt !== undefined) return;
    const { db, workspaceId } = this.#ctx;
    const time = now();
    // Before the object is put: what is deleted makes room at once, and leaves R2 later.
    if (!(await countUpload(db, workspaceId, this.#bytes, time))) {
      throw new ApiError("storage_full", {
        message:
          "The workspace has uploaded twice what its plan has room for today. Try again after midnight (UTC).",
      });
    }
    this.#countedAt = time;
  }

  /**
   * What was counted, where R2 holds no more for it than before. Not of an object without a row: it
   * stays for a day. What is not given back is free again at midnight: never throws.
   */
  async giveBack(): Promise<void> {
    const time = this.#countedAt;
    if (time === undefined) return;
    this.#countedAt = undefined;
    const { db, workspaceId, log } = this.#ctx;
    await uncountUpload(db, workspaceId, this.#bytes, time).catch((fault: unknown) => {
      log.warn("upload_not_given_back", { fault });
    });
  }
}

/** For a clear message, and before anything is stored: that it holds is for triggers to say. @throws 422 */
async function assertRoom({ db, workspaceId }: Context, bytes: number): Promise<void> {
  const room = await findFileRoom(db, workspaceId);
  if (room.storedBytes < ROW_BYTES) throw new ApiError("storage_full");
  if (room.files >= 1 && room.bytes >= bytes) return;
  const what =
    room.files < 1
      ? "The workspace has as many files as its plan allows"
      : "The workspace's files take as much as its plan allows";
  throw new ApiError("storage_full", {
    message: `${what}: delete some, or move to a larger plan.`,
  });
}
