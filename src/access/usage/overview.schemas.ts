import { z } from "@hono/zod-openapi";
import { Workspace } from "../workspaces/workspaces.schemas.ts";
import { OVERVIEW } from "./overview.examples.ts";
import { Month } from "./usage.schemas.ts";

/** Beyond it nobody needs to know how many: a count costs a row for each. */
export const MOST_COUNTED = 1000;

const count = z.number().int().min(0);
const countUpTo = (of: string) =>
  count.max(MOST_COUNTED).openapi({
    description: `${of}. ${MOST_COUNTED}: that many or more.`,
  });

const MonthOfAll = Month.omit({ clicks: true }).openapi("MonthOfAll");
const { name, plan } = Workspace.shape;

const Overview = z
  .object({
    workspaces: z.object({
      all: count.openapi({ description: "Suspended ones too." }),
      suspended: count,
    }),
    links: count,
    pages: count,
    products: count,
    contacts: count,
    stored_bytes: count.openapi({ description: "As each workspace's usage tells of it." }),
    files: count,
    file_bytes: count.openapi({ description: "Of uploaded files, which count apart." }),
    pending_deliveries: count,
    this_month: MonthOfAll,
    last_month: MonthOfAll,
    database_bytes: count.openapi({
      description:
        "What the database takes by its own account, with all that is no workspace's. D1 takes 10 GB at most; then writes fail.",
    }),
    dead_letters: countUpTo("What could never be processed, of the last 30 days"),
    open_reports: countUpTo("Visitors' reports that are open"),
    largest: z
      .array(
        z.object({
          workspace: z.uuid(),
          name,
          plan,
          stored_bytes: count,
          pending_deliveries: count,
        }),
      )
      .openapi({ description: "The ten that store most, the largest first." }),
  })
  .openapi("OperatorOverview", { example: OVERVIEW });
export type Overview = z.input<typeof Overview>;

export const OverviewAnswer = z.object({ data: Overview });
