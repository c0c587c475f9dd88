CREATE TABLE `click_moves` (
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`clicks` text NOT NULL,
	PRIMARY KEY(`id`, `workspace_id`)
);
