CREATE TABLE `page_blocks` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`page_id` text NOT NULL,
	`type` text NOT NULL,
	`enabled` integer NOT NULL,
	`settings` text NOT NULL,
	`visibility` text,
	`name` text NOT NULL,
	`published` integer NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `page_blocks_live` ON `page_blocks` (`page_id`) WHERE "page_blocks"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX `page_blocks_page` ON `page_blocks` (`page_id`,`id`);--> statement-breakpoint
CREATE INDEX `page_blocks_deleted` ON `page_blocks` (`deleted_at`) WHERE "page_blocks"."deleted_at" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `page_pixels` (
	`pixel_id` text NOT NULL,
	`page_id` text NOT NULL,
	PRIMARY KEY(`pixel_id`, `page_id`)
);
--> statement-breakpoint
CREATE TABLE `page_removals` (
	`page_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `page_versions` (
	`page_id` text NOT NULL,
	`number` integer NOT NULL,
	`workspace_id` text NOT NULL,
	`document` text NOT NULL,
	`hash` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`page_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `pages` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`domain_id` text,
	`handle` text NOT NULL,
	`handle_key` text NOT NULL,
	`domain_root` integer NOT NULL,
	`status` text NOT NULL,
	`disabled` integer NOT NULL,
	`password_hash` text,
	`title` text NOT NULL,
	`language` text NOT NULL,
	`time_zone` text NOT NULL,
	`profile` text NOT NULL,
	`theme` text NOT NULL,
	`seo` text NOT NULL,
	`sensitive_content` integer NOT NULL,
	`pixels` text NOT NULL,
	`utm` text NOT NULL,
	`block_order` text NOT NULL,
	`content_bytes` integer NOT NULL,
	`blocks_bytes` integer NOT NULL,
	`revision` text NOT NULL,
	`content_revision` text NOT NULL,
	`published_content` text,
	`published_version` integer,
	`published_at` integer,
	`published_settings` text,
	`last_version` integer NOT NULL,
	`kept_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pages_platform_handle` ON `pages` (`handle_key`) WHERE "pages"."domain_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `pages_domain_handle` ON `pages` (`domain_id`,`handle_key`) WHERE "pages"."domain_id" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `pages_domain_root` ON `pages` (`domain_id`) WHERE "pages"."domain_root" = 1;--> statement-breakpoint
CREATE INDEX `pages_workspace` ON `pages` (`workspace_id`,`id`);--> statement-breakpoint
ALTER TABLE `plan_limits` ADD `pages` integer DEFAULT 5 NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `pages` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `addresses_pages` ON `addresses` (`target_id`) WHERE "addresses"."kind" = 'page';