ALTER TABLE `stages` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `stages_deleted` ON `stages` (`workspace_id`,`deleted_at`) WHERE "stages"."deleted_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `tags_deleted` ON `tags` (`workspace_id`,`deleted_at`) WHERE "tags"."deleted_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_created` ON `messages` (`created_at`);