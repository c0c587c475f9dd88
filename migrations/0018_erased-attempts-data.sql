-- What is erased of a response takes no room any more: the counterpart of usage_attempts_made.
CREATE TRIGGER `usage_attempts_erased` AFTER UPDATE OF `response_body` ON `delivery_attempts` WHEN length(OLD.response_body) > 200 AND NEW.response_body IS NULL BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - length(CAST(OLD.response_body AS BLOB)), 0), recounted_bytes = recounted_bytes - length(CAST(OLD.response_body AS BLOB)) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND OLD.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = OLD.delivery_id) AND batch_bytes IS NULL;
END;
