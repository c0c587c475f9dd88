/**
 * Which module may import which, for dependency-cruiser. Root composition → features →
 * visitor → deliveries → events → access → api → platform, downward only.
 */
import type { IForbiddenRuleType } from "dependency-cruiser";

/** From the top down; a layer may import itself and what stands after it. */
const LAYERS = ["features", "visitor", "deliveries", "events", "access", "api", "platform"];
/** Folders of features that hold a folder for each feature. */
const PRODUCTS = "biolinks|salesbot|webhooks";
/** The reserved first segments: imports nothing of ours, so anybody may import it. */
export const LEAF = "src/paths.ts";

const LEAF_PATH = "^src/paths\\.ts$";
const OUTSIDE_THE_LAYOUT = [
  `^src/(?!(?:${LAYERS.join("|")})/)[^/]+/`,
  "^src/features/[^/]+$",
  `^src/features/(?:${PRODUCTS})/[^/]+$`,
];
const FEATURE = `features/(?:(?:${PRODUCTS})/[^/]+|[^/]+)`;

/** The folder that owns what is in a file: a feature, a part of access, or a layer. */
export function roomOf(file: string): string {
  const room = new RegExp(`^src/(?:${FEATURE}|access/[^/]+|[^/]+)(?=/)`);
  return room.exec(file)?.[0] ?? "src";
}

export const graphRules: IForbiddenRuleType[] = [
  ...LAYERS.map(downwardOnly),
  {
    name: "paths-is-a-leaf",
    comment: "src/paths.ts imports nothing of ours, because everybody may import it.",
    severity: "error",
    from: { path: LEAF_PATH },
    to: { path: "^src/" },
  },
  {
    name: "no-folder-outside-the-layout",
    comment: "Every file is at the root of src, in a layer's folder or in a feature's own folder.",
    severity: "error",
    from: { path: OUTSIDE_THE_LAYOUT },
    to: {},
  },
  {
    name: "no-import-from-outside-the-layout",
    comment: "Every file is at the root of src, in a layer's folder or in a feature's own folder.",
    severity: "error",
    from: {},
    to: { path: OUTSIDE_THE_LAYOUT },
  },
  {
    name: "no-circular-imports",
    comment: "Modules that import each other, types included, can be neither read nor moved alone.",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  {
    name: "features-keep-their-inside",
    comment:
      "Of another feature: its service, ports, schemas, presenter, events and plain modules; never its repository, its routes or another role.",
    severity: "error",
    from: { path: `^src/(${FEATURE})/` },
    to: {
      path: "^src/features/.+\\.(?!(?:service|ports|schemas|presenter|events|table)\\.ts$)[^/.]+\\.ts$",
      pathNot: "^src/$1/",
    },
  },
  {
    name: "tables-only-for-foreign-keys",
    comment: "Another feature's table is imported by a table only, for a foreign key.",
    severity: "error",
    from: { path: `^src/(${FEATURE})/`, pathNot: "\\.table\\.ts$" },
    to: { path: "^src/features/.+\\.table\\.ts$", pathNot: "^src/$1/" },
  },
  {
    name: "query-builder-only-in-repositories",
    comment:
      "Only repositories, tables, ports and src/platform/db know drizzle-orm: the database can be changed in one kind of file.",
    severity: "error",
    from: { path: "^src/", pathNot: ["\\.(?:repository|table|ports)\\.ts$", "^src/platform/db/"] },
    to: { path: "(?:^|/)node_modules/drizzle-orm/" },
  },
  {
    name: "no-unresolvable-imports",
    comment: "An import that leads nowhere is not in the graph, so no rule would see it.",
    severity: "error",
    from: {},
    to: { couldNotResolve: true, pathNot: "^cloudflare:" },
  },
];

function downwardOnly(layer: string): IForbiddenRuleType {
  const allowed = LAYERS.slice(LAYERS.indexOf(layer));
  return {
    name: `downward-only-from-${layer}`,
    comment: `src/${layer} imports nothing of ours but ${allowed.join(", ")} and paths.ts.`,
    severity: "error",
    from: { path: `^src/${layer}/` },
    to: { path: "^src/", pathNot: [`^src/(?:${allowed.join("|")})/`, LEAF_PATH] },
  };
}
