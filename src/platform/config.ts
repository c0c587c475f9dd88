import { z } from "zod";
import { fromBase64 } from "./bytes.ts";

/** Bindings, vars and secrets. `npm run bindings` makes the type from wrangler.toml. */
export type Env = Cloudflare.Env;

/** Settings that belong together: declared once, read anywhere, documented by their descriptions. */
export interface Settings<Schema extends z.ZodType> {
  schema: Schema;
  /** @throws Error naming what is wrong, never a value */
  read(env: Env): z.output<Schema>;
}

/** Declares vars and secrets. Each is validated once per isolate, when it is first asked for. */
export function defineSettings<Schema extends z.ZodType>(schema: Schema): Settings<Schema> {
  const known = new WeakMap<Env, z.output<Schema>>();
  return {
    schema,
    read(env) {
      const held = known.get(env);
      if (held) return held;
      const parsed = schema.safeParse(env);
      if (!parsed.success) {
        const problems = parsed.error.issues.map(
          ({ path, message }) => `${path.join(".")} ${message}`,
        );
        throw new Error(`Signpost is not configured: ${problems.join("; ")}`);
      }
      known.set(env, parsed.data);
      return parsed.data;
    },
  };
}

const Host = z
  .string()
  .refine((host) => host === "" || URL.parse(`https://${host}`)?.host === host, {
    error: "must be a bare host in lower case, as sign.example",
  });

const EncryptionKey = z.string({ error: "is not set" }).transform((text, context) => {
  const bytes = fromBase64(text);
  if (bytes?.length === 32) return bytes;
  context.addIssue({ code: "custom", message: "must be 32 bytes in base64" });
  return z.NEVER;
});

export const platformSettings = defineSettings(
  z
    .object({
      PLATFORM_HOST: Host.default("").describe(
        "The host of the API and of the platform's short links.",
      ),
      DOH_URL: z
        .url({ error: "must be a URL" })
        .default("https://cloudflare-dns.com/dns-query")
        .describe("The DNS resolver, asked over HTTPS (JSON). Cloudflare's."),
      ALLOW_PRIVATE_TARGETS: z
        .string()
        .default("")
        .transform((text) => text === "true")
        .describe("`true`: webhooks may go to this machine. For development only."),
      ENCRYPTION_KEY: EncryptionKey.describe(
        "32 bytes in base64; encrypts signing secrets and responses kept to replay.",
      ).meta({ secret: true }),
    })
    .superRefine((settings, context) => {
      if (!settings.ALLOW_PRIVATE_TARGETS || settings.PLATFORM_HOST === "") return;
      const message = "is for development only: unset it, or PLATFORM_HOST";
      context.addIssue({ code: "custom", path: ["ALLOW_PRIVATE_TARGETS"], message });
    }),
);
