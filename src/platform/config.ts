import { z } from "zod";
import { fromBase64 } from "./bytes.ts";

/** Bindings, vars and secrets. `npm run bindings` makes the type from wrangler.toml. */
export type Env = Cloudflare.Env;

type Fields = Record<string, z.ZodType>;
type Values<Of extends Fields> = { readonly [Name in keyof Of]: z.output<Of[Name]> };

/** What must hold beside other settings, by name: the problem in words, if there is one. */
type Rules<Of extends Fields> = {
  [Name in keyof Of]?: (value: z.output<Of[Name]>, env: Env) => string | undefined;
};

/** What is wrong with a setting, in words that tell no value. */
export interface SettingProblem {
  setting: string;
  problem: string;
}

/** Something was to be done that needs a setting which is wrong. */
export class SettingFault extends Error {
  override readonly name = "SettingFault";

  constructor(problems: readonly SettingProblem[]) {
    const list = problems.map(({ setting, problem }) => `${setting} ${problem}`);
    super(`Signpost is not configured: ${list.join("; ")}`);
  }
}

/** Settings that belong together: declared once, read anywhere, documented by their descriptions. */
export interface Settings<Of extends Fields = Fields> {
  fields: Of;
  /** A wrong one stops nobody but who takes it out of here: that throws a SettingFault. */
  read(env: Env): Values<Of>;
  /** @throws SettingFault if one of these is wrong */
  assert(env: Env, ...names: (keyof Of & string)[]): void;
  findProblems(env: Env): readonly SettingProblem[];
}

/**
 * Declares vars and secrets. Each is validated by itself, once per isolate. Where the default
 * is safe whatever was meant, `defaultIfWrong` marks it: a wrong one is told, and taken as unset.
 */
export function defineSettings<Of extends Fields>(fields: Of, rules: Rules<Of> = {}): Settings<Of> {
  const known = new WeakMap<Env, { values: Values<Of>; problems: SettingProblem[] }>();
  const readAll = (env: Env) => {
    const held = known.get(env);
    if (held) return held;
    const made = { values: {} as Values<Of>, problems: [] as SettingProblem[] };
    for (const [setting, field] of Object.entries(fields)) {
      const parsed = field.safeParse(findText(env, setting));
      const problem = parsed.success
        ? rules[setting]?.(parsed.data as never, env)
        : parsed.error.issues.map(({ message }) => message).join(", ");
      if (problem !== undefined) made.problems.push({ setting, problem });
      const get = () => {
        if (problem === undefined) return parsed.data;
        if (field.meta()?.defaultIfWrong) return field.parse(undefined);
        throw new SettingFault([{ setting, problem }]);
      };
      Object.defineProperty(made.values, setting, { get });
    }
    known.set(env, made);
    return made;
  };
  return {
    fields,
    read: (env) => readAll(env).values,
    assert(env, ...names) {
      for (const name of names) void readAll(env).values[name];
    },
    findProblems: (env) => readAll(env).problems,
  };
}

/** A setting as it was given. Empty is as good as unset; a var may be a number or a table too. */
export function findText(env: Env, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

const Host = z
  .string()
  .refine((host) => host === "" || URL.parse(`https://${host}`)?.host === host, {
    error: "must be a bare host in lower case, as sign.example",
  });

const EncryptionKey = z
  .string({ error: "is not set: make one with `openssl rand -base64 32`" })
  .transform((text, context) => {
    const bytes = findKey(text);
    if (bytes) return bytes;
    context.addIssue({ code: "custom", message: "must be 32 bytes in base64" });
    return z.NEVER;
  });

const EncryptionKeys = z.string().transform((text, context) => {
  const texts = text === "" ? [] : text.split(",").map((one) => one.trim());
  return texts.flatMap((one, at) => {
    const bytes = findKey(one);
    if (bytes) return [bytes];
    const message = `must be keys of 32 bytes in base64, with commas between them: number ${at + 1} is none`;
    context.addIssue({ code: "custom", message });
    return [];
  });
});

function findKey(text: string): Uint8Array | undefined {
  const bytes = fromBase64(text);
  return bytes?.length === 32 ? bytes : undefined;
}

/** The address of a server that is asked over HTTP. */
export const ServerUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** What can be sent as a bearer token. */
export const Token = z
  .string()
  .regex(/^[\x21-\x7e]*$/, { error: "must be ASCII without blanks: else no request can carry it" })
  .default("");

export const platformSettings = defineSettings(
  {
    PLATFORM_HOST: Host.default("").describe(
      "The host of the API and of the platform's short links.",
    ),
    DOH_URL: ServerUrl.default("https://cloudflare-dns.com/dns-query").describe(
      "The DNS resolver, asked over HTTPS (JSON). Cloudflare's.",
    ),
    ALLOW_PRIVATE_TARGETS: z
      .enum(["true", "false"], { error: "must be `true`, or unset" })
      .default("false")
      .transform((text) => text === "true")
      .describe("`true`: webhooks may go to this machine. For development only.")
      .meta({ defaultIfWrong: true }),
    ENCRYPTION_KEY: EncryptionKey.describe(
      "32 bytes in base64; encrypts secrets, tokens, responses kept to replay.",
    ).meta({ secret: true }),
    ENCRYPTION_KEYS_OLD: EncryptionKeys.prefault("")
      .describe("Keys of before, with commas between: they still open, but encrypt nothing.")
      .meta({ secret: true }),
  },
  {
    ALLOW_PRIVATE_TARGETS: (allowed, env) =>
      allowed && findText(env, "PLATFORM_HOST")
        ? "is for development only: unset it, or PLATFORM_HOST"
        : undefined,
  },
);
