import { HtmlValidate } from "html-validate";

const validator = new HtmlValidate({
  extends: ["html-validate:standard"],
  rules: {
    // Matters of spelling, which cost bytes.
    "doctype-style": "off",
    "void-style": "off",
    "no-inline-style": "error",
    "long-title": "off",
    // Screen readers announce WebKit's lists without marks by it only.
    "no-redundant-role": "off",
    "tel-non-breaking": "off",
  },
});

/** What is wrong with a page's HTML, each with where it is. */
export async function htmlFaults(html: string): Promise<string[]> {
  const report = await validator.validateString(html);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`),
  );
}
