import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

/** What the stand-in for wrangler knows of an account at Cloudflare. */
export interface StandInAccount {
  /** undefined: nobody is logged in. */
  login: object | undefined;
  databases: { uuid: string; name: string; migrated: boolean; workspaces: number }[];
  /** How many seconds each keeps its messages. */
  queues: Record<string, number>;
  namespaces: { id: string; title: string }[];
  /** undefined: no R2. */
  buckets: string[] | undefined;
  workers: Record<
    string,
    { secrets: Record<string, string>; deployedOn?: "migrated" | "unmigrated" }
  >;
  /** What is refused, by how its arguments begin, and with which words. */
  refuses: Record<string, string>;
  calls: { args: string[]; input: string; env: string; account?: string }[];
  /** Workers that somebody else makes meanwhile, by how the arguments of a call begin. */
  meanwhile?: Record<string, StandInAccount["workers"]>;
}

export interface Run {
  code: number;
  /** All that was printed. */
  said: string;
  /** What wrangler was called with in this run, a line a call. */
  calls: string[];
}

/** A checkout of whoever deploys, with an empty account behind its wrangler. */
export class DeployStage {
  readonly folder = mkdtempSync(join(tmpdir(), "signpost-deploy-"));
  readonly #file = join(this.folder, "account.json");

  constructor() {
    for (const file of ["wrangler.toml", "environments.toml"]) {
      cpSync(join(ROOT, file), join(this.folder, file));
    }
    const bin = join(this.folder, "bin");
    mkdirSync(bin);
    const standIn = join(import.meta.dirname, "wrangler-stand-in.ts");
    writeFileSync(
      join(bin, "wrangler"),
      `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`,
    );
    chmodSync(join(bin, "wrangler"), 0o755);
    this.account = {
      login: {
        authType: "OAuth Token",
        email: "ada@example.com",
        accounts: [{ id: "acc", name: "Ada's account" }],
        tokenPermissions: ["workers_scripts:write", "workers_kv:write", "d1:write", "queues:write"],
      },
      databases: [],
      queues: {},
      namespaces: [],
      buckets: [],
      workers: {},
      refuses: {},
      calls: [],
    };
  }

  get account(): StandInAccount {
    return JSON.parse(readFileSync(this.#file, "utf8"));
  }

  set account(account: StandInAccount) {
    writeFileSync(this.#file, JSON.stringify(account));
  }

  change(change: (account: StandInAccount) => void): void {
    const account = this.account;
    change(account);
    this.account = account;
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** `npm run deploy -- FLAGS`, with the stand-in where npm puts wrangler. */
  async deploy(flags: string[], env: Record<string, string> = {}): Promise<Run> {
    const before = this.account.calls.length;
    const { CI: _, ...own } = process.env;
    const child = spawn(process.execPath, [join(ROOT, "scripts/deploy.ts"), ...flags], {
      cwd: this.folder,
      env: {
        ...own,
        PATH: `${join(this.folder, "bin")}${delimiter}${process.env.PATH}`,
        STAND_IN_ACCOUNT: this.#file,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (said += chunk));
    const code = await new Promise<number>((ended) =>
      child.once("close", (status) => ended(status ?? -1)),
    );
    const calls = this.account.calls.slice(before).map(({ args }) => args.join(" "));
    return { code, said, calls };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
