import { openList } from "../api/open-list.ts";

/** Its values are those that are registered when the description is made. */
export const EventName = openList(
  "EventName",
  [],
  "`GET /api/v1/workspace-webhooks/events` tells what each is. There may be others.",
);

export const ChannelName = openList(
  "ChannelName",
  [],
  "`GET /api/v1/workspace-webhooks/events` tells which channels an event has. There may be others.",
);
