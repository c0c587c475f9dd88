import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import type { PageRequest } from "../../../api/pagination.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isUniqueConflict } from "../../../platform/db/faults.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { forgetAddress } from "../../../visitor/addresses/address-book.ts";
import { colourWarnings } from "./contrast.ts";
import { codeKey, generateCode, payloadOf } from "./qr-code-address.ts";
import { assertLeadsElsewhere, changedStyle, isDynamic, placeFor } from "./qr-code-changes.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";
import * as repository from "./qr-codes.repository.ts";
import type { CreateQrCode, PreviewQrCode, UpdateQrCode } from "./qr-codes.schemas.ts";
import { drawImage, matrixOf } from "./qr-image.ts";
import { assertLogo, findLogo, noSuchLogo } from "./qr-logo-file.ts";
import { NEW_STYLE } from "./qr-style.ts";

const MAX_TRIES = 5;
const PREVIEW_SIZE = 512;
/** As long as a real one, so that the picture is as dense. */
const PREVIEW_CODE = "00000000";

/** @throws 404 */
export async function getQrCode({ db, workspaceId }: Context, id: string): Promise<QrCodeRow> {
  const row = await repository.findQrCode(db, workspaceId, id);
  if (!row) throw new ApiError("not_found", { message: "There is no such QR code." });
  return row;
}

export async function listQrCodes(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<QrCodeRow[]> {
  return repository.listQrCodes(db, workspaceId, page);
}

/** Makes a code. Its host is printed, and so fixed: that of the link it leads to, or the platform's. @throws 422 */
export async function createQrCode(ctx: Context, input: CreateQrCode): Promise<QrCodeRow> {
  const { db, workspaceId } = ctx;
  return createOnce(ctx, {
    find: (id) => repository.findQrCode(db, workspaceId, id),
    insert: async (id) => {
      const { name, target, status = "active" } = input;
      const style = changedStyle(NEW_STYLE, input.style);
      if (style.logo) await assertLogo(ctx, style.logo);
      const time = now();
      const place = await placeFor(ctx, target);
      const version = { revision: newRevision(), createdAt: time, updatedAt: time };
      const row = { id, workspaceId, name, target, style, status, ...place, ...version };
      for (let tries = 1; ; tries++) {
        const code = isDynamic(target) ? generateCode() : null;
        try {
          return await insert(ctx, { ...row, code });
        } catch (error) {
          // The id stands, which the next insert tells again, or by chance the code.
          if (!isUniqueConflict(error) || tries === MAX_TRIES) throw error;
        }
      }
    },
  });
}

/** @throws 422, a unique conflict */
async function insert(ctx: Context, row: QrCodeRow): Promise<QrCodeRow> {
  assertDrawable(row);
  await assertLeadsElsewhere(ctx, row);
  await repository.insertQrCode(ctx.db, row).catch(tellGoneLogo);
  forget(row);
  return row;
}

/** @throws 404, 412, 422 */
export async function updateQrCode(
  ctx: Context,
  row: QrCodeRow,
  expected: ExpectedRevision,
  input: UpdateQrCode,
): Promise<QrCodeRow> {
  return ifUnchanged(
    row,
    expected,
    async (current) => {
      const { name = current.name, target = current.target, status = current.status } = input;
      if (isDynamic(target) !== isDynamic(current.target)) {
        const kind = isDynamic(target)
          ? "A static code cannot become dynamic"
          : "A dynamic code cannot become static";
        throw invalid("target.type", `${kind}: what is printed stays as it is. Make another code.`);
      }
      const changes = { name, target, status, style: changedStyle(current.style, input.style) };
      if (changesNothing(current, changes)) return current;
      assertDrawable({ ...current, ...changes });
      if (input.style?.logo) await assertLogo(ctx, input.style.logo);
      if (input.target) await assertLeadsElsewhere(ctx, { ...current, target });
      const version = { revision: newRevision(), updatedAt: now() };
      const updated = await repository
        .updateQrCode(ctx.db, current, { ...changes, ...version })
        .catch(tellGoneLogo);
      if (updated) forget(updated);
      return updated;
    },
    () => getQrCode(ctx, row.id),
  );
}

/** @throws 404, 412 */
export async function deleteQrCode(
  ctx: Context,
  row: QrCodeRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    row,
    expected,
    async (current) => {
      const isDeleted = await repository.deleteQrCode(ctx.db, current);
      if (isDeleted) forget(current);
      return isDeleted || undefined;
    },
    () => getQrCode(ctx, row.id),
  );
}

/** What a code would be; nothing is stored. @throws 422 */
export async function previewQrCode(ctx: Context, input: PreviewQrCode) {
  const { target } = input;
  const style = changedStyle(NEW_STYLE, input.style);
  if (style.logo) await assertLogo(ctx, style.logo);
  const logo = await findLogo(ctx.env, { workspaceId: ctx.workspaceId, style });
  const code = isDynamic(target) ? PREVIEW_CODE : null;
  const payload = payloadOf({ target, style, code, ...(await placeFor(ctx, target)) });
  const svg = drawImage(payload, style, { format: "svg", size: PREVIEW_SIZE, logo });
  return { dynamic: code !== null, payload, warnings: colourWarnings(style), svg: String(svg) };
}

/** @throws 422 when that is why a code was not written */
function tellGoneLogo(error: unknown): never {
  throw repository.isLogoGone(error) ? noSuchLogo() : error;
}

/** What is stored is drawn whenever it is asked for. @throws 422 */
function assertDrawable(row: QrCodeRow): void {
  if (row.code === null && row.status === "paused") {
    throw invalid("status", "A static code cannot be paused: it holds everything itself.");
  }
  matrixOf(payloadOf(row), row.style, row.style.logo !== undefined);
}

/** So that this isolate reads the code's address anew, right after a commit. */
function forget({ code, domainId, origin }: QrCodeRow): void {
  if (code === null || origin === null) return;
  const host = domainId === null ? "" : new URL(origin).host;
  forgetAddress({ host, slugKey: codeKey(code) });
}
