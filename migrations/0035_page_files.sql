CREATE TABLE `page_files` (
	`page_id` text NOT NULL,
	`holder` text NOT NULL,
	`file_id` text NOT NULL,
	PRIMARY KEY(`page_id`, `holder`, `file_id`)
);
--> statement-breakpoint
CREATE INDEX `page_files_file` ON `page_files` (`file_id`,`page_id`);