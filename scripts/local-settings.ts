/** What `npm start` knows of Signpost's settings before wrangler reads them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { PUBLIC_RESOLVER } from "./local-dns.ts";

/** Flags by which wrangler takes other settings than those read here, or serves others than us. */
const ELSEWHERE = /^(?:-[ec]|--(?:env|env-file|config|cwd|remote|tunnel)(?:=|$))/;
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1"];

/** The value of `--name VALUE` or `--name=VALUE`; all else among the flags is wrangler's matter. */
export function flagValue(flags: string[], name: string): string | undefined {
  const options = { [name]: { type: "string" as const } };
  const value = parseArgs({ args: flags, options, strict: false }).values[name];
  return typeof value === "string" ? value : undefined;
}

/** Which stand-ins for the outside world Signpost gets, where nothing else was set. */
export interface StandIns {
  allowsPrivateTargets: boolean;
  resolver: boolean;
  connector: boolean;
  /** That of the connector's messages, if it was set. */
  secret: string | undefined;
}

/** Undefined: Signpost is not, or may not be, for this machine alone. Then it gets nothing. */
export function findStandIns(flags: string[], folder = "."): StandIns | undefined {
  const file = join(folder, ".dev.vars");
  const secrets = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const config = readFileSync(join(folder, "wrangler.toml"), "utf8");
  const setting = (name: string): string =>
    varFlag(flags, name) ?? secrets[name] ?? tomlText(config, "vars", name) ?? "";

  const ip = flagValue(flags, "ip") ?? tomlText(config, "dev", "ip") ?? "localhost";
  const isElsewhere = flags.some((flag) => ELSEWHERE.test(flag)) || process.env.CLOUDFLARE_ENV;
  if (isElsewhere || !THIS_MACHINE.includes(ip) || setting("PLATFORM_HOST")) return undefined;

  const privateTargets = setting("ALLOW_PRIVATE_TARGETS");
  const allowsPrivateTargets = privateTargets === "";
  return {
    allowsPrivateTargets,
    resolver: ["", PUBLIC_RESOLVER].includes(setting("DOH_URL")),
    // Signpost sends to it by http, which it may only where private targets are allowed.
    connector:
      (allowsPrivateTargets || privateTargets === "true") && !setting("MESSAGE_CONNECTOR_URL"),
    secret: setting("MESSAGE_CONNECTOR_SECRET") || undefined,
  };
}

/** The value of `--var NAME:VALUE`; one flag may hold several. */
function varFlag(flags: string[], name: string): string | undefined {
  const found = flags.map((flag) => new RegExp(`^(?:--var=)?${name}:(.*)$`, "s").exec(flag)?.[1]);
  return found.findLast((value) => value !== undefined);
}

/** A text in one of wrangler.toml's tables, as that file writes them: on a line of its own. */
function tomlText(toml: string, table: string, name: string): string | undefined {
  const lines = toml.split(/^\s*\[/m).find((part) => part.startsWith(`${table}]`)) ?? "";
  return new RegExp(`^\\s*${name}\\s*=\\s*["']([^"'\\n]*)["']`, "m").exec(lines)?.[1];
}
