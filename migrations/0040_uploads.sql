CREATE TABLE `file_bucket_owner` (
	`id` integer PRIMARY KEY NOT NULL,
	`owner` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `upload_day` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `uploaded_bytes` integer DEFAULT 0 NOT NULL;