import { expect, it } from "vitest";
import { contactCardFile } from "../../../../src/features/biolinks/pages/blocks/contact-card-file.ts";
import { renderPage } from "../../../../src/features/biolinks/pages/view/render-page.ts";
import { blockOf, documentOf, surroundingsOf } from "../../../support/page-documents.ts";

it.each([
  ["+49 (0)40 123456", "+4940123456", "+49 40 123456"],
  ["+44 (0) 20 7946-0958", "+442079460958", "+44 20 7946-0958"],
  ["+44(0)20 79460958", "+442079460958", "+4420 79460958"],
  ["+46 40 123 45 67", "+46401234567", "+46 40 123 45 67"],
  ["040 (0) 123", "0400123", "040 (0) 123"],
])("%s of a contact card is called as %s, and saved as %s", async (phone, called, saved) => {
  const card = { name: "Ada", phones: [phone] };
  const { parts } = await renderPage(documentOf([blockOf("contact_card", card)]), surroundingsOf());
  const markup = parts.join("");
  expect(markup).toContain(`href="tel:${called}"`);
  // It is read as it was written.
  expect(markup).toContain(`<span dir="ltr">${phone}</span>`);
  expect(contactCardFile(card)).toContain(`\r\nTEL;TYPE=VOICE:${saved}\r\n`);
});
