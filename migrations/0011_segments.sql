CREATE TABLE `segment_recounts` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`due_at` integer,
	`rests_until` integer NOT NULL,
	`changed` integer NOT NULL,
	`progress` text
);
--> statement-breakpoint
CREATE INDEX `segment_recounts_due` ON `segment_recounts` (`due_at`) WHERE "segment_recounts"."due_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `segments` ADD `contacts_count` integer;--> statement-breakpoint
ALTER TABLE `segments` ADD `counted_at` integer;