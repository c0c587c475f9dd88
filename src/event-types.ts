import type { EventType } from "./events/event-type.ts";
import { linkEvents } from "./features/biolinks/links/links.events.ts";
import { postEvents } from "./features/publishing/posts.events.ts";
import { contactEvents } from "./features/salesbot/contacts/contacts.events.ts";
import { messageEvents } from "./features/salesbot/messages/messages.events.ts";
import { endpointEvents } from "./features/webhooks/endpoints/endpoints.events.ts";

/** Every event there is, in the order of the API reference. */
export const EVENT_TYPES: readonly EventType[] = [
  ...Object.values(postEvents),
  ...Object.values(contactEvents),
  ...Object.values(messageEvents),
  ...Object.values(linkEvents),
  ...Object.values(endpointEvents),
];
