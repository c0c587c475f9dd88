CREATE TABLE `erasures` (
	`subject` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`place` integer NOT NULL,
	`position` text NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `erasures_open` ON `erasures` (`workspace_id`,`due_at`) WHERE "erasures"."finished_at" IS NULL;--> statement-breakpoint
CREATE TABLE `opt_out_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `opt_outs` (
	`workspace_id` text NOT NULL,
	`identity` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `identity`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `events` ADD `subject` text;--> statement-breakpoint
CREATE INDEX `events_subject` ON `events` (`subject`,`id`) WHERE "events"."subject" IS NOT NULL;