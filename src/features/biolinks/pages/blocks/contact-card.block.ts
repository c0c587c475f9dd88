import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText, trimmedText } from "../../../../api/text.ts";
import { withoutTrunkZero } from "../../../../platform/telephone.ts";
import { hostNameOf } from "../../../../platform/web-url.ts";
import { html } from "../markup/html.ts";
import { icon } from "../markup/icons.ts";
import { Picture, pictureName, sized, WebAddress } from "./block-fields.ts";
import { defineBlock } from "./block-type.ts";

const Phone = z
  .string()
  .max(40)
  .regex(/^\+?[0-9][0-9 ()./-]*$/, { error: "Must be a telephone number." });

const Settings = z
  .strictObject({
    name: trimmedText(120),
    job_title: optionalText(120),
    organization: optionalText(120),
    photo: optional(Picture),
    phones: optional(z.array(Phone).max(3)),
    emails: optional(z.array(z.email().max(254)).max(3)),
    website: optional(WebAddress),
    address: optional(
      z.strictObject({
        street: optionalText(120),
        city: optionalText(80),
        region: optionalText(80),
        postal_code: optionalText(20),
        country: optionalText(80),
      }),
    ),
    note: optionalText(500),
  })
  .openapi("ContactCardBlock");
export type ContactCardSettings = z.output<typeof Settings>;

export const contactCardBlock = defineBlock({
  type: "contact_card",
  description: "Name, numbers and addresses, which a visitor can save as a contact.",
  settings: Settings,
  sample: {
    name: "Ada Lindqvist",
    job_title: "Ceramic artist",
    organization: "Studio Saltglaze",
    phones: ["+46 40 123 45 67"],
    emails: ["ada@example.com"],
    website: "https://example.com",
    address: { street: "Hamngatan 4", postal_code: "211 22", city: "Malmö", country: "Sweden" },
  },
  names: ({ photo }) => pictureName(photo, "photo"),
  view: (card, { files, go, path, blockId, words }) => {
    const { name, job_title, organization, photo, phones = [], emails = [], website, note } = card;
    const face = photo && files.get(photo.file);
    const role = [job_title, organization].filter(Boolean).join(" · ");
    const { street, city, region, postal_code, country } = card.address ?? {};
    const town = [postal_code, city].filter(Boolean).join(" ");
    const address = [street, town, region, country].filter(Boolean).join(", ");
    const site = website && URL.parse(website);
    return html`<div class="card who"><div class="name">${face && html`<img src="${face.url}" alt="${photo.alt}"${sized(face)}>`}<p><b>${name}</b>${role && html`<small>${role}</small>`}</p></div><ul>${phones.map(
      (phone) =>
        html`<li><a href="tel:${withoutTrunkZero(phone).replaceAll(/[^+\d]/g, "")}">${icon("phone")}<span dir="ltr">${phone}</span></a></li>`,
    )}${emails.map(
      (email) =>
        html`<li><a href="mailto:${encodeURIComponent(email).replaceAll("%40", "@")}">${icon("mail")}<span>${email}</span></a></li>`,
    )}${site && html`<li><a href="${go(site.href)}">${icon("globe")}<span>${hostNameOf(site)}</span></a></li>`}${address && html`<li><span>${icon("map")}<span>${address}</span></span></li>`}</ul>${note?.trim() && html`<p>${note.trim()}</p>`}<a class="btn" href="${path}/${blockId}.vcf" download>${icon("person")}${words.saveContact}</a></div>`;
  },
  css: `.who{text-align:start}.who .name{display:flex;align-items:center;gap:1rem}.who .name p{margin:0;line-height:1.35}.who b{display:block;font-size:1.1875rem;letter-spacing:-.01em}.who>p{white-space:pre-line}.who small{color:var(--mute);font-size:.9375rem}.who .name img{flex:none;width:4rem;height:4rem;object-fit:cover;border-radius:50%}
.who ul{margin:.75rem 0;padding:0;list-style:none}.who li>*{display:flex;align-items:center;gap:.875rem;min-height:2.75rem;text-decoration:none}.who li a:hover{text-decoration:underline}.who li .ico{color:var(--mute)}`,
});
