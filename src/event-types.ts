import type { EventType } from "./events/event-type.ts";
import { productEvents } from "./features/biolinks/catalogue/products.events.ts";
import { linkEvents } from "./features/biolinks/links/links.events.ts";
import { pageEvents } from "./features/biolinks/pages/pages.events.ts";
import { qrCodeEvents } from "./features/biolinks/qr-codes/qr-codes.events.ts";
import { submissionEvents } from "./features/biolinks/submissions/submissions.events.ts";
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
  ...Object.values(pageEvents),
  ...Object.values(productEvents),
  ...Object.values(qrCodeEvents),
  ...Object.values(submissionEvents),
  ...Object.values(endpointEvents),
];
