CREATE UNIQUE INDEX `deliveries_event_target` ON `deliveries` (`event_id`,`target_id`,CASE WHEN "resend_of" IS NULL THEN '' ELSE "id" END);--> statement-breakpoint
DROP INDEX `deliveries_event`;--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`target_id`,`id`) WHERE "deliveries"."status" = 'failed';--> statement-breakpoint
DROP INDEX `events_waiting`;--> statement-breakpoint
DROP INDEX `domains_ssl_check`;--> statement-breakpoint
CREATE INDEX `domains_host` ON `domains` (`host`);--> statement-breakpoint
CREATE INDEX `domains_uncertified` ON `domains` (`ssl_check_at`) WHERE "domains"."ssl_check_at" IS NOT NULL AND "domains"."ssl_active" = 0 AND "domains"."verified" = 1;--> statement-breakpoint
CREATE INDEX `hostname_removals_due` ON `hostname_removals` (`try_at`);
