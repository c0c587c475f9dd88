CREATE TABLE `plan_limits` (
	`plan` text PRIMARY KEY NOT NULL,
	`stored_bytes` integer NOT NULL,
	`deliveries_an_hour` integer NOT NULL,
	`pending_deliveries` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage_recount` (
	`id` integer PRIMARY KEY NOT NULL,
	`stage` integer DEFAULT 0 NOT NULL,
	`position` text DEFAULT '' NOT NULL,
	`next_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `workspace_usage` (
	`id` text PRIMARY KEY NOT NULL,
	`stored_bytes` integer DEFAULT 0 NOT NULL,
	`contacts` integer DEFAULT 0 NOT NULL,
	`links` integer DEFAULT 0 NOT NULL,
	`hour` integer DEFAULT 0 NOT NULL,
	`deliveries_in_hour` integer DEFAULT 0 NOT NULL,
	`pending_deliveries` integer DEFAULT 0 NOT NULL,
	`month` integer DEFAULT 0 NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`deliveries` integer DEFAULT 0 NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	`clicks_before` integer DEFAULT 0 NOT NULL,
	`deliveries_before` integer DEFAULT 0 NOT NULL,
	`messages_before` integer DEFAULT 0 NOT NULL,
	`batch_bytes` integer,
	`recounted_bytes` integer DEFAULT 0 NOT NULL,
	`recounted_contacts` integer DEFAULT 0 NOT NULL,
	`recounted_links` integer DEFAULT 0 NOT NULL,
	`recount_spoilt` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
DROP INDEX `events_waiting_order`;--> statement-breakpoint
CREATE INDEX `events_waiting_order` ON `events` (`workspace_id`,`failures`,`created_at`) WHERE "events"."fanned_out_at" IS NULL;