/**
 * `npm run deploy`: Signpost on Cloudflare, by one command that may be run again at any time, after
 * a failure too. It makes what is missing, migrates before it deploys, and overwrites no secret.
 */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { checkLogin } from "./deploy/account.ts";
import { PRODUCTION, planDeployment, writeConfig } from "./deploy/config.ts";
import { Failure } from "./deploy/failure.ts";
import { firstWorkspace } from "./deploy/first-workspace.ts";
import { findResources, makeResources } from "./deploy/resources.ts";
import { listSecrets, setMissingSecrets } from "./deploy/secrets.ts";
import { smokeTest } from "./deploy/smoke-test.ts";
import { mustWrangler } from "./deploy/wrangler.ts";

const USAGE =
  "npm run deploy -- [--env NAME] [--host HOST] [--patience SECONDS] [--open-admin] [--trust-key] [--build ID]\n\n  --env         an environment of environments.toml; left out: production\n  --host        the host that Signpost serves, instead of PLATFORM_HOST of the settings\n  --patience    how long to wait for its address to answer; left out: 180\n  --open-admin  set ADMIN_TOKEN where somebody deleted it: the first deploy does so by itself\n  --trust-key   set the secrets that are known here, though the database holds workspaces, or they may be another environment's\n  --build       what /healthz is to tell of this version; left out: made anew";

function readFlags() {
  try {
    const options = {
      env: { type: "string", default: PRODUCTION },
      host: { type: "string" },
      patience: { type: "string", default: "180" },
      "open-admin": { type: "boolean", default: false },
      "trust-key": { type: "boolean", default: false },
      build: { type: "string", default: randomUUID() },
      help: { type: "boolean" },
    } as const;
    const { values } = parseArgs({ options });
    if (!values.help && /^\d+$/.test(values.patience)) return values;
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault);
  }
  console.error(USAGE);
  process.exit(2);
}

let step = "settings";

/** Says what is done, and then what came of it. */
async function take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  step = name;
  console.log(`> ${name}`);
  return work();
}

async function deploy(): Promise<string[]> {
  const flags = readFlags();
  const deployment = planDeployment(
    flags.env,
    flags.host ?? process.env.PLATFORM_HOST,
    flags.build,
  );
  const { file, host, origin } = deployment;
  console.log(`  ${deployment.config.name} (${deployment.environment}) on ${host}`);
  writeConfig(deployment);
  console.log(`  ${await take("login", () => checkLogin(deployment))}`);
  writeConfig(deployment);
  await take("build", () =>
    mustWrangler(["deploy", "--dry-run", "-c", file], "Nothing was changed. Mend the code."),
  );
  const found = await take("rights", async () => {
    const resources = await findResources(deployment);
    await listSecrets(deployment);
    return resources;
  });
  const made = await take("resources", () => makeResources(deployment, found));
  console.log(made.length === 0 ? "  nothing was missing" : `  made: ${made.join(", ")}`);
  if (found.bucket === "no R2 in this account") {
    console.log("  This account has no R2: all works but files, whose uploads answer 503.");
  }
  writeConfig(deployment);
  await take("migrate", () =>
    mustWrangler(
      ["d1", "migrations", "apply", "DB", "--remote", "-c", file],
      'The migration that failed is not applied, and the old code goes on with the tables as they are. Mend it under a new commit, then run this again (docs/runbook.md, "A deploy goes wrong").',
      { shown: "shown" },
    ),
  );
  const secrets = await take("secrets", () =>
    setMissingSecrets(deployment, {
      openAdmin: flags["open-admin"],
      trustKey: flags["trust-key"],
    }),
  );
  console.log(
    secrets.made.length === 0 ? "  nothing was to be set" : `  set: ${secrets.made.join(", ")}`,
  );
  await take("deploy", () =>
    mustWrangler(
      ["deploy", "-c", file],
      "The old code goes on, on the new tables, which it stands. Mend what is named above, then run this again.",
      { shown: "asking" },
    ),
  );
  await take("smoke test", () => smokeTest(deployment, Number(flags.patience)));
  const workspace = await take("first workspace", () => firstWorkspace(deployment, secrets));
  return [
    `Signpost is on ${origin}; its API reference on ${origin}/docs.`,
    ...workspace,
    ...(secrets.file
      ? [
          `Its secrets are in ${secrets.file}. Keep them elsewhere too: ENCRYPTION_KEY cannot be had back.`,
        ]
      : []),
  ];
}

try {
  console.log(`\n${(await deploy()).join("\n")}\n`);
} catch (fault) {
  const what = fault instanceof Error ? fault.message : fault;
  console.error(`\nFAILED: ${step}. ${what}`);
  console.error(
    fault instanceof Failure ? `\n${fault.remedy}\n` : "\nThis is a defect of npm run deploy.\n",
  );
  process.exitCode = 1;
}
