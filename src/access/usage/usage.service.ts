import { ApiError } from "../../api/errors.ts";
import type { Context } from "../../platform/context/context.ts";
import { now } from "../../platform/time.ts";
import { getWorkspace } from "../workspaces/workspaces.service.ts";
import { hourOf } from "./delivery-budget.ports.ts";
import type { CountedClicks } from "./usage.ports.ts";
import type { PlanLimitsRow, UsageRow } from "./usage.repository.ts";
import * as repository from "./usage.repository.ts";
import type { Usage } from "./usage.schemas.ts";
import { monthOf, nameOfMonth } from "./usage-months.ts";

const NOTHING = { clicks: 0, deliveries: 0, messages: 0 };

/** What a workspace stores, and what it caused this month and the last. @throws 404 */
export async function getUsage(ctx: Context, countClicks: CountedClicks): Promise<Usage> {
  const { plan } = await getWorkspace(ctx);
  const time = now();
  const [usage, limits, [before = 0, newest = 0]] = await Promise.all([
    repository.findUsage(ctx.db, ctx.workspaceId),
    repository.findPlanLimits(ctx.db, plan),
    countClicks(ctx, [monthOf(time) - 1, 2]),
  ]);
  if (!usage) throw new ApiError("not_found", { message: "This workspace is not counted." });
  const told = presentUsage(usage, limits, time);
  // The row has those of before 2026-11-22 only, and not all of them may be in the ledger yet.
  told.this_month.clicks = Math.max(told.this_month.clicks, newest);
  told.last_month.clicks = Math.max(told.last_month.clicks, before);
  return told;
}

/** A month or an hour in which nothing was counted has no counts of its own: the row's are older. */
export function presentUsage(
  usage: UsageRow,
  limits: PlanLimitsRow | undefined,
  time: number,
): Usage {
  const { clicks, deliveries, messages } = usage;
  const newest = { clicks, deliveries, messages };
  const before = {
    clicks: usage.clicksBefore,
    deliveries: usage.deliveriesBefore,
    messages: usage.messagesBefore,
  };
  const month = monthOf(time);
  const countsOf = (wanted: number) => {
    if (wanted === usage.month) return newest;
    return wanted === usage.month - 1 ? before : NOTHING;
  };
  return {
    links: usage.links,
    pages: usage.pages,
    products: usage.products,
    contacts: usage.contacts,
    stored_bytes: usage.storedBytes,
    files: usage.files,
    file_bytes: usage.fileBytes,
    pending_deliveries: usage.pendingDeliveries,
    deliveries_this_hour: usage.hour === hourOf(time) ? usage.deliveriesInHour : 0,
    limits: {
      stored_bytes: limits?.storedBytes ?? null,
      files: limits?.files ?? null,
      file_bytes: limits?.fileBytes ?? null,
      pages: limits?.pages ?? null,
      products: limits?.products ?? null,
      deliveries_an_hour: limits?.deliveriesAnHour ?? null,
      pending_deliveries: limits?.pendingDeliveries ?? null,
    },
    this_month: { month: nameOfMonth(month), ...countsOf(month) },
    last_month: { month: nameOfMonth(month - 1), ...countsOf(month - 1) },
  };
}
