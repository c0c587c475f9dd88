/** Every table, for drizzle-kit: `npm run migrations` writes what changed to migrations/. */

export * from "./access/keys/keys.table.ts";
export * from "./access/usage/usage.table.ts";
export * from "./access/workspaces/members.table.ts";
export * from "./access/workspaces/workspaces.table.ts";
export * from "./deliveries/deliveries.table.ts";
export * from "./deliveries/former-deliveries.table.ts";
export * from "./deliveries/target-metrics.table.ts";
export * from "./events/erasures.table.ts";
export * from "./events/events.table.ts";
export * from "./features/automation-hooks/automation-hooks.table.ts";
export * from "./features/biolinks/analytics/clicks.table.ts";
export * from "./features/biolinks/domains/domains.table.ts";
export * from "./features/biolinks/links/address-check.table.ts";
export * from "./features/biolinks/links/links.table.ts";
export * from "./features/biolinks/pixels/pixels.table.ts";
export * from "./features/biolinks/qr-codes/qr-codes.table.ts";
export * from "./features/salesbot/contacts/contacts.table.ts";
export * from "./features/salesbot/contacts/opt-outs.table.ts";
export * from "./features/salesbot/labels/stages.table.ts";
export * from "./features/salesbot/labels/tags.table.ts";
export * from "./features/salesbot/messages/messages.table.ts";
export * from "./features/salesbot/segments/segments.table.ts";
export * from "./features/webhooks/endpoints/endpoints.table.ts";
export * from "./platform/db/job-places.table.ts";
export * from "./platform/dead-letters/dead-letters.table.ts";
export * from "./visitor/addresses/addresses.table.ts";
