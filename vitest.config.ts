import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const migrations = await readD1Migrations("migrations");

/** Dependencies that each start of the tests' runtime loads as a few bundles, not as hundreds of modules. */
const BUNDLED = [
  "@cfworker/json-schema",
  "@hono/zod-openapi",
  "bowser",
  "drizzle-orm",
  "drizzle-orm/d1",
  "drizzle-orm/sqlite-core",
  "fast-check",
  "hono",
  "hono/html",
  "ipaddr.js",
  "isbot",
  "mdast-util-from-markdown",
  "micromark",
  "micromark-extension-gfm-table",
  "p-map",
  "standardwebhooks",
  "tldts",
  "temporal-polyfill/implementation",
  "uuidv7",
  "zod",
];

/** Tests that run in workerd, beside the Worker. */
function inWorkerd(
  test: NonNullable<TestProjectInlineConfiguration["test"]>,
): TestProjectInlineConfiguration {
  return {
    plugins: [
      cloudflareTest(({ inject }) => ({
        wrangler: { configPath: "./wrangler.toml" },
        miniflare: {
          bindings: {
            DOH_URL: `${inject<string>("resolverUrl")}/dns-query`,
            CNAME_TARGET: "cname.signpost.example",
            HOSTNAMES_URL: inject<string>("hostnamesUrl"),
            ALLOW_PRIVATE_TARGETS: "true",
            RECEIVER_URL: inject<string>("receiverUrl"),
            MESSAGE_CONNECTOR_URL: inject<string>("connectorUrls"),
            MESSAGE_CONNECTOR_SECRET: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
            PROVIDERS_URL: inject<string>("providersUrl"),
            META_API_URL: `${inject<string>("providersUrl")}/meta`,
            GOOGLE_ANALYTICS_URL: `${inject<string>("providersUrl")}/ga4`,
            TEST_MIGRATIONS: migrations,
            ADMIN_TOKEN: "test-admin-token",
            ENCRYPTION_KEY: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
          },
        },
      })),
    ],
    test: {
      // For a machine so busy that all stands still for a minute; no test here is about how long
      // something takes. What a test waits for has a shorter time, so that it says what did not come.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
      globalSetup: ["test/support/node/internet.ts"],
      setupFiles: [
        "test/support/day-left.ts",
        "test/support/migrations.ts",
        "test/support/day-salts.ts",
        "test/support/logs.ts",
        "test/support/patience.ts",
        "test/support/checked-answers.ts",
        "test/support/object-plans.ts",
        "test/support/query-plans.ts",
      ],
      provide: { projectName: test.name } as object,
      ...test,
    },
  };
}

/** Tests that start the Worker as somebody else would, in processes of its own. */
function endToEnd(
  test: NonNullable<TestProjectInlineConfiguration["test"]>,
): TestProjectInlineConfiguration {
  return {
    test: {
      globalSetup: ["test/support/node/prepared-folder.ts"],
      setupFiles: ["test/support/day-left.ts", "test/support/node/tell-checked-answers.ts"],
      // Two processors may have two files to run, and be half as fast as others: some set-ups took 220 s.
      testTimeout: 480_000,
      hookTimeout: 480_000,
      provide: { projectName: test.name } as object,
      ...test,
    },
  };
}

export default defineConfig({
  test: {
    // The first waits for what the next ones take for today.
    sequence: { setupFiles: "list" },
    globalSetup: ["test/support/node/checked-answers.ts", "test/support/node/unplanned-queries.ts"],
    projects: [
      // Three runtimes share the files out, as two leave a third of two processors idle. Each test has a
      // workspace of its own, so they may share storage.
      inWorkerd({
        name: "workers",
        sequence: { groupOrder: 0 },
        isolate: false,
        maxWorkers: 3,
        include: ["test/**/*.test.ts"],
        exclude: [
          "test/**/*.alone.test.ts",
          "test/e2e/**",
          "test/generated-clients/**",
          "test/integrations/**",
          "test/graph/**",
        ],
      }),
      // Files that are about everything in the database have one of their own. Three runtimes here too:
      // two left two thirds of the processors idle.
      inWorkerd({
        name: "alone",
        sequence: { groupOrder: 1 },
        maxWorkers: 3,
        include: ["test/**/*.alone.test.ts"],
      }),
      {
        test: {
          name: "unit",
          sequence: { groupOrder: 2 },
          include: ["test/graph/**/*.test.ts"],
          testTimeout: 180_000,
        },
      },
      endToEnd({
        name: "e2e",
        sequence: { groupOrder: 3 },
        maxWorkers: 2,
        include: ["test/e2e/**/*.test.ts"],
        exclude: ["test/e2e/**/*.timed.test.ts"],
      }),
      // Files that are about how long something takes have the machine to themselves.
      endToEnd({
        name: "timed",
        sequence: { groupOrder: 4 },
        maxWorkers: 1,
        include: ["test/e2e/**/*.timed.test.ts"],
      }),
    ],
  },
});
