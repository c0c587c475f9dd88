import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof import("../../src/worker.ts");
    }
    interface Env {
      DB: D1Database;
      TEST_MIGRATIONS: D1Migration[];
    }
  }
}

// Applies only what is not applied yet, so it may run before each file.
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
