import { env as bindings } from "cloudflare:workers";
import type { Ledger } from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import type { Env } from "../../src/platform/config.ts";

/** Ledgers as they were before 2026-11-24, while a deploy spreads: without the calls that are newer. */
export function withFormerLedger(): Env {
  const env = bindings as unknown as Env;
  const getByName = (name: string) => {
    const ledger = env.LEDGER.getByName(name);
    const { noSuchCall } = ledger as unknown as { noSuchCall(): Promise<void> };
    return {
      append: (...given: Parameters<Ledger["append"]>) => ledger.append(...given),
      answer: (...given: Parameters<Ledger["answer"]>) => ledger.answer(...given),
      recent: (...given: Parameters<Ledger["recent"]>) => ledger.recent(...given),
      appendNewer: noSuchCall,
      answerNewer: noSuchCall,
      recentNewer: noSuchCall,
    };
  };
  return { ...env, LEDGER: { getByName } } as unknown as Env;
}
