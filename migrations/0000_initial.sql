CREATE TABLE `click_packets` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `click_packets_created` ON `click_packets` (`created_at`);--> statement-breakpoint
CREATE TABLE `link_clicks` (
	`link_id` text NOT NULL,
	`hour` integer NOT NULL,
	`kind` text NOT NULL,
	`country` text NOT NULL,
	`device` text NOT NULL,
	`referrer` text NOT NULL,
	`workspace_id` text NOT NULL,
	`clicks` integer NOT NULL,
	PRIMARY KEY(`link_id`, `hour`, `kind`, `country`, `device`, `referrer`)
);
--> statement-breakpoint
CREATE INDEX `link_clicks_workspace` ON `link_clicks` (`workspace_id`,`hour`);--> statement-breakpoint
CREATE TABLE `domains` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`host` text NOT NULL,
	`verified` integer NOT NULL,
	`disabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_verified_host` ON `domains` (`host`) WHERE "domains"."verified" = 1;--> statement-breakpoint
CREATE INDEX `domains_workspace` ON `domains` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`member_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`last_four` text NOT NULL,
	`permissions` text NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`member_id`) REFERENCES `members`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_workspace` ON `api_keys` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `links` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`domain_id` text,
	`slug` text NOT NULL,
	`slug_key` text NOT NULL,
	`title` text,
	`destination` text NOT NULL,
	`status` text NOT NULL,
	`disabled` integer NOT NULL,
	`password_hash` text,
	`http_status` integer NOT NULL,
	`forward_query` integer NOT NULL,
	`sensitive_content` integer NOT NULL,
	`utm` text NOT NULL,
	`pixels` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_platform_slug` ON `links` (`slug_key`) WHERE "links"."domain_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `links_domain_slug` ON `links` (`domain_id`,`slug_key`) WHERE "links"."domain_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `links_workspace` ON `links` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`email` text,
	`role` text NOT NULL,
	`removed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `members_workspace` ON `members` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `pixels` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`provider` text NOT NULL,
	`tag` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `pixels_workspace` ON `pixels` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`status` text NOT NULL,
	`features` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
