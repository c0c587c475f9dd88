CREATE TABLE `feed_addresses` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `feed_addresses_workspace` ON `feed_addresses` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `product_import_slices` (
	`import_id` text NOT NULL,
	`number` integer NOT NULL,
	`workspace_id` text NOT NULL,
	`text` text NOT NULL,
	`first_row` integer NOT NULL,
	`repeated` text NOT NULL,
	PRIMARY KEY(`import_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `product_imports` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`status` text NOT NULL,
	`mode` text NOT NULL,
	`dry_run` integer NOT NULL,
	`delimiter` text NOT NULL,
	`columns` text NOT NULL,
	`ignored_columns` text NOT NULL,
	`rows` integer NOT NULL,
	`row_steps` integer NOT NULL,
	`steps` integer NOT NULL,
	`next_step` integer DEFAULT 0 NOT NULL,
	`created` integer DEFAULT 0 NOT NULL,
	`updated` integer DEFAULT 0 NOT NULL,
	`unchanged` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`deleted` integer DEFAULT 0 NOT NULL,
	`errors` text DEFAULT '' NOT NULL,
	`errors_kept` integer DEFAULT 0 NOT NULL,
	`message` text,
	`faults` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `product_imports_workspace` ON `product_imports` (`workspace_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `product_imports_open` ON `product_imports` (`workspace_id`) WHERE "product_imports"."finished_at" IS NULL;--> statement-breakpoint
CREATE INDEX `product_imports_due` ON `product_imports` (`due_at`) WHERE "product_imports"."finished_at" IS NULL;