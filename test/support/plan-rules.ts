/** What the plan of a query may hold, so that its cost follows what is asked for, not what is stored. */

/** Indexes of a workspace's records that are few by a limit, or by what people name by hand. */
const FEW = /\b(webhook_endpoints|domains|automation_hooks|members|pixels|api_keys)_/;

/** Statements that may do what the rules forbid, each with why. */
const EXCEPTIONS: { statement: RegExp; step: RegExp; why: string }[] = [
  {
    statement: /ORDER BY random\(\)/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: "One row for each target that sleeps, in no order: chance is what shares them out.",
  },
  {
    statement: /FROM recoveries/,
    step: /^SCAN recoveries USING INDEX recoveries_open$/,
    why: "All in that index is what is asked for: the jobs that are not finished.",
  },
  {
    statement: /^INSERT INTO members/,
    step: /^SCAN api_keys$/,
    why: "For the foreign key, and never run: SQLite skips it while no reference is broken.",
  },
  {
    statement: /FROM contacts INDEXED BY contacts_inactive/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: "A segment by inactivity, newest contact first: sorts all that are inactive for so long.",
  },
  {
    statement: /inner join "segment_uses"/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: "The segments that name one label: all of them are told to who would delete it.",
  },
  {
    statement: /^SELECT count\(\*\) AS count FROM contacts/,
    step: /^SEARCH contacts USING .*INDEX contacts_\w+ \(workspace_id=\?\)$/,
    why: "A live count of a segment: of all that it selects, or may select.",
  },
  {
    statement: /^insert into "workspaces"/,
    step: /^SEARCH \w+ USING COVERING INDEX \w+ \(workspace_id=\?\)$/,
    why: "For foreign keys, as above: with a trigger on the table SQLite plans it, and skips it.",
  },
  {
    statement: /^UPDATE workspace_usage SET recounted_bytes/,
    step: /^USE TEMP B-TREE FOR GROUP BY$/,
    why: "A slice of the recount, a thousand records by their key, is added up by workspace.",
  },
];

/** The steps of a plan that read more than is asked for, each with what is wrong with it. */
export function faultsOf(statement: string, steps: string[]): string[] {
  return steps.flatMap((step) => {
    const fault = faultOf(statement, step, steps);
    if (!fault || isException(statement, step)) return [];
    return [`${fault}: ${step}`];
  });
}

function isException(statement: string, step: string): boolean {
  return EXCEPTIONS.some((one) => one.statement.test(statement) && one.step.test(step));
}

function faultOf(statement: string, step: string, steps: string[]): string | undefined {
  const isPaged = /\bLIMIT\b/i.test(statement);
  if (step.startsWith("SCAN ")) return scanFault(statement, step, steps);
  if (step.startsWith("USE TEMP B-TREE")) return "sorts";
  if (step.includes("AUTOMATIC")) return "indexes a whole table first";
  const [, by] = /^SEARCH .* \(([^)]*)\)(?: LEFT-JOIN)?$/.exec(step) ?? [];
  if (by === undefined) return undefined;
  if (by === "workspace_id=?" && !isPaged && !FEW.test(step)) return "reads a whole workspace";
  if (!by.includes("=?") && !isPaged) return "reads a range without a limit";
  return undefined;
}

/** Of what is scanned only the database's own tables grow: not parameters, nor what is found first. */
function scanFault(statement: string, step: string, steps: string[]): string | undefined {
  const [, name = ""] = /^SCAN (\S+)/.exec(step) ?? [];
  const isBounded =
    step.includes("VIRTUAL TABLE") ||
    name === "CONSTANT" ||
    name.startsWith("(") ||
    steps.some((one) => one === `CO-ROUTINE ${name}` || one === `MATERIALIZE ${name}`);
  // A page in the order of an index: nothing is left out, so no more is read than is answered.
  const isPage =
    / USING .*INDEX /.test(step) && /LIMIT/i.test(statement) && !/\bWHERE\b/i.test(statement);
  return isBounded || isPage ? undefined : "scans";
}
