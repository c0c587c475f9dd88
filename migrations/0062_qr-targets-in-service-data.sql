-- A code printed with another host leads to a domain's links and pages only while that is in service:
-- visitors' caches are told when it comes and goes. Code of before does not mind one more row there.
CREATE TRIGGER `domain_served_for_qr_codes` AFTER UPDATE OF `verified`, `disabled` ON `domains`
WHEN (OLD.verified = 1 AND OLD.disabled = 0) <> (NEW.verified = 1 AND NEW.disabled = 0)
  AND EXISTS (SELECT 1 FROM qr_codes WHERE workspace_id = NEW.workspace_id)
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', NEW.workspace_id);
END;
