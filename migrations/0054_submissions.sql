CREATE TABLE `form_counts` (
	`block_id` text PRIMARY KEY NOT NULL,
	`accepted` integer NOT NULL,
	`spam` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `submission_emails` (
	`workspace_id` text NOT NULL,
	`email` text NOT NULL,
	`submission_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `email`, `submission_id`)
);
--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`page_id` text NOT NULL,
	`block_id` text NOT NULL,
	`page_version` integer NOT NULL,
	`status` text NOT NULL,
	`spam_reasons` text NOT NULL,
	`answers` text NOT NULL,
	`fields` text NOT NULL,
	`consents` text NOT NULL,
	`contact_id` text,
	`contact_rule` text,
	`country` text,
	`referrer_host` text,
	`utm` text NOT NULL,
	`is_read` integer NOT NULL,
	`is_starred` integer NOT NULL,
	`is_told` integer NOT NULL,
	`nonce` text NOT NULL,
	`digest` text NOT NULL,
	`only_email` text,
	`emails` text NOT NULL,
	`retention_days` integer NOT NULL,
	`due_at` integer NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `submissions_workspace` ON `submissions` (`workspace_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_status` ON `submissions` (`workspace_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_page` ON `submissions` (`workspace_id`,`page_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_block` ON `submissions` (`workspace_id`,`block_id`,`id`);--> statement-breakpoint
CREATE INDEX `submissions_unread` ON `submissions` (`workspace_id`,`id`) WHERE "submissions"."is_read" = 0;--> statement-breakpoint
CREATE INDEX `submissions_starred` ON `submissions` (`workspace_id`,`id`) WHERE "submissions"."is_starred" = 1;--> statement-breakpoint
CREATE UNIQUE INDEX `submissions_nonce` ON `submissions` (`block_id`,`nonce`);--> statement-breakpoint
CREATE INDEX `submissions_digest` ON `submissions` (`block_id`,`digest`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `submissions_only_email` ON `submissions` (`block_id`,`only_email`) WHERE "submissions"."only_email" IS NOT NULL AND "submissions"."status" <> 'spam';--> statement-breakpoint
CREATE INDEX `submissions_contact` ON `submissions` (`contact_id`,`id`) WHERE "submissions"."contact_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `submissions_due` ON `submissions` (`due_at`);