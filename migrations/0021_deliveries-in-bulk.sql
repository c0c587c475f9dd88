CREATE TABLE `target_metrics` (
	`workspace_id` text NOT NULL,
	`target_id` text NOT NULL,
	`hour` integer NOT NULL,
	`delivered` integer NOT NULL,
	`failed` integer NOT NULL,
	`answer_times` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `target_id`, `hour`)
);
--> statement-breakpoint
CREATE INDEX `target_metrics_hour` ON `target_metrics` (`hour`);--> statement-breakpoint
ALTER TABLE `delivery_attempts` ADD `response_headers` text;--> statement-breakpoint
ALTER TABLE `events` ADD `source_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `events_source` ON `events` (`workspace_id`,`source_id`) WHERE "events"."source_id" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `automation_hooks` ADD `failing_since` integer;