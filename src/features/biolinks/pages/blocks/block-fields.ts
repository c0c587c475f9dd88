import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { Id } from "../../../../api/ids.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { Time } from "../../../../api/times.ts";
import { toTimestamp } from "../../../../platform/time.ts";
import { destinationProblem, MAX_DESTINATION_LENGTH } from "../../links/destination.ts";
import { type Html, html } from "../markup/html.ts";
import { markdownProblem } from "../markup/markdown-limits.ts";
import { isWebAddress } from "../markup/safe-address.ts";
import type { Name, PageFile } from "./block-type.ts";

/** An address that a pure rule judges: the rule answers what is wrong, or undefined. */
function ruled(rule: (text: string) => string | undefined) {
  const bounded = z.string().max(MAX_DESTINATION_LENGTH, { abort: true });
  return bounded.superRefine((text, context) => {
    const message = rule(text);
    if (message) context.addIssue({ code: "custom", message });
  });
}

/** A text that is drawn as Markdown. */
export function markdownText(maxLength: number) {
  return trimmedText(maxLength)
    .superRefine((text, context) => {
      const message = markdownProblem(text);
      if (message) context.addIssue({ code: "custom", message });
    })
    .openapi({
      description:
        "CommonMark. At most 10 lists and quotes begin in each other on a line; 250 lines, 70 links, 60 runs of backticks or 500 other formatting characters are the most, together in proportion.",
    });
}

/** An absolute http, https, mailto or tel URL. */
export const Address = ruled(destinationProblem).openapi({
  description: "An absolute http, https, mailto or tel URL without credentials.",
  example: "https://example.com/spring",
});

/** An absolute http or https URL. */
export const WebAddress = ruled((text) => {
  if (!isWebAddress(text)) return "Must be an absolute http or https URL.";
  return destinationProblem(text);
}).openapi({
  description: "An absolute http or https URL without credentials.",
  example: "https://example.com/spring",
});

/** In samples: an id that need not exist. */
export const SAMPLE_ID = "01930000-0000-7000-8000-000000000001";

/** A picture says what it shows, or that it shows nothing that a text would not. */
export const Picture = z
  .strictObject({
    file: Id.openapi({ description: "A picture of the workspace's files." }),
    alt: optionalText(300).openapi({ description: "What it shows, for those who do not see it." }),
    decorative: optional(z.boolean()).openapi({
      description: "True: it says nothing that the words around it do not.",
    }),
  })
  .superRefine(({ alt, decorative }, context) => {
    if (Boolean(alt) !== (decorative === true)) return;
    const message = alt
      ? "A decorative picture has no alternative text: send one of the two."
      : "Say what the picture shows, or send `decorative: true`.";
    context.addIssue({ code: "custom", path: ["alt"], message });
  })
  .openapi("PagePicture", { description: "Exactly one of `alt` and `decorative: true`." });
export type Picture = z.output<typeof Picture>;

/** What a picture names, if there is one. */
export function pictureName(picture: Picture | undefined, field: string): Name[] {
  if (!picture) return [];
  return [{ kind: "file", id: picture.file, field: `${field}.file`, accepts: "image" }];
}

/** So that nothing moves when a picture comes. */
export function measured({ width, height }: PageFile): Html {
  return html`${width && height && html` width="${width}" height="${height}"`}`;
}

/** The same for one that need not be there before it is scrolled to. */
export function sized(picture: PageFile): Html {
  return html`${measured(picture)} loading="lazy" decoding="async"`;
}

/** A block's own heading. */
export function blockTitle(title: string | undefined): Html {
  return html`${title && html`<h2>${title}</h2>`}`;
}

/** A moment, kept as UTC is written, so that what is stored can be sent again. */
export const Moment = Time.transform(toTimestamp).openapi({
  type: "string",
  format: "date-time",
  example: "2027-05-14T19:00:00+02:00",
});
