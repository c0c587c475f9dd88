import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { Moment, WebAddress } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";
import { DAY, HOUR, HOUR_IN_ZONE, writtenMoment, zoneNameAt } from "./moments.ts";

const Settings = z
  .strictObject({
    title: trimmedText(120),
    description: optionalText(1000),
    starts_at: Moment,
    ends_at: optional(Moment),
    location: optional(z.strictObject({ name: optionalText(120), address: optionalText(200) })),
    url: optional(WebAddress),
    url_label: optionalText(60).openapi({ description: "On the button that leads to `url`." }),
  })
  .superRefine(({ starts_at, ends_at }, context) => {
    // A start that is none is told of by itself.
    const isBefore = ends_at !== undefined && Date.parse(ends_at) <= Date.parse(starts_at);
    if (!isBefore) return;
    context.addIssue({ code: "custom", path: ["ends_at"], message: "Must be after starts_at." });
  })
  .openapi("EventBlock");
export type EventSettings = z.output<typeof Settings>;

export const eventBlock = defineBlock({
  type: "event",
  description: "Something that happens at a time, which a visitor can add to a calendar.",
  settings: Settings,
  sample: {
    title: "Open studio and kiln opening",
    description: "Coffee, cake and the first look at the spring firing.",
    starts_at: "2027-05-14T17:00:00.000Z",
    ends_at: "2027-05-14T20:00:00.000Z",
    location: { name: "Studio Saltglaze", address: "Hamngatan 4, Malmö" },
    url: "https://example.com/open-studio",
    url_label: "Reserve a place",
  },
  names: () => [],
  view: (event, context) => {
    const { title, description, starts_at, ends_at, location, url, url_label } = event;
    const { go, path, blockId, words } = context;
    const write = (moment: string, options: Intl.DateTimeFormatOptions) =>
      writtenMoment(moment, context, options);
    const [day, lastDay] = [write(starts_at, DAY), ends_at && write(ends_at, DAY)];
    const end =
      ends_at && `${lastDay === day ? "" : `${lastDay}, `}${write(ends_at, HOUR_IN_ZONE)}`;
    // Where the clocks change meanwhile, the end's zone is not the start's.
    const isZoneAtEnd =
      ends_at !== undefined && zoneNameAt(starts_at, context) === zoneNameAt(ends_at, context);
    const start = `${day}, ${write(starts_at, isZoneAtEnd ? HOUR : HOUR_IN_ZONE)}`;
    const place = [location?.name, location?.address].filter(Boolean).join(", ");
    return html`<div class="card when"><p class="date" aria-hidden="true"><span>${write(starts_at, { month: "short" })}</span><b>${write(starts_at, { day: "numeric" })}</b></p><div><h2>${title}</h2><p><time datetime="${starts_at}">${start}</time>${end && html` – <time datetime="${ends_at}">${end}</time>`}</p>${place && html`<p>${place}</p>`}${description?.trim() && html`<p class="more">${description.trim()}</p>`}</div><div class="acts"><a class="btn" href="${path}/${blockId}.ics" download>${icon("calendar")}${words.addToCalendar}</a>${url && html`<a class="btn" href="${go(url)}">${url_label ?? new URL(url).host}</a>`}</div></div>`;
  },
  css: `.when{display:grid;grid-template-columns:auto 1fr;gap:1rem 1.125rem;text-align:start}.when h2{margin:0 0 .25rem}.when p{margin:0;color:var(--mute);font-size:.9375rem}.when .more{margin-top:.5rem;white-space:pre-line;color:var(--ink);font-size:1rem}
.when .date{align-self:start;min-width:3.75rem;padding:.5rem .625rem .375rem;border-radius:min(var(--r),.875rem);background:var(--act);color:var(--on);text-align:center;line-height:1.15}.date span{display:block;font-size:.75rem;font-weight:700;letter-spacing:.06em;text-transform:uppercase}.date b{font-size:1.625rem;font-variant-numeric:tabular-nums}
.acts{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:.625rem}.acts .btn{flex:1 1 12rem}`,
});
