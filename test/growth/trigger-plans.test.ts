import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { faultsOf } from "../support/plan-rules.ts";
import { planOf, uniqueIndexes } from "../support/query-plan.ts";

interface Trigger {
  name: string;
  sql: string;
}

const SHAPE =
  /^CREATE TRIGGER\s+\S+\s+[\s\S]*?\bON\s+\S+\s+(?:WHEN\b([\s\S]*?)\s)?BEGIN\s([\s\S]*)END$/i;

/** What a trigger runs, as statements of their own: what they know of its row is given. */
function statementsOf({ name, sql }: Trigger): string[] {
  const [, when, body = ""] = SHAPE.exec(sql.replace(/--.*$/gm, "").trim()) ?? [];
  if (!body) throw new Error(`${name} is written otherwise.`);
  const statements = body.split(/;\s*(?:\n|$)/).map((one) => one.trim());
  return [...(when ? [`SELECT 1 WHERE ${when}`] : []), ...statements]
    .filter((one) => one !== "")
    .map((one) =>
      one
        .replace(/\b(?:NEW|OLD)\.(?:\w+|`\w+`|"\w+")/gi, "?1")
        .replace(/RAISE\s*\([^)]*\)/gi, "NULL"),
    );
}

/** What is searched or sorted is few, though no index says so: of which triggers, and why. */
const FEW: { trigger: RegExp; step: RegExp; why: string }[] = [
  { trigger: /^usage_/, step: /^SCAN usage_recount$/, why: "It has one row." },
  {
    trigger: /_(?:un|re)subscribe$/,
    step: /^SEARCH event_subscriptions USING INDEX event_subscriptions_target \(target_id=\?\)$/,
    why: "What one endpoint or hook wants.",
  },
  {
    trigger: /^page_files_/,
    step: /^SEARCH page_files USING (?:COVERING )?INDEX sqlite_autoindex_page_files_1 \(page_id=\?(?: AND holder=\?)?\)$/,
    why: "The files of one page.",
  },
  {
    trigger: /^product_files_/,
    step: /^SEARCH product_files USING INDEX sqlite_autoindex_product_files_1 \(product_id=\?\)$/,
    why: "The eleven pictures of one product.",
  },
  {
    trigger: /^(?:page_redraws_|latest_posts_)/,
    step: /^SEARCH page_products USING COVERING INDEX page_products_target \(target_id=\?\)$/,
    why: "The pages of a workspace that show it: 500 at most, by plan.",
  },
  {
    trigger: /^(?:qr_codes|page_renders)_/,
    step: /^SEARCH addresses USING (?:COVERING )?INDEX addresses_(?:qr_codes|pages) \(target_id=\?\)$/,
    why: "The addresses of one code, or of one page: two at most.",
  },
  {
    trigger: /^(?:page_(?:files|pixels|redraws)|product_(?:files|labels))_/,
    step: /^USE TEMP B-TREE FOR (?:DISTINCT|count\(DISTINCT\)|ORDER BY)$/,
    why: "The pictures, labels and pixels that one record names, and the pages above.",
  },
];

function isFew(trigger: string, fault: string): boolean {
  const step = fault.slice(fault.indexOf(": ") + 2);
  return FEW.some((few) => few.trigger.test(trigger) && few.step.test(step));
}

// The plan of a statement tells nothing of the triggers that it sets off.
it("no trigger reads more than what its row is about", async () => {
  const { results: triggers } = await env.DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
  ).all<Trigger>();
  expect(triggers.length).toBeGreaterThan(100);
  const unique = await uniqueIndexes();
  const faults: string[] = [];
  for (const trigger of triggers) {
    for (const statement of statementsOf(trigger)) {
      const steps = await planOf(statement, statement.includes("?1") ? [null] : []);
      for (const fault of faultsOf(statement, steps, unique)) {
        if (isFew(trigger.name, fault)) continue;
        faults.push(`${trigger.name}: ${fault}\n  ${statement}`);
      }
    }
  }
  expect(faults.join("\n")).toBe("");
});
