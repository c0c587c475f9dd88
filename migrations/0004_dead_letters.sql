CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`workspace_id` text,
	`body` text NOT NULL,
	`fault` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `dead_letters_created` ON `dead_letters` (`created_at`);--> statement-breakpoint
ALTER TABLE `events` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `events_waiting_order` ON `events` (`failures`,`created_at`) WHERE "events"."fanned_out_at" IS NULL;