CREATE TABLE `automation_hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`event` text NOT NULL,
	`target_url` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `automation_hooks_target` ON `automation_hooks` (`workspace_id`,`event`,`target_url`);--> statement-breakpoint
CREATE TABLE `contact_tags` (
	`contact_id` text NOT NULL,
	`tag_id` text NOT NULL,
	PRIMARY KEY(`contact_id`, `tag_id`),
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_id`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `contact_tags_tag` ON `contact_tags` (`tag_id`,`contact_id`);--> statement-breakpoint
CREATE TABLE `contacts` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`external_id` text,
	`name` text,
	`email` text,
	`phone` text,
	`channel` text,
	`stage_id` text,
	`country` text,
	`language` text,
	`custom` text NOT NULL,
	`status` text NOT NULL,
	`last_active_at` integer,
	`last_inbound_at` integer,
	`inactive_since` integer GENERATED ALWAYS AS (coalesce(last_active_at, created_at)) VIRTUAL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`stage_id`) REFERENCES `stages`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_external_id` ON `contacts` (`workspace_id`,`external_id`) WHERE "contacts"."external_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `contacts_workspace` ON `contacts` (`workspace_id`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_stage` ON `contacts` (`workspace_id`,`stage_id`,`id`);--> statement-breakpoint
CREATE INDEX `contacts_inactive` ON `contacts` (`workspace_id`,`inactive_since`);--> statement-breakpoint
CREATE INDEX `contacts_stage_id` ON `contacts` (`stage_id`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`channel` text NOT NULL,
	`direction` text NOT NULL,
	`text` text,
	`template` text,
	`status` text NOT NULL,
	`reason` text,
	`external_id` text,
	`attempts_count` integer NOT NULL,
	`next_attempt_at` integer,
	`sent_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `messages_due` ON `messages` (`next_attempt_at`) WHERE "messages"."status" = 'queued';--> statement-breakpoint
CREATE UNIQUE INDEX `messages_external_id` ON `messages` (`workspace_id`,`channel`,`external_id`) WHERE "messages"."external_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_contact` ON `messages` (`workspace_id`,`contact_id`,`id`);--> statement-breakpoint
CREATE TABLE `segment_uses` (
	`segment_id` text NOT NULL,
	`tag_id` text,
	`stage_id` text,
	FOREIGN KEY (`segment_id`) REFERENCES `segments`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_id`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`stage_id`) REFERENCES `stages`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `segment_uses_segment` ON `segment_uses` (`segment_id`);--> statement-breakpoint
CREATE INDEX `segment_uses_tag` ON `segment_uses` (`tag_id`);--> statement-breakpoint
CREATE INDEX `segment_uses_stage` ON `segment_uses` (`stage_id`);--> statement-breakpoint
CREATE TABLE `segments` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`stage_id` text,
	`include_tags` text NOT NULL,
	`exclude_tags` text NOT NULL,
	`min_days_inactive` integer,
	`conditions` text,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `segments_workspace` ON `segments` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `stages` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `stages_name` ON `stages` (`workspace_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `stages_workspace` ON `stages` (`workspace_id`,`id`);--> statement-breakpoint
CREATE TABLE `tags` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`workspace_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `tags_workspace` ON `tags` (`workspace_id`,`id`);