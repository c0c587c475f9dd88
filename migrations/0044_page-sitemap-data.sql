-- Which pages search engines may be told of: what their rendering says, at hand for the sitemap. Triggers
-- keep it, as code of before publishes pages too. A rendering of before says it in the same way.
ALTER TABLE `pages` ADD COLUMN `indexable` integer NOT NULL DEFAULT 0;
--> statement-breakpoint
UPDATE `pages` SET `indexable` = 1 WHERE `id` IN (SELECT page_id FROM page_renders WHERE CASE WHEN json_valid(render) THEN render ->> 'noindex' ELSE 1 END = 0);
--> statement-breakpoint
CREATE TRIGGER `page_renders_listed` AFTER INSERT ON `page_renders` BEGIN
  UPDATE pages SET indexable = CASE WHEN json_valid(NEW.render) THEN NEW.render ->> 'noindex' IS 0 ELSE 0 END WHERE id = NEW.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_renders_relisted` AFTER UPDATE OF `render` ON `page_renders` BEGIN
  UPDATE pages SET indexable = CASE WHEN json_valid(NEW.render) THEN NEW.render ->> 'noindex' IS 0 ELSE 0 END WHERE id = NEW.page_id;
END;
--> statement-breakpoint
-- The sitemap's order, of no page that it does not list.
CREATE INDEX `pages_listed` ON `pages` (`domain_id`, `handle_key`) WHERE indexable = 1 AND status = 'published' AND disabled = 0 AND password_hash IS NULL AND published_settings ->> 'sensitive_content' IS 0;
