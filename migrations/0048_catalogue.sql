CREATE TABLE `collection_products` (
	`collection_id` text NOT NULL,
	`position` integer NOT NULL,
	`product_id` text NOT NULL,
	PRIMARY KEY(`collection_id`, `position`)
);
--> statement-breakpoint
CREATE INDEX `collection_products_product` ON `collection_products` (`product_id`,`collection_id`);--> statement-breakpoint
CREATE TABLE `collections` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text,
	`rule` text,
	`products_count` integer NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `collections_workspace` ON `collections` (`workspace_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `collections_slug` ON `collections` (`workspace_id`,`slug`);--> statement-breakpoint
CREATE INDEX `collections_rules` ON `collections` (`workspace_id`) WHERE "collections"."rule" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `product_files` (
	`product_id` text NOT NULL,
	`file_id` text NOT NULL,
	PRIMARY KEY(`product_id`, `file_id`)
);
--> statement-breakpoint
CREATE INDEX `product_files_file` ON `product_files` (`file_id`,`product_id`);--> statement-breakpoint
CREATE TABLE `product_labels` (
	`workspace_id` text NOT NULL,
	`label` text NOT NULL,
	`product_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `label`, `product_id`)
);
--> statement-breakpoint
CREATE TABLE `products` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`external_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`url` text,
	`image` text,
	`additional_images` text NOT NULL,
	`price_amount` integer,
	`currency` text,
	`sale_amount` integer,
	`sale_starts_at` integer,
	`sale_ends_at` integer,
	`availability` text NOT NULL,
	`condition` text NOT NULL,
	`brand` text,
	`gtin` text,
	`mpn` text,
	`item_group_id` text,
	`google_product_category` text,
	`product_type` text,
	`labels` text NOT NULL,
	`status` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `products_workspace` ON `products` (`workspace_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `products_external_id` ON `products` (`workspace_id`,`external_id`);--> statement-breakpoint
CREATE INDEX `products_availability` ON `products` (`workspace_id`,`availability`,`id`);--> statement-breakpoint
CREATE INDEX `products_brand` ON `products` (`workspace_id`,`brand`,`id`);--> statement-breakpoint
CREATE INDEX `products_type` ON `products` (`workspace_id`,`product_type`,`id`);--> statement-breakpoint
CREATE TABLE `page_products` (
	`page_id` text NOT NULL,
	`target_id` text NOT NULL,
	PRIMARY KEY(`page_id`, `target_id`)
);
--> statement-breakpoint
CREATE INDEX `page_products_target` ON `page_products` (`target_id`,`page_id`);--> statement-breakpoint
CREATE TABLE `page_redraws` (
	`page_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`mark` text,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `page_redraws_due` ON `page_redraws` (`due_at`,`page_id`);--> statement-breakpoint
CREATE INDEX `page_redraws_workspace` ON `page_redraws` (`workspace_id`,`due_at`,`page_id`);--> statement-breakpoint
ALTER TABLE `plan_limits` ADD `products` integer DEFAULT 1000 NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `products` integer DEFAULT 0 NOT NULL;