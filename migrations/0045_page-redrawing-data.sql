-- Which code drew a page: what other code drew is drawn again by a job. A rendering says it itself, so
-- that code of before, which says nothing, is found out by what it writes.
ALTER TABLE `page_renders` ADD COLUMN `code` text GENERATED ALWAYS AS (CASE WHEN json_valid(render) THEN coalesce(render ->> 'code', '') ELSE '' END) VIRTUAL;
--> statement-breakpoint
CREATE INDEX `page_renders_code` ON `page_renders` (`code`, `page_id`);
