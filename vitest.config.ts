import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const migrations = await readD1Migrations("migrations");

export default defineConfig({
  test: {
    projects: [
      {
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
                TEST_MIGRATIONS: migrations,
                ADMIN_TOKEN: "test-admin-token",
                ENCRYPTION_KEY: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
              },
            },
          })),
        ],
        test: {
          name: "workers",
          // For a busy machine; no test here is about how long something takes.
          testTimeout: 30_000,
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/graph/**"],
          globalSetup: ["test/support/node/internet.ts", "test/support/node/checked-answers.ts"],
          setupFiles: ["test/support/migrations.ts", "test/support/checked-answers.ts"],
        },
      },
      { test: { name: "unit", include: ["test/graph/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
