CREATE TABLE `disabled_files` (
	`sha256` text PRIMARY KEY NOT NULL,
	`disabled_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `file_removals` (
	`sha256` text PRIMARY KEY NOT NULL,
	`claimed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `file_removals_claimed` ON `file_removals` (`claimed_at`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sha256` text NOT NULL,
	`type` text NOT NULL,
	`bytes` integer NOT NULL,
	`width` integer,
	`height` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `files_workspace` ON `files` (`workspace_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `files_content` ON `files` (`sha256`,`workspace_id`);--> statement-breakpoint
ALTER TABLE `plan_limits` ADD `file_bytes` integer DEFAULT 52428800 NOT NULL;--> statement-breakpoint
ALTER TABLE `plan_limits` ADD `files` integer DEFAULT 1000 NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `file_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `files` integer DEFAULT 0 NOT NULL;