import {
  otherPlace,
  ownRow,
  ownRows,
  rowsAmongAll,
  rowsWithChildren,
  type WorkspacePlace,
} from "./access/workspaces/workspace-places.ports.ts";
import { TARGET_DELIVERIES, targetsIn } from "./deliveries/workspace-erasure.ts";
import { ledgerOf } from "./features/biolinks/analytics/ledger-client.ts";
import { DOMAINS_OF_WORKSPACE } from "./features/biolinks/domains/domain-erasure.repository.ts";
import { PAGES_OF_WORKSPACE } from "./features/biolinks/pages/page-erasure.repository.ts";

/**
 * Each is a line of what changed for visitors: 300 a minute. Of the last 5,000 it is known what they
 * changed; what a data centre holds from before those is read anew, whosever it is.
 */
const ADDRESSES = 5;

/**
 * Where all things of a workspace are, in the order in which they go with it: nothing that is left
 * names what is gone, and what makes others goes before them. Triggers take what belongs to a row.
 */
export const WORKSPACE_PLACES: readonly WorkspacePlace[] = [
  targetsIn("webhook_endpoints", "endpoint"),
  targetsIn("automation_hooks", "hook"),
  ownRows("event_subscriptions"),
  rowsAmongAll("recoveries"),
  TARGET_DELIVERIES,
  rowsWithChildren("deliveries", { table: "delivery_attempts", column: "delivery_id" }, 100),
  rowsAmongAll("events"),
  ownRows("target_metrics"),
  ownRows("latest_posts"),
  ownRows("messages"),
  ownRows("submissions"),
  ownRows("submission_emails"),
  ownRows("segments"),
  // Their tags go with them.
  ownRows("contacts", 100),
  ownRows("segment_recounts"),
  ownRows("tags"),
  ownRows("stages"),
  ownRows("opt_outs"),
  ownRow("opt_out_keys"),
  rowsAmongAll("erasures"),
  ownRows("qr_codes", ADDRESSES),
  PAGES_OF_WORKSPACE,
  ownRows("links", ADDRESSES),
  rowsAmongAll("link_clicks"),
  rowsAmongAll("click_moves"),
  // One that is open would make products behind the job's back.
  rowsWithChildren("product_imports", { table: "product_import_slices", column: "import_id" }, 1),
  ownRows("collections", 25),
  ownRows("products"),
  ownRows("product_labels"),
  ownRows("feed_addresses"),
  ownRows("page_redraws"),
  ownRows("pixels"),
  // The sweep takes from R2 what no workspace has any more.
  ownRows("files"),
  rowsAmongAll("reports"),
  rowsAmongAll("dead_letters"),
  DOMAINS_OF_WORKSPACE,
  ownRows("api_keys"),
  ownRows("members"),
  otherPlace("ledger", ({ env, workspaceId }) => ledgerOf(env, workspaceId).erase()),
  otherPlace("gate", ({ env, workspaceId }) => env.WORKSPACE_GATE.getByName(workspaceId).erase()),
  // What still came and names it has the pass begin again. From here on no table with a foreign key
  // takes anything for it.
  ownRow("workspaces"),
  ownRow("workspace_usage"),
];
