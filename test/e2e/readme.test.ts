import { cpSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { decode } from "fast-png";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { readWithZxing } from "../support/node/qr-readers.ts";
import {
  findFaults,
  readBlocks,
  Terminal,
  terminalVariables,
} from "../support/node/readme-blocks.ts";
import { createCheckout, StartCommand } from "../support/node/runtime-start-command.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PORT = 9460;
const SITE = `http://localhost:${PORT}`;
const RECEIVER_PORT = 9469;
const SOON = { timeout: 60_000, interval: 100 };
/** What would need an account, or take as long as all tests do: looked at, not run. */
const NOT_RUN = ["Test it", "Deploy it"];

const blocks = readBlocks();
const [start, ...others] = blocks.filter(({ title }) => !NOT_RUN.includes(title));
let signpost: StartCommand;

/** What the README promises of a section's commands, besides answers of 2xx and 302. */
const PROMISES: Record<string, (terminal: Terminal, folder: string) => Promise<void> | void> = {
  "Run it": ({ stdout }) => {
    expect(stdout).toContain("HTTP/1.1 302 Found");
    expect(stdout).toMatch(/^location: https:\/\/example\.com\/\?ref=bio\r$/im);
  },
  "Get a webhook": async (terminal) => {
    await expect.poll(() => terminal.stdout, SOON).toContain("signature: holds");
    expect(terminal.stdout).toContain('"status":"delivered"');
  },
  "Find contacts, write to them": ({ stdout }) => {
    expect(stdout).toContain('"status":"sent"');
    const words = 'Message to "Ada" by sms, its signature holds: "Your order is on its way."';
    expect(signpost.output).toContain(words);
  },
  "Connect a domain": ({ stdout }) => {
    expect(stdout).toMatch(/"host":"go\.brand\.com","status":"active"/);
    expect(stdout).toMatch(/^location: https:\/\/example\.com\/sale\r$/im);
  },
  "Publish a page": ({ stdout }) => {
    expect(stdout).toContain("HTTP/1.1 200 OK");
    expect(stdout).toMatch(/Grace Hopper[\s\S]*The first bug[\s\S]*Nearest <em>port<\/em> first/);
  },
  "Show products": ({ stdout }) => expect(stdout).toContain('"sale_price":{"amount":1900'),
  "Import a catalogue": ({ stdout }) => {
    expect(stdout).toMatch(/"status":"done"[\s\S]*"row":3[\s\S]*price/);
    expect(stdout).toMatch(/^"?MUG-1\b.*Mug, speckled/m);
    expect(stdout).not.toMatch(/^"?MUG-2\b/m);
  },
  "Print a QR code": async ({ stdout }, folder) => {
    const png = readFileSync(join(folder, "menu.png"));
    const { width, height } = decode(png);
    expect([width, height]).toEqual([1024, 1024]);
    const code = /"code":"(\w+)"/.exec(stdout)?.[1];
    const read = (await readWithZxing(png)) ?? "";
    expect(read.toLowerCase()).toBe(`${SITE}/Q/${code}`.toLowerCase());
    expect(stdout).toMatch(/^location: https:\/\/example\.com\/menu\r$/im);
  },
  "Upload a picture": ({ stdout }) => {
    const [first, second] = [...stdout.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    expect(stdout).toMatch(/^content-type: image\/png\r$/im);
  },
  "Read what visitors sent": ({ stdout }, folder) => {
    expect(stdout).toContain('"email":"ada@example.com"');
    expect(readFileSync(join(folder, "submissions.csv"), "utf8")).toContain("ada@example.com");
    expect(stdout).toMatch(/"erased":1\b/);
  },
  "See what happened": ({ stdout }) => expect(stdout).toContain('"clicks"'),
  "Use it from TypeScript": ({ stdout }) => {
    expect(stdout).toMatch(new RegExp(`^active ${SITE}/`, "m"));
  },
  "Connect an automation platform": ({ stdout }) => {
    expect(stdout).toContain('"salesbot.contact.created"');
  },
};

/** What the README has its reader do by hand before. */
const BEFORE: Record<string, () => Promise<void>> = {
  "Read what visitors sent": sendDemoForm,
};

async function sendDemoForm(): Promise<void> {
  const page = await (await fetch(`${SITE}/@demo`)).text();
  const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
  const [, _token = ""] = /name="_token" value="([^"]*)"/.exec(page) ?? [];
  // Longer than a form waits before it believes in a person.
  await new Promise((resume) => setTimeout(resume, 5000));
  const fields = { _token, name: "Ada", email: "ada@example.com", message: "Hello" };
  const body = new URLSearchParams(fields);
  expect((await fetch(new URL(action, SITE), { method: "POST", body })).status).toBe(200);
}

describe("the README's commands, each block pasted into a fresh terminal", () => {
  const checkout = createCheckout();
  const { folder } = checkout;
  rmSync(join(folder, "node_modules"));
  for (const part of ["package-lock.json", ".npmrc"]) cpSync(join(ROOT, part), join(folder, part));

  afterAll(async () => {
    await signpost?.kill();
    checkout.remove();
  });

  test("install Signpost from its lockfile, and start it", async () => {
    expect(start?.text).toBe("npm ci && npm start\n");
    const command = `${start?.text.trim()} -- --port ${PORT}`;
    signpost = new StartCommand(folder, [], ["bash", "-c", command], terminalVariables());
    const { key } = await signpost.greeting();
    expect(key).toMatch(/^osk_/);
  }, 600_000);

  test.each(others)("$title", async ({ title, text }) => {
    await BEFORE[title]?.();
    const commands = text
      .replaceAll("localhost:8787", `localhost:${PORT}`)
      .replaceAll("localhost:9000", `localhost:${RECEIVER_PORT}`)
      .replaceAll("npm run receiver --", `npm run receiver -- --port ${RECEIVER_PORT}`);
    const terminal = new Terminal(folder, commands);
    onTestFinished(() => terminal.close());
    expect(await terminal.exit(), terminal.stderr).toBe(0);
    const said = terminal.stdout + terminal.stderr;
    const refused = terminal.statuses().filter((status) => status !== 302 && status >= 300);
    expect(refused, said).toEqual([]);
    expect(terminal.statuses().length, said).toBe(text.match(/\bcurl\b/g)?.length ?? 0);
    await PROMISES[title]?.(terminal, folder);
  });

  test("leave nothing of it where a deploy would read it", () => {
    const secrets = parseEnv(readFileSync(join(folder, ".dev.vars"), "utf8"));
    expect(Object.keys(secrets)).toEqual(["ADMIN_TOKEN", "ENCRYPTION_KEY"]);
    const [ours, before] = [folder, ROOT].map((at) =>
      readFileSync(join(at, "wrangler.toml"), "utf8"),
    );
    expect(ours).toBe(before);
  });

  test("that send JSON say so", () => {
    const lines = others.flatMap(({ text }) => text.split("\n"));
    const silent = lines.filter(
      (line) => /\bcurl\b.* -d /.test(line) && !/Content-Type: \S/.test(line),
    );
    expect(silent).toEqual([]);
  });
});

test.each(blocks.filter(({ title }) => NOT_RUN.includes(title)))(
  "$title: what is not run here is written well, and calls what there is",
  async (block) => {
    expect(await findFaults(block)).toEqual([]);
  },
);

test("Node's version is said once, as package.json has it", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const said = [...readme.matchAll(/Node(?:\.js)? (\d+)/g)].map(([, version]) => `>=${version}`);
  expect(said).toEqual([engines.node]);
});
