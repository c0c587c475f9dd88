CREATE TABLE `latest_posts` (
	`workspace_id` text NOT NULL,
	`post_id` text NOT NULL,
	`event_id` text NOT NULL,
	`title` text,
	`url` text,
	`network` text,
	`published_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `post_id`)
);
--> statement-breakpoint
CREATE INDEX `latest_posts_order` ON `latest_posts` (`workspace_id`,`published_at`,`event_id`);