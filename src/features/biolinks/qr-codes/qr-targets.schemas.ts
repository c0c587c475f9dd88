import { z } from "@hono/zod-openapi";
import { nullable, withDefault } from "../../../api/blank.ts";
import { Id } from "../../../api/ids.ts";
import { isStorable, nullableText, text } from "../../../api/text.ts";
import { withoutTrunkZero } from "../../../platform/telephone.ts";
import { destinationProblem, MAX_DESTINATION_LENGTH } from "../links/destination.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A text of one line, as a field of a contact or a network's name is. */
function line(maxLength: number, minLength = 1) {
  return z
    .string()
    .min(minLength)
    .max(maxLength)
    .refine((given) => isStorable(given) && !CONTROL.test(given), {
      error: "Must be one line of well-formed Unicode.",
    });
}

const optionalLine = (maxLength: number) => nullable(line(maxLength));

/** Kept without what people put between digits. */
const Phone = z
  .string()
  .max(40)
  .transform((given) => withoutTrunkZero(given).replaceAll(/[\s()./-]/g, ""))
  .pipe(
    z.string().regex(/^\+?[0-9]{3,15}$/, { error: "Must be a phone number, as +44 20 7946 0958." }),
  )
  .openapi({ type: "string", maxLength: 40, example: "+44 20 7946 0958" });

const WebAddress = z
  .string()
  .superRefine((given, context) => {
    const message =
      destinationProblem(given) ??
      (/^https?:/i.test(given) ? undefined : "The URL must be an absolute http or https URL.");
    if (message) context.addIssue({ code: "custom", message });
  })
  .openapi({ maxLength: MAX_DESTINATION_LENGTH, example: "https://example.com/menu" });

const LinkTarget = z
  .strictObject({ type: z.literal("link"), link: Id })
  .openapi("QrLinkTarget", { description: "A short link of the workspace: its own rules apply." });
const PageTarget = z.strictObject({ type: z.literal("page"), page: Id }).openapi("QrPageTarget", {
  description: "A page of the workspace, published or not yet: its own rules apply.",
});
const UrlTarget = z
  .strictObject({ type: z.literal("url"), url: WebAddress })
  .openapi("QrUrlTarget");
const TextTarget = z
  .strictObject({ type: z.literal("text"), text: text(900, 1) })
  .openapi("QrTextTarget");
const PhoneTarget = z
  .strictObject({ type: z.literal("phone"), phone: Phone })
  .openapi("QrPhoneTarget");
const SmsTarget = z
  .strictObject({ type: z.literal("sms"), phone: Phone, message: nullableText(500) })
  .openapi("QrSmsTarget");
const EmailTarget = z
  .strictObject({
    type: z.literal("email"),
    to: z.email().max(254),
    subject: optionalLine(200),
    body: nullableText(500),
  })
  .openapi("QrEmailTarget");
const VcardTarget = z
  .strictObject({
    type: z.literal("vcard"),
    first_name: optionalLine(80),
    last_name: optionalLine(80),
    organization: optionalLine(120),
    job_title: optionalLine(120),
    phone: nullable(Phone),
    email: nullable(z.email().max(254)),
    website: nullable(WebAddress),
    street: optionalLine(120),
    city: optionalLine(80),
    region: optionalLine(80),
    postal_code: optionalLine(20),
    country: optionalLine(80),
    note: nullableText(200),
  })
  .superRefine(({ first_name, last_name, organization }, context) => {
    if (first_name || last_name || organization) return;
    const message = "Give a first name, a last name or an organization.";
    context.addIssue({ code: "custom", path: ["first_name"], message });
  })
  .openapi("QrVcardTarget");
const WifiTarget = z
  .strictObject({
    type: z.literal("wifi"),
    ssid: line(32),
    password: nullable(line(64)),
    security: withDefault(z.enum(["WPA", "WEP", "nopass"]), "WPA").openapi({
      description: "`WPA` is WPA2 and WPA3, too.",
      default: "WPA",
    }),
    hidden: withDefault(z.boolean(), false).openapi({ default: false }),
  })
  .superRefine(({ ssid, password, security }, context) => {
    const tell = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (new TextEncoder().encode(ssid).length > 32) tell("ssid", "May have at most 32 bytes.");
    if (security === "nopass" && password) tell("password", "An open network has no password.");
    if (security !== "nopass" && !password) tell("password", "Is required.");
    if (security === "WPA" && password && Array.from(password).length < 8) {
      tell("password", "A password of WPA has at least 8 characters.");
    }
  })
  .openapi("QrWifiTarget");

export const Target = z
  .discriminatedUnion("type", [
    LinkTarget,
    PageTarget,
    UrlTarget,
    TextTarget,
    WifiTarget,
    VcardTarget,
    EmailTarget,
    SmsTarget,
    PhoneTarget,
  ])
  .openapi("QrTarget", {
    description:
      "`link`, `page` and `url` are dynamic: the code holds an address of ours that leads there, so the target may be changed when the code is printed, and scans are counted. All others are static: the code itself holds everything, is not counted, and what is printed stays as it is.",
  });
export type Target = z.output<typeof Target>;
export type StaticTarget = Exclude<Target, { type: "link" | "page" | "url" }>;
