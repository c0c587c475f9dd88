-- Who wants which events now: see event_subscriptions in src/events/events.table.ts.
CREATE TRIGGER `webhook_endpoints_subscribe` AFTER INSERT ON `webhook_endpoints`
WHEN NEW.enabled = 1
BEGIN
  INSERT OR IGNORE INTO event_subscriptions (workspace_id, event, channel, target_kind, target_id)
  SELECT NEW.workspace_id, chosen.value ->> 'event', chosen.value ->> 'channel', 'endpoint', NEW.id
  FROM json_each(CASE WHEN json_valid(NEW.subscriptions) THEN NEW.subscriptions ELSE '[]' END) AS chosen
  WHERE chosen.value ->> 'event' IS NOT NULL AND chosen.value ->> 'channel' IS NOT NULL;
END;--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_resubscribe` AFTER UPDATE OF `enabled`, `subscriptions` ON `webhook_endpoints`
WHEN OLD.enabled <> NEW.enabled OR OLD.subscriptions <> NEW.subscriptions
BEGIN
  DELETE FROM event_subscriptions WHERE target_id = NEW.id;
  INSERT OR IGNORE INTO event_subscriptions (workspace_id, event, channel, target_kind, target_id)
  SELECT NEW.workspace_id, chosen.value ->> 'event', chosen.value ->> 'channel', 'endpoint', NEW.id
  FROM json_each(CASE WHEN json_valid(NEW.subscriptions) THEN NEW.subscriptions ELSE '[]' END) AS chosen
  WHERE NEW.enabled = 1
    AND chosen.value ->> 'event' IS NOT NULL AND chosen.value ->> 'channel' IS NOT NULL;
END;--> statement-breakpoint
CREATE TRIGGER `webhook_endpoints_unsubscribe` AFTER DELETE ON `webhook_endpoints`
BEGIN
  DELETE FROM event_subscriptions WHERE target_id = OLD.id;
END;--> statement-breakpoint
CREATE TRIGGER `automation_hooks_subscribe` AFTER INSERT ON `automation_hooks`
BEGIN
  INSERT OR IGNORE INTO event_subscriptions (workspace_id, event, channel, target_kind, target_id)
  VALUES (NEW.workspace_id, NEW.event, '*', 'hook', NEW.id);
END;--> statement-breakpoint
CREATE TRIGGER `automation_hooks_unsubscribe` AFTER DELETE ON `automation_hooks`
BEGIN
  DELETE FROM event_subscriptions WHERE target_id = OLD.id;
END;--> statement-breakpoint
INSERT OR IGNORE INTO event_subscriptions (workspace_id, event, channel, target_kind, target_id)
SELECT endpoint.workspace_id, chosen.value ->> 'event', chosen.value ->> 'channel', 'endpoint', endpoint.id
FROM webhook_endpoints AS endpoint, json_each(
  CASE WHEN json_valid(endpoint.subscriptions) THEN endpoint.subscriptions ELSE '[]' END) AS chosen
WHERE endpoint.enabled = 1
  AND chosen.value ->> 'event' IS NOT NULL AND chosen.value ->> 'channel' IS NOT NULL;--> statement-breakpoint
INSERT OR IGNORE INTO event_subscriptions (workspace_id, event, channel, target_kind, target_id)
SELECT workspace_id, event, '*', 'hook', id FROM automation_hooks;
