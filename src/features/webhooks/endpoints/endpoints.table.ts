import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import type { StopReason } from "../../../deliveries/retry-policy.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";

export interface Subscription {
  event: string;
  channel: string;
}

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    url: text("url").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Why Signpost paused the endpoint by itself. */
    disabledReason: text("disabled_reason").$type<StopReason>(),
    subscriptions: text("subscriptions", { mode: "json" }).$type<Subscription[]>().notNull(),
    /** Encrypted. */
    secret: blob("secret", { mode: "buffer" }).$type<Uint8Array>().notNull(),
    previousSecret: blob("previous_secret", { mode: "buffer" }).$type<Uint8Array>(),
    previousSecretExpiresAt: integer("previous_secret_expires_at"),
    /** The id that the gate gave to the last rotation: a retry of it is recognised. */
    rotationId: text("rotation_id"),
    /** Since when every attempt has failed; null after a success. */
    failingSince: integer("failing_since"),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("webhook_endpoints_workspace").on(table.workspaceId, table.id)],
);
