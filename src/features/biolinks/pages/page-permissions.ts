import { isBlank } from "../../../api/blank.ts";
import { ApiError } from "../../../api/errors.ts";
import type { ClientContext } from "../../../platform/context/context.ts";
import type { PageRow } from "./pages.repository.ts";

/** `what`: what the caller wants, as a sentence begins. @throws 403 */
export function assertMayPublish({ caller }: ClientContext, what: string): void {
  if (caller.permissions.includes("biolinks:pages:publish")) return;
  const message = `${what} this key needs the permission biolinks:pages:publish.`;
  throw new ApiError("forbidden", { message });
}

/** What moves a page for visitors at once, of a body that may not have been looked at yet. */
interface Move {
  handle?: unknown;
  domain?: unknown;
  settings?: unknown;
}

/** A page that is no draft moves for visitors at once, without a publish. @throws 403 */
export function assertMayMove(ctx: ClientContext, page: PageRow, input: Move = {}): void {
  if (page.status === "draft") return;
  const { handle, domain } = input;
  const { domain_root, password, clear_password } = Object(input.settings);
  const atOnce = { handle, domain, domain_root, password, clear_password };
  for (const [field, value] of Object.entries(atOnce)) {
    if (value === undefined || isBlank(value)) continue;
    assertMayPublish(ctx, `To change \`${field}\` of a published page`);
  }
}

/** @throws 403 where the page is no draft */
export function assertMayDelete(ctx: ClientContext, page: PageRow): void {
  if (page.status !== "draft") assertMayPublish(ctx, "To delete a published page");
}
