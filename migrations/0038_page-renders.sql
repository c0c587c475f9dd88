CREATE TABLE `page_renders` (
	`page_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`version` integer NOT NULL,
	`bytes` integer NOT NULL,
	`render` text NOT NULL
);
