import { ApiError, invalid } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { domainsById } from "../domains/domains.service.ts";
import { linkPresenter } from "../links/links.presenter.ts";
import { getLink } from "../links/links.service.ts";
import { circleProblem } from "../links/redirect-circle.ts";
import { getPage } from "../pages/pages.service.ts";
import { colourProblem } from "./contrast.ts";
import { codeKey } from "./qr-code-address.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";
import type { StyleInput } from "./qr-style.schemas.ts";
import type { Style } from "./qr-style.ts";
import type { Target } from "./qr-targets.schemas.ts";

/** Whether a code of this target holds an address of ours. */
export function isDynamic({ type }: Target): boolean {
  return type === "link" || type === "page" || type === "url";
}

/** @throws 422 when the code would not be read */
export function changedStyle(style: Style, input: StyleInput | undefined): Style {
  const { foreground, background, shape, margin, error_correction, compact } = input ?? {};
  const logo = input?.logo === undefined ? style.logo : input.logo;
  const changed = {
    foreground: foreground ?? style.foreground,
    background: background === undefined ? style.background : background,
    shape: shape ?? style.shape,
    margin: margin ?? style.margin,
    error_correction: error_correction ?? style.error_correction,
    compact: compact ?? style.compact,
    ...(logo && { logo }),
  };
  const problem = colourProblem(changed);
  // The one that was sent is to blame.
  const field = foreground === undefined && background !== undefined ? "background" : "foreground";
  if (problem) throw invalid(`style.${field}`, problem);
  return changed;
}

/** The host that a new code is printed with: its link's or page's, if visitors reach it there. @throws 422 */
export async function placeFor(
  ctx: Context,
  target: Target,
): Promise<Pick<QrCodeRow, "domainId" | "origin">> {
  if (!isDynamic(target)) return { domainId: null, origin: null };
  const platform = { domainId: null, origin: ctx.platformOrigin };
  if (target.type !== "link" && target.type !== "page") return platform;
  const { domainId } =
    target.type === "link"
      ? await findTarget(ctx, target.link)
      : await findTargetPage(ctx, target.page);
  const domain = domainId === null ? undefined : (await domainsById(ctx, [domainId])).get(domainId);
  return domain?.verified ? { domainId, origin: `https://${domain.host}` } : platform;
}

async function findTarget(ctx: Context, id: string) {
  return getLink(ctx, id).catch((error: unknown) => {
    const isMissing = error instanceof ApiError && error.code === "not_found";
    throw isMissing ? invalid("target.link", "This is no link of the workspace.") : error;
  });
}

async function findTargetPage(ctx: Context, id: string) {
  return getPage(ctx, id).catch((error: unknown) => {
    const isMissing = error instanceof ApiError && error.code === "not_found";
    throw isMissing ? invalid("target.page", "This is no page of the workspace.") : error;
  });
}

/** @throws 422 when the code would lead back to itself, or to no link or page of the workspace */
export async function assertLeadsElsewhere(
  ctx: Context,
  { code, target }: Pick<QrCodeRow, "code" | "target">,
): Promise<void> {
  if (code === null) return;
  // A page leads nowhere of its own accord.
  if (target.type === "page") await findTargetPage(ctx, target.page);
  if (target.type !== "link" && target.type !== "url") return;
  const problem = await circleProblem(
    ctx,
    { domainId: null, key: codeKey(code) },
    target.type === "url" ? target.url : await publicUrlOf(ctx, target.link),
  );
  if (problem) throw invalid(`target.${target.type}`, problem);
}

async function publicUrlOf(ctx: Context, linkId: string): Promise<string> {
  const link = await findTarget(ctx, linkId);
  const present = await linkPresenter(ctx, [link]);
  return present(link).public_url;
}
