/** Every table, for drizzle-kit: `npm run migrations` writes what changed to migrations/. */
export * from "../events/events.table.ts";
export * from "../features/analytics/clicks.table.ts";
export * from "../features/automation-hooks/automation-hooks.table.ts";
export * from "../features/contacts/contacts.table.ts";
export * from "../features/domains/domains.table.ts";
export * from "../features/keys/keys.table.ts";
export * from "../features/links/links.table.ts";
export * from "../features/members/members.table.ts";
export * from "../features/messages/messages.table.ts";
export * from "../features/pixels/pixels.table.ts";
export * from "../features/segments/segments.table.ts";
export * from "../features/stages/stages.table.ts";
export * from "../features/tags/tags.table.ts";
export * from "../features/webhooks/deliveries/deliveries.table.ts";
export * from "../features/webhooks/endpoints/endpoints.table.ts";
export * from "../features/workspaces/workspaces.table.ts";
