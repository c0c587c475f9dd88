import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { defineBlock } from "./block-type.ts";

const Settings = z
  .strictObject({
    name: optionalText(120),
    address: trimmedText(300),
    hours: optionalText(300).openapi({ description: "When it is open; each line on its own." }),
    latitude: optional(z.number().min(-90).max(90)),
    longitude: optional(z.number().min(-180).max(180)),
    map: optional(z.enum(["openstreetmap", "google", "apple"])),
  })
  .superRefine(({ latitude, longitude }, context) => {
    if ((latitude === undefined) === (longitude === undefined)) return;
    const path = [latitude === undefined ? "latitude" : "longitude"];
    context.addIssue({
      code: "custom",
      path,
      message: "Send both latitude and longitude, or none.",
    });
  })
  .openapi("LocationBlock");
type Settings = z.output<typeof Settings>;

export const locationBlock = defineBlock({
  type: "location",
  description: "A place with its address and a link to a map; no map is loaded.",
  settings: Settings,
  sample: {
    name: "Studio Saltglaze",
    address: "Hamngatan 4, 211 22 Malmö, Sweden",
    hours: "Thursday to Saturday, 11–17",
    latitude: 55.6093,
    longitude: 12.9966,
  },
  names: () => [],
  view: (place, { go, words }) => {
    const { name, address, hours } = place;
    return html`<div class="card place">${icon("map")}<div>${name && html`<h2>${name}</h2>`}<address>${address}</address>${hours && html`<p>${hours}</p>`}</div><a class="btn" href="${go(mapOf(place))}">${words.directions}</a></div>`;
  },
  css: `.place{display:grid;grid-template-columns:auto 1fr;gap:1rem;text-align:start}.place h2{margin:0 0 .125rem}.place address{font-style:normal}.place p{margin:.375rem 0 0;color:var(--mute);white-space:pre-line}.place>.ico{width:1.75rem;height:1.75rem;color:var(--act)}.place .btn{grid-column:1/-1}`,
});

function mapOf({ name, address, latitude, longitude, map }: Settings): string {
  const words = encodeURIComponent([name, address].filter(Boolean).join(", "));
  const point = latitude !== undefined && longitude !== undefined;
  switch (map) {
    case "google":
      return `https://www.google.com/maps/search/?api=1&query=${point ? `${latitude}%2C${longitude}` : words}`;
    case "apple":
      return `https://maps.apple.com/?q=${words}${point ? `&ll=${latitude},${longitude}` : ""}`;
    default:
      if (!point) return `https://www.openstreetmap.org/search?query=${words}`;
      return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
  }
}
