CREATE TABLE `workspace_deletions` (
	`id` text PRIMARY KEY NOT NULL,
	`passes` integer NOT NULL,
	`place` text NOT NULL,
	`position` text NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `workspace_deletions_due` ON `workspace_deletions` (`due_at`) WHERE "workspace_deletions"."finished_at" IS NULL;--> statement-breakpoint
CREATE INDEX `api_keys_member` ON `api_keys` (`member_id`);