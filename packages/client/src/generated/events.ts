// Made by `npm run client` from the API description: change that, not this.

import type * as T from "./types.ts";

export interface WebhookEvents {
  /** A post went out. */
  "publishing.post.published": T.PublishingPostPublishedEvent;
  /** A post was given a time to go out. */
  "publishing.post.scheduled": T.PublishingPostScheduledEvent;
  /** A post could not go out. */
  "publishing.post.failed": T.PublishingPostFailedEvent;
  /** A contact was added; one with tags, or opted out, is told as that too. */
  "salesbot.contact.created": T.SalesbotContactCreatedEvent;
  /** A contact was changed, or wrote. */
  "salesbot.contact.updated": T.SalesbotContactUpdatedEvent;
  /** A contact was deleted; the data is what it was last. Of one that was erased, only its `id`. */
  "salesbot.contact.deleted": T.SalesbotContactDeletedEvent;
  /** A contact was given tags or lost some, or was added with some. */
  "salesbot.contact.tagged": T.SalesbotContactTaggedEvent;
  /** A contact asked for no more messages. */
  "salesbot.contact.opted_out": T.SalesbotContactOptedOutEvent;
  /** A message was accepted for sending. */
  "salesbot.message.queued": T.SalesbotMessageQueuedEvent;
  /** A message went out. */
  "salesbot.message.sent": T.SalesbotMessageSentEvent;
  /** A message could not be sent. */
  "salesbot.message.failed": T.SalesbotMessageFailedEvent;
  /** A contact wrote. */
  "salesbot.message.received": T.SalesbotMessageReceivedEvent;
  /** A short link was made. It is paused until a change makes it active. */
  "biolinks.link.created": T.BiolinksLinkCreatedEvent;
  /** A short link was changed, switched on or paused, or the operator switched it off or on again (`disabled`). Clicks are no change. A pixel that is deleted by force is a change of each link that used it, told when it is taken from it, within minutes. */
  "biolinks.link.updated": T.BiolinksLinkUpdatedEvent;
  /** A short link was deleted; the data is its id and the address that it had. */
  "biolinks.link.deleted": T.BiolinksLinkDeletedEvent;
  /** A version of a page went on line: it was published, or a paused page was put back. To publish what is on line already is no event. */
  "biolinks.page.published": T.BiolinksPagePublishedEvent;
  /** A page that was on line is so no more: it was unpublished, paused or deleted. The operator's switch is no event. */
  "biolinks.page.unpublished": T.BiolinksPageUnpublishedEvent;
  /** A product was made or changed, by a request or an import. That a sale begins or ends by its times is no event. */
  "biolinks.product.updated": T.BiolinksProductUpdatedEvent;
  /** A product was deleted; the data is what it was called. */
  "biolinks.product.deleted": T.BiolinksProductDeletedEvent;
  /** A QR code was scanned: all its scans of an hour, some minutes after its end, never an event for each. Scans that reach the count more than ten minutes after their hour are told with the next, so what is told adds up. */
  "biolinks.qr.scanned": T.BiolinksQrScannedEvent;
  /** A visitor sent a form, and it was accepted; one that was held is told here once it is released. */
  "biolinks.submission.received": T.BiolinksSubmissionReceivedEvent;
  /** A visitor sent a form, and somebody is to look at it: with its release it is received. */
  "biolinks.submission.held": T.BiolinksSubmissionHeldEvent;
  /** Signpost paused a webhook endpoint by itself. The endpoint itself does not get this. */
  "workspace.endpoint.disabled": T.WorkspaceEndpointDisabledEvent;
  /** A delivery to a webhook endpoint failed for good: its last attempt failed, or its receiver wants it no more. The endpoint itself does not get this; tests do not count, nor do deliveries of this event. */
  "workspace.delivery.exhausted": T.WorkspaceDeliveryExhaustedEvent;
}

/** What a webhook's body holds: `type` tells which. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];
