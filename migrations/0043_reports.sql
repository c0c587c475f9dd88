CREATE TABLE `report_tries` (
	`id` text PRIMARY KEY NOT NULL,
	`sender` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `report_tries_sender` ON `report_tries` (`sender`,`created_at`);--> statement-breakpoint
CREATE INDEX `report_tries_created` ON `report_tries` (`created_at`);--> statement-breakpoint
CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`target_id` text NOT NULL,
	`url` text NOT NULL,
	`reason` text NOT NULL,
	`details` text NOT NULL,
	`status` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reports_status` ON `reports` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `reports_open` ON `reports` (`target_id`) WHERE "reports"."status" = 'open';--> statement-breakpoint
CREATE INDEX `reports_updated` ON `reports` (`updated_at`);