-- A page's rendering says where the page stands, and what a visit needs of it: a first visit reads that row
-- alone. Spelt in page-places.ts too. Rows of before are filled when their pages are drawn again, or by a job.
CREATE TRIGGER `page_renders_placed` AFTER UPDATE OF `domain_id`, `handle_key`, `domain_root`, `status`, `disabled`, `password_hash`, `published_version`, `published_settings` ON `pages`
WHEN (OLD.published_version IS NULL, coalesce(OLD.domain_id, ''), OLD.handle_key, OLD.domain_root, OLD.status, OLD.disabled, OLD.password_hash IS NULL, OLD.published_settings ->> 'sensitive_content', OLD.published_settings -> 'utm', OLD.published_settings -> 'pixels')
  IS NOT (NEW.published_version IS NULL, coalesce(NEW.domain_id, ''), NEW.handle_key, NEW.domain_root, NEW.status, NEW.disabled, NEW.password_hash IS NULL, NEW.published_settings ->> 'sensitive_content', NEW.published_settings -> 'utm', NEW.published_settings -> 'pixels')
BEGIN
  UPDATE page_renders SET
    address = CASE WHEN NEW.published_version IS NOT NULL THEN coalesce(NEW.domain_id, '') || '/@' || NEW.handle_key END,
    root_address = CASE WHEN NEW.published_version IS NOT NULL AND NEW.domain_root = 1 THEN NEW.domain_id || '/' END,
    document = json_object('status', NEW.status, 'disabled', NEW.disabled, 'hasPassword', NEW.password_hash IS NOT NULL, 'sensitiveContent', NEW.published_settings ->> 'sensitive_content', 'utm', NEW.published_settings -> 'utm', 'pixels', NEW.published_settings -> 'pixels')
  WHERE page_id = NEW.id;
END;
