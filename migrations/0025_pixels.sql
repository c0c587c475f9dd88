CREATE TABLE `link_pixels` (
	`pixel_id` text NOT NULL,
	`link_id` text NOT NULL,
	PRIMARY KEY(`pixel_id`, `link_id`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `pixels` ADD `enabled` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `pixels` ADD `consent` text DEFAULT 'required' NOT NULL;--> statement-breakpoint
ALTER TABLE `pixels` ADD `access_token` blob;--> statement-breakpoint
ALTER TABLE `pixels` ADD `revision` text DEFAULT '1' NOT NULL;--> statement-breakpoint
ALTER TABLE `pixels` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `pixels_deleted` ON `pixels` (`workspace_id`,`deleted_at`) WHERE "pixels"."deleted_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `pixels_sealed` ON `pixels` (`id`) WHERE "pixels"."access_token" IS NOT NULL;