CREATE TABLE `qr_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`code` text,
	`domain_id` text,
	`origin` text,
	`target` text NOT NULL,
	`target_link_id` text GENERATED ALWAYS AS ((target ->> 'link')) VIRTUAL,
	`style` text NOT NULL,
	`status` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `qr_codes_code_unique` ON `qr_codes` (`code`);--> statement-breakpoint
CREATE INDEX `qr_codes_workspace` ON `qr_codes` (`workspace_id`,`id`);--> statement-breakpoint
CREATE INDEX `qr_codes_target_link` ON `qr_codes` (`target_link_id`) WHERE "qr_codes"."target_link_id" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `workspace_usage` ADD `other_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `addresses_qr_codes` ON `addresses` (`target_id`) WHERE "addresses"."kind" = 'qr_code';