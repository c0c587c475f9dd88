CREATE TABLE `address_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`at` integer DEFAULT (unixepoch()) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `address_check` (
	`id` integer PRIMARY KEY NOT NULL,
	`link_id` text DEFAULT '' NOT NULL,
	`place` text DEFAULT '' NOT NULL,
	`slug_key` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `addresses` (
	`place` text NOT NULL,
	`slug_key` text NOT NULL,
	`kind` text NOT NULL,
	`target_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`document` text NOT NULL,
	PRIMARY KEY(`place`, `slug_key`)
) WITHOUT ROWID;
