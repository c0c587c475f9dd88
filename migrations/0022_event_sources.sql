ALTER TABLE `events` ADD `source_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `events_source` ON `events` (`workspace_id`,`source_id`) WHERE "events"."source_id" IS NOT NULL;