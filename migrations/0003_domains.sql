CREATE TABLE `hostname_removals` (
	`host` text PRIMARY KEY NOT NULL,
	`try_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `domains` ADD `token` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `domains` ADD `root_url` text;--> statement-breakpoint
ALTER TABLE `domains` ADD `not_found_url` text;--> statement-breakpoint
ALTER TABLE `domains` ADD `problems` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `domains` ADD `failed_days` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `domains` ADD `last_checked_at` integer;--> statement-breakpoint
ALTER TABLE `domains` ADD `check_at` integer;--> statement-breakpoint
ALTER TABLE `domains` ADD `ssl_active` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `domains` ADD `ssl_check_at` integer;--> statement-breakpoint
ALTER TABLE `domains` ADD `revision` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `domains_claim` ON `domains` (`workspace_id`,`host`);--> statement-breakpoint
CREATE INDEX `domains_check` ON `domains` (`check_at`) WHERE "domains"."check_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `domains_ssl_check` ON `domains` (`ssl_check_at`) WHERE "domains"."ssl_check_at" IS NOT NULL;