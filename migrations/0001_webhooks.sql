CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`channel` text NOT NULL,
	`test` integer NOT NULL,
	`data` text,
	`fanned_out_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`created_at`) WHERE "events"."fanned_out_at" IS NULL;--> statement-breakpoint
CREATE INDEX `events_payload` ON `events` (`created_at`) WHERE "events"."data" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `events_created` ON `events` (`created_at`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`target_kind` text NOT NULL,
	`target_id` text NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`channel` text NOT NULL,
	`test` integer NOT NULL,
	`resend_of` text,
	`status` text NOT NULL,
	`attempts_count` integer NOT NULL,
	`next_attempt_at` integer,
	`delivered_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event` ON `deliveries` (`event_id`,`target_id`) WHERE "deliveries"."resend_of" IS NULL;--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`target_id`,`next_attempt_at`) WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_overdue` ON `deliveries` (`next_attempt_at`) WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_target` ON `deliveries` (`workspace_id`,`target_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_created` ON `deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`delivery_id` text NOT NULL,
	`number` integer NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer,
	`status_code` integer,
	`error` text,
	`response_body` text,
	`manual` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `recoveries` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`target_id` text NOT NULL,
	`since` integer NOT NULL,
	`position` text NOT NULL,
	`resent` integer NOT NULL,
	`finished_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `recoveries_open` ON `recoveries` (`target_id`,`id`) WHERE "recoveries"."finished_at" IS NULL;--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`subscriptions` text NOT NULL,
	`secret` blob NOT NULL,
	`previous_secret` blob,
	`previous_secret_expires_at` integer,
	`rotation_id` text,
	`failing_since` integer,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhook_endpoints_workspace` ON `webhook_endpoints` (`workspace_id`,`id`);