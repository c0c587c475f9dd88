import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { Failure } from "./failure.ts";
import { SECRETS } from "./secret-names.ts";

export interface Answer {
  code: number;
  stdout: string;
  /** All that was said, without colours, to look for known errors in. */
  said: string;
}

interface Options {
  /** Goes to its standard input: arguments can be read by everybody on the machine. */
  input?: string;
  /** Its output is shown as it comes, and it may ask: for what takes long. */
  shown?: "shown" | "asking";
}

/** Runs one command of the wrangler that package.json pins, which npm puts into PATH. */
export async function wrangler(args: string[], options: Options = {}): Promise<Answer> {
  const { input, shown } = options;
  const out = shown ? "inherit" : "pipe";
  const child = spawn("wrangler", args, {
    env: environment(),
    // Without a terminal to ask at, wrangler takes the defaults; migrations must not be declined.
    stdio: [input === undefined ? (shown === "asking" ? "inherit" : "ignore") : "pipe", out, out],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => (stdout += chunk));
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  // One that ends without reading says why by its exit code.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? 1));
  }).catch((fault) => {
    throw new Failure(`wrangler cannot be run: ${fault.message}`, "Run `npm ci`, then this again.");
  });
  return { code, stdout, said: stripVTControlCharacters(`${stdout}\n${stderr}`).trim() };
}

/** The same, for what must succeed. @throws with all it said, and the remedy */
export async function mustWrangler(
  args: string[],
  remedy: string,
  options: Options = {},
): Promise<string> {
  const answer = await wrangler(args, options);
  if (answer.code !== 0) throw refused(args, answer, remedy);
  return answer.stdout;
}

/** What to say of a command that was refused. */
export function refused(args: string[], { code, said }: Answer, remedy: string): Failure {
  const command = `wrangler ${args.join(" ")}`;
  const why = said === "" ? "" : `\n\n${said}\n`;
  return new Failure(`\`${command}\` ended with ${code}.${why}`, `${remedy}${rightsHint(said)}`);
}

/** 10000: what Cloudflare answers to a token without the right for what it asks. */
function rightsHint(said: string): string {
  if (!/\[code: 10000\]|Authentication error/.test(said)) return "";
  return " The login lacks a right: log in anew (`npx wrangler login`), or give the API token the rights that the README names.";
}

/** No secrets, no statistics; and a log file of wrangler's never holds what is sent. */
function environment(): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = { ...process.env };
  for (const name of SECRETS) delete own[name];
  delete own.WRANGLER_LOG;
  return {
    ...own,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_SANITIZE: "true",
  };
}
