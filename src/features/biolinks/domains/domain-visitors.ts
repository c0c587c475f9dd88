import { forgetAll } from "../../../visitor/addresses/address-book.ts";

/** Visitors' addresses of a domain that was or is served now, in this isolate; others follow the log. */
export function forgetDomain({ host, workspaceId }: { host: string; workspaceId: string }): void {
  forgetAll({ host });
  // QR codes of other hosts may lead there.
  forgetAll({ workspaceId });
}
