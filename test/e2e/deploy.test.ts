import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { DeployStage, type Run } from "../support/node/deploy-stage.ts";
import { freePort, type Signpost, startSignpost } from "../support/node/server.ts";

// Each run is some twenty-five processes: a busy machine takes its time.
vi.setConfig({ testTimeout: 480_000 });

const HOST = "go.example.com";
/** Nobody answers there: what is asked of these runs is done by then. */
const UNANSWERED = ["--host", "localhost:9", "--patience", "0"];
/** What the Workers tell that these tests serve, in place of what a run would upload. */
const BUILD_ID = "served-by-this-test";
const BUILD = ["--build", BUILD_ID];
const QUEUES = ["clicks", "events", "messages", "pixel-events"];
const FOURTEEN_DAYS = 14 * 24 * 60 * 60;

function newStage(): DeployStage {
  const stage = new DeployStage();
  onTestFinished(() => stage.remove());
  return stage;
}

const isRead = (call: string) =>
  /^(whoami|deploy --dry-run|d1 list|d1 execute|kv namespace list|queues list|r2 bucket info|secret list)/.test(
    call,
  );
const changes = (run: Run) => run.calls.filter((call) => !isRead(call));
const failedAt = (run: Run) => /FAILED: ([a-z ]+)\./.exec(run.said)?.[1];

/** What was served with the secrets that the first deploy made: the file's only healthy address. */
let served: { signpost: Signpost; secrets: Record<string, string> } | undefined;
afterAll(() => served?.signpost.stop());

function theServed(): NonNullable<typeof served> {
  if (!served) throw new Error("This test goes on from the first of the file.");
  return served;
}

/** An account on which everything was made and deployed before. */
async function deployedStage(): Promise<DeployStage> {
  const stage = newStage();
  await stage.deploy(UNANSWERED);
  return stage;
}

test("one command makes what is missing, migrates, sets secrets, deploys; the next go on from there", async () => {
  const stage = newStage();
  const port = await freePort();
  const flags = ["--host", `localhost:${port}`, "--patience", "2", ...BUILD];
  const first = await stage.deploy(flags);
  expect([first.code, failedAt(first)], first.said).toEqual([1, "smoke test"]);
  expect(first.said).toMatch(/no answer.*\n+Lead localhost:\d+ to the Worker: put `routes =/);
  const kinds = changes(first).map((call) => call.replace(/ -.*| signpost.*/g, ""));
  expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
    "d1 create",
    "queues create",
    "kv namespace create",
    "r2 bucket create",
    "d1 migrations apply DB",
    "secret bulk",
    "deploy",
  ]);
  const { queues, workers } = stage.account;
  expect(Object.keys(queues).sort()).toEqual(
    QUEUES.flatMap((queue) => [`signpost-${queue}`, `signpost-${queue}-dead`]),
  );
  for (const queue of QUEUES) expect(queues[`signpost-${queue}-dead`]).toBe(FOURTEEN_DAYS);
  expect(workers.signpost?.deployedOn).toBe("migrated");

  const secrets = workers.signpost?.secrets ?? {};
  served = { signpost: await startSignpost({ port, vars: { ...secrets, BUILD_ID } }), secrets };
  const second = await stage.deploy(flags);
  expect(second.code, second.said).toBe(0);
  const again = changes(second).filter((call) => !call.startsWith("queues update"));
  expect(again).toEqual([
    "d1 migrations apply DB --remote -c wrangler.production.json",
    "deploy -c wrangler.production.json",
  ]);
  expect(stage.account.workers.signpost?.secrets).toEqual(secrets);
  expect(second.said).toContain(`Signpost is on http://localhost:${port};`);
  const key = /^Key \(shown this once\): (osk_\w+)$/m.exec(second.said)?.[1];
  const answer = await fetch(`http://localhost:${port}/api/v1/biolinks/links`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);

  const third = await stage.deploy(flags);
  expect([third.code, third.said]).toEqual([0, expect.stringContaining("none was made")]);
  expect(third.said).not.toContain("osk_");

  expect(third.said).toMatch(/-X POST \S+\/admin\/v1\/workspaces\/[\w-]+\/keys -H/);
});

test("a token that was changed elsewhere is a note; one that is given and opens is kept", async () => {
  const { signpost, secrets } = theServed();
  const stage = await deployedStage();
  const { ADMIN_TOKEN } = secrets;
  const kept = JSON.parse(stage.read(".secrets.production.json"));
  const flags = ["--host", `localhost:${signpost.port}`, "--patience", "2", ...BUILD];
  const stale = await stage.deploy(flags);
  expect(stale.code, stale.said).toBe(0);
  expect(stale.said).toContain("wrangler secret put ADMIN_TOKEN");
  expect(JSON.parse(stage.read(".secrets.production.json"))).toEqual(kept);

  await stage.deploy(flags, { ADMIN_TOKEN: "not-the-token either" });
  expect(JSON.parse(stage.read(".secrets.production.json"))).toEqual(kept);
  const given = await stage.deploy(flags, { ADMIN_TOKEN: ADMIN_TOKEN ?? "" });
  expect([given.code, given.said]).toEqual([0, expect.stringContaining("none was made")]);
  expect(JSON.parse(stage.read(".secrets.production.json"))).toEqual({ ...kept, ADMIN_TOKEN });
});

test("the version of before does not pass for the one that was just deployed", async () => {
  const { signpost, secrets } = theServed();
  const stage = newStage();
  const run = await stage.deploy(
    ["--host", `localhost:${signpost.port}`, "--patience", "2"],
    secrets,
  );
  expect([run.code, failedAt(run)], run.said).toEqual([1, "smoke test"]);
  expect(run.said).toContain(`another version answers, ${BUILD_ID}, not `);
  const uploaded = /"BUILD_ID": "([\w-]{36})"/.exec(stage.read("wrangler.production.json"))?.[1];
  expect(run.said).toContain(`not ${uploaded} `);
});

test("a version that cannot read the database is not well", async () => {
  const broken = await startSignpost({ vars: { BUILD_ID } });
  onTestFinished(broken.stop);
  await broken.execute("PRAGMA foreign_keys = OFF; DROP TABLE addresses");
  const stage = newStage();
  const flags = ["--host", `localhost:${broken.port}`, "--patience", "2", ...BUILD];
  const run = await stage.deploy(flags);
  expect([run.code, failedAt(run)], run.said).toEqual([1, "smoke test"]);
  expect(run.said).toMatch(/\/smoke-test-\S+: it answers 503, not 404/);
});

test("a secret goes by standard input alone, and into a file that only its owner may read", async () => {
  const stage = newStage();
  const { said } = await stage.deploy(UNANSWERED, { ADMIN_TOKEN: "given, and long enough" });
  const { calls, workers } = stage.account;
  const values = Object.values(workers.signpost?.secrets ?? {});
  expect(values).toHaveLength(2);
  for (const value of values) {
    expect(said).not.toContain(value);
    expect(calls.filter(({ args }) => args.join(" ").includes(value))).toEqual([]);
    expect(calls.filter(({ env }) => env.includes(value))).toEqual([]);
    const told = calls.filter(({ input }) => input.includes(value));
    expect(told.map(({ args }) => args[0])).toEqual(["secret"]);
  }
  const kept = JSON.parse(stage.read(".secrets.production.json"));
  expect(kept).toEqual(workers.signpost?.secrets);
  expect(Buffer.from(kept.ENCRYPTION_KEY, "base64")).toHaveLength(32);
  expect(statSync(join(stage.folder, ".secrets.production.json")).mode & 0o777).toBe(0o600);
});

test("ENCRYPTION_KEY is never overwritten: not by what is given, not when it is unknown what is set", async () => {
  const stage = newStage();
  stage.change(({ workers }) => {
    workers.signpost = { secrets: { ENCRYPTION_KEY: "the key of before" } };
  });
  const given = {
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    ADMIN_TOKEN: "given, and long enough",
  };
  await stage.deploy(UNANSWERED, given);
  const { ENCRYPTION_KEY } = stage.account.workers.signpost?.secrets ?? {};
  expect(ENCRYPTION_KEY).toBe("the key of before");

  stage.change(({ workers, refuses }) => {
    workers.signpost = { secrets: {} };
    refuses["secret list"] = "A request to the Cloudflare API failed. [code: 10013]";
  });
  const run = await stage.deploy(UNANSWERED, given);
  expect([run.code, failedAt(run), changes(run)]).toEqual([1, "rights", []]);
});

test("an operator's API that was closed stays closed, until somebody opens it by the flag", async () => {
  const stage = await deployedStage();
  const { ADMIN_TOKEN } = stage.account.workers.signpost?.secrets ?? {};
  stage.change(({ workers, databases }) => {
    delete workers.signpost?.secrets.ADMIN_TOKEN;
    for (const database of databases) database.workspaces = 1;
  });
  const names = () => Object.keys(stage.account.workers.signpost?.secrets ?? {});
  await stage.deploy(UNANSWERED);
  expect(names()).toEqual(["ENCRYPTION_KEY"]);
  await stage.deploy(UNANSWERED, { ADMIN_TOKEN: "of the job's secrets", CI: "true" });
  expect(names()).toEqual(["ENCRYPTION_KEY"]);
  await stage.deploy([...UNANSWERED, "--open-admin"]);
  expect(stage.account.workers.signpost?.secrets).toMatchObject({ ADMIN_TOKEN });
});

test("CI, which makes no workspace, opens no operator's API that was closed on an empty database", async () => {
  const stage = newStage();
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
  const ci = { CI: "true", ENCRYPTION_KEY, ADMIN_TOKEN: "of the job's secrets" };
  const secrets = () => stage.account.workers.signpost?.secrets;
  await stage.deploy(UNANSWERED, ci);
  expect(secrets()).toEqual({ ENCRYPTION_KEY, ADMIN_TOKEN: ci.ADMIN_TOKEN });
  stage.change(({ workers }) => {
    delete workers.signpost?.secrets.ADMIN_TOKEN;
  });
  for (const ADMIN_TOKEN of [ci.ADMIN_TOKEN, ""]) {
    const run = await stage.deploy(UNANSWERED, { ...ci, ADMIN_TOKEN });
    expect(failedAt(run), run.said).toBe("smoke test");
    expect(run.said).toContain("nothing was to be set");
    expect(secrets()).toEqual({ ENCRYPTION_KEY });
  }
});

test("a first deploy whose ENCRYPTION_KEY was set by hand opens the operator's API", async () => {
  const stage = newStage();
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
  stage.change(({ workers }) => {
    workers.signpost = { secrets: { ENCRYPTION_KEY } };
  });
  const run = await stage.deploy(UNANSWERED);
  expect(run.said).toContain("set: ADMIN_TOKEN\n");
  const ADMIN_TOKEN = expect.stringMatching(/^\w{48}$/);
  expect(stage.account.workers.signpost?.secrets).toEqual({ ENCRYPTION_KEY, ADMIN_TOKEN });
});

test("a database with workspaces gets no ENCRYPTION_KEY that may not be theirs: not one that is known here either", async () => {
  const stage = await deployedStage();
  const mine = JSON.parse(stage.read(".secrets.production.json"));
  stage.change(({ workers, databases }) => {
    delete workers.signpost;
    for (const database of databases) database.workspaces = 1;
  });
  const other = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), ADMIN_TOKEN: "" };
  const nothing = { ENCRYPTION_KEY: "", ADMIN_TOKEN: "" };
  const stranger = newStage();
  stranger.account = stage.account;
  for (const [whose, flags, env] of [
    [stage, [], nothing],
    [stage, [], other],
    [stranger, ["--trust-key"], nothing],
  ] as const) {
    const run = await whose.deploy([...UNANSWERED, ...flags], env);
    expect([run.code, failedAt(run)]).toEqual([1, "secrets"]);
    expect(run.said).toMatch(
      /key of before only\.\n+Set that key by hand, `npx wrangler secret put/,
    );
    expect(whose.account.workers).toEqual({});
  }
  const trusted = await stage.deploy([...UNANSWERED, "--trust-key"], other);
  expect(failedAt(trusted), trusted.said).toBe("smoke test");
  // The key alone: whether the operator's API was open before, nobody knows.
  expect(stage.account.workers.signpost?.secrets).toEqual({ ENCRYPTION_KEY: other.ENCRYPTION_KEY });
  const kept = JSON.parse(stage.read(".secrets.production.json"));
  const before = Object.keys(kept).find((name) => /^ENCRYPTION_KEY_BEFORE_\d{4}-/.test(name)) ?? "";
  expect([kept.ENCRYPTION_KEY, kept[before]]).toEqual([other.ENCRYPTION_KEY, mine.ENCRYPTION_KEY]);
});

test("of two first deploys at once the later overwrites nothing, and keeps no key", async () => {
  const stage = newStage();
  const secrets = { ENCRYPTION_KEY: "the other's", ADMIN_TOKEN: "the other's" };
  stage.change((account) => {
    account.meanwhile = { "d1 execute": { signpost: { secrets } } };
  });
  const run = await stage.deploy(UNANSWERED);
  expect([run.code, failedAt(run)], run.said).toEqual([1, "secrets"]);
  expect(run.said).toContain("Somebody else has just set ENCRYPTION_KEY, ADMIN_TOKEN");
  expect(stage.account.workers.signpost?.secrets).toEqual(secrets);
  expect(() => stage.read(".secrets.production.json")).toThrow();
});

test("secrets whose upload was cut off are taken again by the next run", async () => {
  const stage = newStage();
  stage.change(({ refuses }) => {
    refuses["secret bulk"] = "fetch failed";
  });
  const cutOff = await stage.deploy(UNANSWERED);
  expect([cutOff.code, failedAt(cutOff)]).toEqual([1, "secrets"]);
  const made = JSON.parse(stage.read(".secrets.production.json"));
  stage.change((account) => {
    account.refuses = {};
  });
  await stage.deploy(UNANSWERED);
  expect(stage.account.workers.signpost?.secrets).toEqual(made);
});

test.each([
  ["d1 list", "rights", /Nothing was changed/],
  ["queues list", "rights", /Nothing was changed/],
  ["r2 bucket info", "rights", /Nothing was changed/],
  ["deploy --dry-run", "build", /Nothing was changed\. Mend the code/],
  ["d1 create", "resources", /found again: mend what is named above/],
  ["queues create", "resources", /It needs the plan Workers Paid/],
  ["kv namespace create", "resources", /found again/],
  ["r2 bucket create", "resources", /found again/],
  ["d1 migrations apply", "migrate", /the old code goes on with the tables as they are/],
  ["secret bulk", "secrets", /takes the same values/],
  ["deploy -c", "deploy", /The old code goes on, on the new tables/],
])(
  "when `wrangler %s` fails, nothing comes after it and the remedy is told",
  async (start, step, remedy) => {
    const stage = newStage();
    stage.change(({ refuses }) => {
      refuses[start] = "Authentication error [code: 10000]";
    });
    const run = await stage.deploy(UNANSWERED);
    expect([run.code, failedAt(run)], run.said).toEqual([1, step]);
    expect(run.calls.at(-1)).toMatch(new RegExp(`^${start}`));
    expect(run.said).toMatch(remedy);
    // What is shown as it comes is above, without what wrangler says of it here.
    if (!/migrate|deploy/.test(step)) expect(run.said).toContain("The login lacks a right");
    if (changes(run).length === 0) return;
    stage.change((account) => {
      account.refuses = {};
    });
    const after = await stage.deploy(UNANSWERED);
    expect(failedAt(after), after.said).toBe("smoke test");
    expect(stage.account.workers.signpost?.deployedOn).toBe("migrated");
  },
);

test("nobody logged in, a login without a right, an unclear account: said before anything is asked", async () => {
  const stage = newStage();
  const login = stage.account.login ?? {};
  const told = async (change: object | undefined, env = {}) => {
    stage.change((account) => {
      account.login = change;
    });
    const run = await stage.deploy(UNANSWERED, env);
    return { step: failedAt(run), calls: run.calls.length, said: run.said };
  };
  expect(await told(undefined)).toMatchObject({
    ...{ step: "login", calls: 1 },
    said: expect.stringContaining("npx wrangler login"),
  });
  expect(await told({ ...login, tokenPermissions: ["d1:write"] })).toMatchObject({
    ...{ step: "login", calls: 1 },
    said: expect.stringContaining("workers_scripts:write, workers_kv:write, queues:write"),
  });
  const two = { ...login, accounts: ["a1", "a2"].map((id) => ({ id, name: id })) };
  expect(await told(two)).toMatchObject({
    ...{ step: "login", calls: 1 },
    said: expect.stringContaining("Set CLOUDFLARE_ACCOUNT_ID"),
  });
  expect(await told(two, { CLOUDFLARE_ACCOUNT_ID: "a2" })).toMatchObject({ step: "smoke test" });
});

test("an environment's account_id holds for all that is asked, and another that is given is refused", async () => {
  const stage = newStage();
  stage.change((account) => {
    account.login = { ...account.login, accounts: ["a1", "a2"].map((id) => ({ id, name: id })) };
  });
  stage.write("wrangler.toml", `account_id = "a1"\n${stage.read("wrangler.toml")}`);
  stage.write("environments.toml", `[staging]\naccount_id = "a2"\n`);
  const flags = ["--env", "staging", ...UNANSWERED];
  const unclear = await stage.deploy(flags, { CLOUDFLARE_ACCOUNT_ID: "a1" });
  expect([failedAt(unclear), unclear.calls]).toEqual(["login", ["whoami --json"]]);
  expect(unclear.said).toContain(
    "CLOUDFLARE_ACCOUNT_ID is a1, but the account_id of staging is a2",
  );
  const run = await stage.deploy(flags);
  expect(failedAt(run), run.said).toBe("smoke test");
  const asked = stage.account.calls.filter(({ args }) => args[0] !== "whoami");
  expect(new Set(asked.map(({ account }) => account))).toEqual(new Set(["a2"]));
  expect(asked.length).toBeGreaterThan(20);
});

test("an account without R2 gets everything else, and is told what does not work", async () => {
  const stage = newStage();
  stage.change((account) => {
    account.buckets = undefined;
  });
  const run = await stage.deploy(UNANSWERED);
  expect(failedAt(run), run.said).toBe("smoke test");
  expect(run.said).toContain("This account has no R2: all works but files");
  expect(stage.read("wrangler.production.json")).not.toContain("r2_buckets");
});

test("staging stands beside production and shares nothing with it", async () => {
  const stage = await deployedStage();
  const production = stage.account;
  // With what is commented out, as an account has to enable it first.
  const bound = stage
    .read("wrangler.toml")
    .replace(/(?<=^# [^\n]*"Counts and durations"[^\n]*\n)(?:# .*\n)+/m, (block) =>
      block.replaceAll(/^# /gm, ""),
    );
  stage.write("wrangler.toml", `routes = ["go.example.com/*"]\n${bound}`);
  const run = await stage.deploy(["--env", "staging", ...UNANSWERED]);
  expect(failedAt(run), run.said).toBe("smoke test");
  const { databases, queues, namespaces, buckets, workers } = stage.account;
  expect(databases.map(({ name }) => name)).toEqual(["signpost", "signpost-staging"]);
  expect(Object.keys(queues).slice(8).sort()).toEqual(
    QUEUES.flatMap((queue) => [
      `signpost-${queue}-dead-staging`,
      `signpost-${queue}-staging`,
    ]).sort(),
  );
  expect(namespaces.map(({ title }) => title)).toEqual([
    "signpost-salts",
    "signpost-staging-salts",
  ]);
  expect(buckets).toEqual(["signpost-files", "signpost-files-staging"]);
  expect(workers.signpost).toEqual(production.workers.signpost);
  const { ENCRYPTION_KEY } = workers["signpost-staging"]?.secrets ?? {};
  expect(ENCRYPTION_KEY).not.toBe(workers.signpost?.secrets.ENCRYPTION_KEY);

  const read = (name: string) =>
    JSON.parse(stage.read(`wrangler.${name}.json`).replace(/^\/\/.*\n/, ""));
  const limits = (name: string) =>
    read(name).ratelimits.map((one: { namespace_id: string }) => one.namespace_id);
  expect(limits("staging").filter((id: string) => limits("production").includes(id))).toEqual([]);
  expect(read("staging").analytics_engine_datasets).toEqual([
    { binding: "METRICS", dataset: "signpost_staging" },
  ]);
  expect(stage.read("wrangler.staging.json")).not.toContain("go.example.com");
  expect(read("staging").durable_objects).toEqual(read("production").durable_objects);
  expect(read("staging").migrations).toEqual(read("production").migrations);
});

test("staging takes no secret that may be production's, unless somebody says that it is meant", async () => {
  const stage = newStage();
  const production = { ENCRYPTION_KEY: Buffer.alloc(32, 6).toString("base64") };
  stage.write(".secrets.production.json", JSON.stringify(production));
  const other = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
  const flags = ["--env", "staging", ...UNANSWERED];
  for (const [env, said] of [
    [production, /The ENCRYPTION_KEY that is known here is of \.secrets\.production\.json/],
    [other, /ENCRYPTION_KEY of this shell may be production's.*\n+Unset it, and staging gets one/],
  ] as const) {
    const run = await stage.deploy(flags, env);
    expect([run.code, failedAt(run)], run.said).toEqual([1, "secrets"]);
    expect(run.said).toMatch(said);
    expect(stage.account.workers["signpost-staging"]).toBeUndefined();
    expect(() => stage.read(".secrets.staging.json")).toThrow();
  }
  await stage.deploy([...flags, "--trust-key"], other);
  const { secrets } = stage.account.workers["signpost-staging"] ?? {};
  expect(secrets).toMatchObject(other);
  expect(JSON.parse(stage.read(".secrets.staging.json"))).toEqual(secrets);
});

test("a later deploy of staging asks by its own token, and by no other environment's", async () => {
  const { signpost, secrets } = theServed();
  const stage = newStage();
  const { ADMIN_TOKEN = "" } = secrets;
  const flags = ["--env", "staging", "--host", `localhost:${signpost.port}`, "--patience", "2"];
  const deploy = (token: string, more: string[] = []) =>
    stage.deploy([...flags, ...BUILD, ...more], { ADMIN_TOKEN: token });
  await stage.deploy(["--env", "staging", ...UNANSWERED]);
  const file = ".secrets.staging.json";
  const { ADMIN_TOKEN: stale, ...key } = JSON.parse(stage.read(file));
  stage.write(file, JSON.stringify({ ...key, ADMIN_TOKEN }));
  const own = await deploy("what the shell exports");
  expect([own.code, own.said]).toEqual([0, expect.stringContaining("none was made")]);
  stage.write(file, JSON.stringify({ ...key, ADMIN_TOKEN: stale }));
  const changed = await deploy(ADMIN_TOKEN);
  expect(changed.said).toContain("ADMIN_TOKEN=… npm run deploy -- --env staging --trust-key");
  const meant = await deploy(ADMIN_TOKEN, ["--trust-key"]);
  expect(meant.said).toContain("none was made");
  expect(JSON.parse(stage.read(file))).toEqual({ ...key, ADMIN_TOKEN });

  stage.write(".secrets.production.json", JSON.stringify({ ADMIN_TOKEN }));
  stage.write(file, JSON.stringify(key));
  const others = await deploy(ADMIN_TOKEN);
  expect([others.code, failedAt(others)], others.said).toEqual([1, "secrets"]);
  expect(others.said).toContain("The ADMIN_TOKEN that is known here is of .secrets.production");
});

test("in CI no secret is made that would be lost, and no key is printed", async () => {
  const stage = newStage();
  const refused = await stage.deploy(UNANSWERED, { CI: "true" });
  expect([refused.code, failedAt(refused)]).toEqual([1, "secrets"]);
  expect(refused.said).toContain("Give it to this job as a secret of your CI");
  const { signpost, secrets } = theServed();
  const env = { CI: "true", PLATFORM_HOST: `localhost:${signpost.port}`, ...secrets };
  const run = await stage.deploy(BUILD, env);
  expect(run.code, run.said).toBe(0);
  expect(stage.account.workers.signpost?.secrets).toEqual(secrets);
  for (const hidden of ["osk_", ...Object.values(secrets)]) expect(run.said).not.toContain(hidden);
});

test("a setting that is wrong fails the smoke test, which names it", async () => {
  const unhealthy = await startSignpost({ vars: { CF_API_TOKEN: "of no zone", BUILD_ID } });
  onTestFinished(unhealthy.stop);
  const stage = newStage();
  const flags = ["--host", `localhost:${unhealthy.port}`, "--patience", "0", ...BUILD];
  const run = await stage.deploy(flags);
  expect([run.code, failedAt(run)]).toEqual([1, "smoke test"]);
  expect(run.said).toMatch(/misconfigured: CF_ZONE_ID is not set.*\n+See docs\/runbook\.md/);
});

test.each([
  ["ENCRYPTION_KEY", "short", "openssl rand -base64 32"],
  ["ADMIN_TOKEN", "short", "openssl rand -hex 24"],
])("a given %s that cannot be is refused: once set, it would stay", async (name, value, remedy) => {
  const stage = newStage();
  const run = await stage.deploy(UNANSWERED, { [name]: value });
  expect([failedAt(run), stage.account.workers]).toEqual(["secrets", {}]);
  expect(run.said).toContain(remedy);
  expect(run.said).not.toContain(value);
});

test.each([
  [[], 1, /which host.*\n+Set PLATFORM_HOST in wrangler\.toml, or run/],
  [["--env", "staging"], 1, /which host.*\n+Set PLATFORM_HOST in environments\.toml/],
  [["--host", "https://go.example.com/"], 1, /PLATFORM_HOST is no host: https/],
  [["--host", "other.ada.workers.dev"], 1, /begins with signpost/],
  [["--env", "test", "--host", HOST], 1, /Take one of production, staging/],
  [["--patience", "long"], 2, /npm run deploy -- \[--env NAME\]/],
  [["--wrong"], 2, /npm run deploy -- \[--env NAME\]/],
])("settings that cannot be are named before anything is asked: %j", async (flags, code, said) => {
  const stage = newStage();
  const run = await stage.deploy(flags);
  expect(run).toMatchObject({ code, said: expect.stringMatching(said), calls: [] });
});
