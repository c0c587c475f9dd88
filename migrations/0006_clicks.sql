CREATE TABLE `link_days` (
	`link_id` text NOT NULL,
	`day` integer NOT NULL,
	`rows` integer NOT NULL,
	`referrers` integer NOT NULL,
	PRIMARY KEY(`link_id`, `day`)
);
--> statement-breakpoint
CREATE INDEX `link_days_day` ON `link_days` (`day`);--> statement-breakpoint
CREATE TABLE `link_totals` (
	`link_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`clicks` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `link_clicks_workspace`;--> statement-breakpoint
CREATE INDEX `link_clicks_day` ON `link_clicks` ("hour" / 86400000,`link_id`,`referrer`);