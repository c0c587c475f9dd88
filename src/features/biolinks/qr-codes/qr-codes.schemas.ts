import { z } from "@hono/zod-openapi";
import { nullable, optional, withDefault } from "../../../api/blank.ts";
import { Id } from "../../../api/ids.ts";
import { PageQuery } from "../../../api/pagination.ts";
import { queryInteger } from "../../../api/query-values.ts";
import { isStorable, nullableText, text, trimmedText } from "../../../api/text.ts";
import { destinationProblem, MAX_DESTINATION_LENGTH } from "../links/destination.ts";
import { ERROR_CORRECTIONS, SHAPES } from "./qr-style.ts";

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
  .transform((given) => given.replaceAll(/[\s()./-]/g, ""))
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
    if (security === "WPA" && password && password.length < 8) {
      tell("password", "A password of WPA has at least 8 characters.");
    }
  })
  .openapi("QrWifiTarget");

export const Target = z
  .discriminatedUnion("type", [
    LinkTarget,
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
      "`link` and `url` are dynamic: the code holds an address of ours that leads there, so the target may be changed when the code is printed, and scans are counted. All others are static: the code itself holds everything, is not counted, and what is printed stays as it is.",
  });
export type Target = z.output<typeof Target>;
export type StaticTarget = Exclude<Target, { type: "link" | "url" }>;

const Colour = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, { error: "Must be a colour as #1a2b3c." })
  .transform((given) => {
    const digits = given.slice(1).toLowerCase();
    return `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits}`;
  })
  .openapi({ type: "string", pattern: "^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", example: "#1a2b3c" });

const StyleInput = z
  .strictObject({
    foreground: optional(Colour),
    background: nullable(Colour).openapi({ description: "Null: transparent." }),
    shape: optional(z.enum(SHAPES)),
    logo: optional(z.null()).openapi({ description: "Only null: there are no files yet." }),
    margin: optional(z.number().int().min(4).max(16)).openapi({
      description: "The quiet zone around the code, in modules.",
    }),
    error_correction: optional(z.enum(ERROR_CORRECTIONS)),
    compact: optional(z.boolean()).openapi({
      description:
        "False: the address in lower case, which needs a denser code. For dynamic codes only.",
    }),
  })
  .openapi("QrStyleInput", {
    description:
      "A new code is black on white, square, with a margin of 4, error correction M, compact. The foreground must be the darker, with a contrast of at least 3 : 1.",
  });
export type StyleInput = z.output<typeof StyleInput>;

const Name = trimmedText(120).openapi({ example: "Table 7" });
const Status = z.enum(["active", "paused"]);

export const CreateQrCode = z
  .strictObject({
    name: Name,
    target: Target,
    style: optional(StyleInput),
    status: optional(Status).openapi({ description: "A new code is active." }),
  })
  .openapi("CreateQrCode");
export type CreateQrCode = z.output<typeof CreateQrCode>;

export const UpdateQrCode = z
  .strictObject({
    name: optional(Name),
    target: optional(Target),
    style: optional(StyleInput),
    status: optional(Status),
  })
  .openapi("UpdateQrCode", {
    description:
      "Fields left out keep their values, those of `style` too. A dynamic code stays dynamic, a static one static.",
  });
export type UpdateQrCode = z.output<typeof UpdateQrCode>;

export const PreviewQrCode = z
  .strictObject({ target: Target, style: optional(StyleInput) })
  .openapi("PreviewQrCode");
export type PreviewQrCode = z.output<typeof PreviewQrCode>;

const Warnings = z
  .array(
    z.object({
      code: z.enum(["low_contrast", "transparent_background"]),
      message: z.string(),
    }),
  )
  .openapi({ description: "What may keep the code from being read, although it is allowed." });

const dynamic = z.boolean().openapi({
  description:
    "Whether the code holds an address of ours: then its target may be changed, and its scans are counted. A static code holds everything itself, and is not counted.",
});
const payload = z.string().openapi({
  description: "What the code holds.",
  example: "HTTPS://SIGN.EXAMPLE/Q/7H4T0ZKM",
});

export const QrCode = z
  .object({
    id: z.uuid(),
    revision: z.string().openapi({ description: "Changes on every write; also the `ETag`." }),
    name: z.string(),
    code: z.string().nullable().openapi({
      description:
        "8 of Crockford's base32, matched without regard to case; null: the code is static.",
      example: "7H4T0ZKM",
    }),
    dynamic,
    target: Target,
    payload,
    style: z
      .object({
        foreground: z.string(),
        background: z.string().nullable(),
        shape: z.enum(SHAPES),
        logo: z.null(),
        margin: z.number().int(),
        error_correction: z.enum(ERROR_CORRECTIONS),
        compact: z.boolean(),
      })
      .openapi("QrStyle"),
    warnings: Warnings,
    status: Status.openapi({ description: "A paused code leads nowhere. A static one is active." }),
    image_url: z.url().openapi({
      description:
        "The code as PNG of 1,024 pixels, open to everybody, for as long as this is its revision; as SVG with `.svg` at its end.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("QrCode");
export type QrCode = z.output<typeof QrCode>;

export const QrCodeAnswer = z.object({ data: QrCode });
export const QrCodePreviewAnswer = z.object({
  data: z
    .object({
      dynamic,
      payload: payload.openapi({
        description: "What the code would hold; a dynamic one has `00000000` for its code.",
      }),
      warnings: Warnings,
      svg: z.string().openapi({ description: "The code as SVG." }),
    })
    .openapi("QrCodePreview"),
});

export const QrCodeParams = z.object({ qr_code: Id });
export const ListQrCodesQuery = PageQuery;

export const MIN_SIZE = 128;
export const MAX_SIZE = 4096;
export const ImageQuery = z.object({
  format: withDefault(z.enum(["svg", "png"]), "svg").openapi({ default: "svg" }),
  size: withDefault(queryInteger(MIN_SIZE, MAX_SIZE), 1024).openapi({
    description: "Its width and height, in pixels.",
    default: 1024,
  }),
});
