ALTER TABLE `page_renders` ADD `address` text;--> statement-breakpoint
ALTER TABLE `page_renders` ADD `root_address` text;--> statement-breakpoint
ALTER TABLE `page_renders` ADD `document` text;--> statement-breakpoint
CREATE UNIQUE INDEX `page_renders_address` ON `page_renders` (`address`) WHERE "page_renders"."address" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `page_renders_root` ON `page_renders` (`root_address`) WHERE "page_renders"."root_address" IS NOT NULL;