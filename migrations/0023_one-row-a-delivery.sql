CREATE TABLE `target_deliveries` (
	`target_id` text NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`target_kind` text NOT NULL,
	`event_id` text NOT NULL,
	`listed` integer DEFAULT false NOT NULL,
	`event` text NOT NULL,
	`channel` text NOT NULL,
	`test` integer NOT NULL,
	`resend_of` text,
	`status` text NOT NULL,
	`attempts_count` integer NOT NULL,
	`next_attempt_at` integer,
	`delivered_at` integer,
	`created_at` integer NOT NULL,
	`attempts` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`target_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `target_deliveries_failed` ON `target_deliveries` (`target_id`,`id`) WHERE "target_deliveries"."status" = 'failed';--> statement-breakpoint
CREATE INDEX `target_deliveries_due` ON `target_deliveries` (`target_id`,`next_attempt_at`) WHERE "target_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `target_deliveries_parked` ON `target_deliveries` (`workspace_id`,`target_kind`,`event`) WHERE "target_deliveries"."status" = 'parked';--> statement-breakpoint
CREATE INDEX `target_deliveries_unlisted` ON `target_deliveries` (`event_id`,`target_id`,`id`) WHERE "target_deliveries"."listed" = 0;--> statement-breakpoint
CREATE TABLE `job_places` (
	`job` text PRIMARY KEY NOT NULL,
	`place` text NOT NULL
);
--> statement-breakpoint
DROP INDEX `events_payload`;--> statement-breakpoint
DROP INDEX `events_created`;--> statement-breakpoint
ALTER TABLE `events` ADD `deliveries` text;