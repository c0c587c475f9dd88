DROP INDEX `deliveries_overdue`;--> statement-breakpoint
DROP INDEX `deliveries_created`;