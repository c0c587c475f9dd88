CREATE TABLE `event_subscriptions` (
	`workspace_id` text NOT NULL,
	`event` text NOT NULL,
	`channel` text NOT NULL,
	`target_kind` text NOT NULL,
	`target_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `event`, `channel`, `target_kind`, `target_id`)
);
--> statement-breakpoint
CREATE INDEX `event_subscriptions_target` ON `event_subscriptions` (`target_id`);--> statement-breakpoint
ALTER TABLE `workspaces` ADD `resumed_at` integer;--> statement-breakpoint
CREATE INDEX `workspaces_resumed` ON `workspaces` (`resumed_at`) WHERE "workspaces"."resumed_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `recoveries` ADD `events` text;--> statement-breakpoint
ALTER TABLE `events` ADD `targets` text;--> statement-breakpoint
CREATE INDEX `events_parked` ON `events` (`workspace_id`,`type`) WHERE "events"."fanned_out_at" = 0;--> statement-breakpoint
ALTER TABLE `automation_hooks` ADD `key_id` text;--> statement-breakpoint
CREATE INDEX `automation_hooks_workspace` ON `automation_hooks` (`workspace_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_parked` ON `deliveries` (`workspace_id`,`target_kind`,`event`) WHERE "deliveries"."status" = 'parked';--> statement-breakpoint
CREATE INDEX `messages_parked` ON `messages` (`workspace_id`,`id`) WHERE "messages"."status" = 'queued' AND "messages"."next_attempt_at" IS NULL;