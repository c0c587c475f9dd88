import { endsEarly, isReadIn, scopesOf } from "./statement-scopes.ts";

/** What the plan of a query may hold, so that its cost follows what is asked for, not what is stored. */

/** Searches that find few, by a limit or since people name it by hand, though no index says so. */
const FEW = [
  // A workspace's own: 25 endpoints, 100 domains and hooks; people, pixels and keys.
  /(?:webhook_endpoints|domains|automation_hooks|members|pixels|api_keys)_\w+ \(workspace_id=\?/,
  // Who wants one event of a channel: of those 25 endpoints and 100 hooks.
  /event_subscriptions_\w+ \(workspace_id=\? AND event=\? AND channel=\?/,
  // A workspace has 200 collections, one lists 500 products; a product is in a few of the 200.
  /collections_\w+ \(workspace_id=\?\)/,
  /sqlite_autoindex_collection_products_1 \(collection_id=\?/,
  /collection_products_product \(product_id=\?/,
  // A page has a hundred blocks, and shows 2,400 products and collections.
  /sqlite_autoindex_page_products_1 \(page_id=\?/,
  /page_blocks_live \(page_id=\?/,
  // An import of products has some hundred slices, of a file of 10 MiB.
  /product_import_slices_1 \(import_id=\?/,
  // A delivery is attempted eight times.
  /delivery_attempts_\w+ \(delivery_id=\?/,
  // Of an event's deliveries those that it does not list: a test, and what somebody sent again.
  /target_deliveries_unlisted \(event_id=\?/,
  // Of a target's metrics the hours of a day and the one before it.
  /target_metrics_\w+ \(workspace_id=\? AND target_id=\? AND hour>\?\)/,
  // What one taking of a lane holds: five, which it finds again by the end of their lease.
  /target_deliveries_due \(target_id=\? AND next_attempt_at=\?\)/,
  // A contact has at most so many tags, a segment so many labels, a target so many open jobs.
  /contact_tags_\w+ \(contact_id=\?/,
  /segment_uses_segment \(segment_id=\?/,
  // Of a workspace's labels those that were deleted minutes ago, until their contacts lost them.
  /(?:tags|stages)_deleted \(workspace_id=\? AND deleted_at>\?/,
];

interface Exception {
  statement: RegExp;
  step: RegExp;
  why: string;
}

/** Statements of the database that may do what the rules forbid, each with why. */
const EXCEPTIONS: Exception[] = [
  {
    statement: /^INSERT INTO members/,
    step: /^SEARCH api_keys USING COVERING INDEX api_keys_member \(member_id=\?\)$/,
    why: "For the foreign key, and never run: SQLite skips it while no reference is broken.",
  },
  {
    statement: /segment_recounts/,
    step: /^SEARCH segment_recounts USING INDEX sqlite_autoindex_segment_recounts_1 \(workspace_id=\?\)$/,
    why: "Its primary key: one row a workspace.",
  },
  {
    statement: /^UPDATE domains SET problems/,
    step: /^SEARCH domains USING INDEX domains_host \(host=\?\)$/,
    why: "All claims of a host are told that it is taken; a workspace has one at most.",
  },
  {
    statement: /^insert into "(?:workspaces|tags|stages)"/,
    step: /^SEARCH \w+ USING COVERING INDEX \w+ \((?:workspace|tag|stage)_id=\?\)$/,
    why: "For foreign keys, as above: with a trigger on the table SQLite plans it, and skips it.",
  },
  {
    statement: /^DELETE FROM (?:tags|stages) WHERE id = /,
    step: /^SEARCH \w+ USING COVERING INDEX \w+ \((?:tag|stage)_id=\?\)$/,
    why: "For foreign keys: a label goes last, when nothing has it any more.",
  },
  {
    statement: /^DELETE FROM \w+ WHERE rowid > \?1 AND rowid <= \?2 AND workspace_id/,
    step: /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/,
    why: "A slice of 5,000 rows, of a workspace that is deleted: record 30.",
  },
  {
    statement: /^DELETE FROM (?:tags|stages|members) WHERE rowid IN/,
    step: /^SEARCH \w+ USING COVERING INDEX \w+ \((?:tag|stage|member)_id=\?\)$/,
    why: "For foreign keys: of a workspace that is deleted, what names them is gone already.",
  },
  {
    statement: /^DELETE FROM workspaces WHERE id = /,
    step: /^SEARCH \w+ USING COVERING INDEX \w+ \(workspace_id=\?\)$/,
    why: "For foreign keys: it goes last, when it has nothing any more.",
  },
  {
    statement: /erasures_open/,
    step: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: "The longest waiting erasure of each workspace that has an open one, the oldest first.",
  },
  {
    statement: /^WITH event AS MATERIALIZED/,
    step: /^(?:USE TEMP B-TREE FOR DISTINCT|SEARCH kind USING AUTOMATIC .*)$/,
    why: "What one insertion brings: of its events the types and channels, each once.",
  },
  {
    statement: /INSERT INTO target_metrics/,
    step: /^USE TEMP B-TREE FOR GROUP BY$/,
    why: "The ended attempts of a lane's batch, a hundred or so, and the buckets of an hour, 54.",
  },
  {
    statement: /^UPDATE workspace_usage SET recounted_bytes/,
    step: /^USE TEMP B-TREE FOR GROUP BY$/,
    why: "A slice of the recount, a thousand records by their key, is added up by workspace.",
  },
  {
    statement: /^UPDATE workspace_usage SET files = found\.files/,
    step: /^(?:SEARCH record USING INDEX files_workspace \(workspace_id=\?\) LEFT-JOIN|USE TEMP B-TREE FOR GROUP BY)$/,
    why: "A slice of the recount: workspaces that have 20,000 files together, or one of them.",
  },
  {
    statement:
      /FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces\.id = used\.id(?: ORDER BY used\.stored_bytes DESC, used\.id LIMIT \?1)?$/,
    step: /^(?:SCAN used|USE TEMP B-TREE FOR ORDER BY)$/,
    why: "The operator's overview: all workspaces, a row each, when somebody looks at it.",
  },
  {
    statement: /^INSERT INTO click_moves|FROM click_moves CROSS JOIN/,
    step: /^USE TEMP B-TREE FOR GROUP BY$/,
    why: "A slice of clicks on their way to the ledgers, a thousand by their key.",
  },
  {
    statement: /^INSERT INTO click_moves/,
    step: /^SCAN click_moves USING COVERING INDEX \w+$/,
    why: "The moves on their way: 20 that were refused, and those of a slice.",
  },
];

/** Likewise of Durable Objects, whose SQLite is one workspace's, one target's, one form's. */
export const EXCEPTIONS_OF_OBJECTS: Exception[] = [
  {
    statement: /\b(?:sqlite_master|pragma_\w+)\b/,
    step: /^SCAN sqlite_master$/,
    why: "What tables there are: a few.",
  },
  {
    statement: /window_counts/,
    step: /^SCAN window_counts$/,
    why: "A row for each key that sent something lately, and two.",
  },
  {
    statement: /FROM request_counts WHERE count > 0 GROUP BY subject/,
    step: /^(?:SCAN request_counts|USE TEMP B-TREE FOR .+)$/,
    why: "Once, in an object that was deployed before 2026-11-22.",
  },
  {
    statement: /^DELETE FROM kept_answers WHERE answer_end < /,
    step: /^SEARCH kept_answers USING INTEGER PRIMARY KEY \(rowid<\?\)$/,
    why: "What one more answer pushes out, which is as much as it brings.",
  },
  {
    statement:
      /^(?:SELECT entry FROM entries ORDER BY id|SELECT attempt, is_over FROM attempts|DELETE FROM (?:entries|attempts))$/,
    step: /^SCAN (?:entries|attempts)$/,
    why: "What a lane that died had under way: some 50 rows, by MOST_ROWS.",
  },
  {
    statement: /^(?:SELECT at FROM posts|DELETE FROM posts)/,
    step: /^SEARCH posts USING (?:COVERING )?INDEX posts_(?:address|network|at) \(/,
    why: "What is within an hour, five of an address; each is deleted once.",
  },
  {
    statement: /FROM tries/,
    step: /^(?:SCAN tries|SEARCH tries USING INDEX tries_network \(network=\? AND is_right=\? AND at>\?\)|USE TEMP B-TREE FOR ORDER BY)$/,
    why: "A minute of those that were right, an hour of the others, of whom 300 and one every 3 s are let in.",
  },
  { statement: /FROM budget$/, step: /^SCAN budget$/, why: "It has one row." },
  {
    statement: /FROM (?:inbox|waiting(?:_4)?|faulted) ORDER BY id LIMIT /,
    step: /^SCAN (?:inbox|waiting(?:_4)?|faulted)$/,
    why: "The first so many, in the table's own order.",
  },
  {
    statement: /^DELETE FROM (?:inbox|waiting(?:_4)?|faulted) WHERE (?:id <= |time < )/,
    step: /^(?:SCAN faulted|SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid<\?\))$/,
    why: "The batch that was just counted; of those set aside there are a thousand.",
  },
  {
    statement: /^DELETE FROM new_terms WHERE day < /,
    step: /^SEARCH new_terms USING INTEGER PRIMARY KEY \(rowid<\?\)$/,
    why: "A row of each day, until the next.",
  },
  {
    statement: /^SELECT key, body FROM counts WHERE key >= /,
    step: /^SEARCH counts USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/,
    why: "A day of a workspace; a question that reads too much ends while it reads.",
  },
];

/** How many columns each unique index has, by its name: given all of them it finds one row. */
export type UniqueIndexes = ReadonlyMap<string, number>;

/** The steps of a plan that read more than is asked for, each with what is wrong with it. */
export function faultsOf(
  statement: string,
  steps: string[],
  unique: UniqueIndexes,
  exceptions = EXCEPTIONS,
): string[] {
  return steps.flatMap((step) => {
    const fault = faultOf(statement, step, steps, unique);
    if (!fault) return [];
    const isException = exceptions.some(
      (one) => one.statement.test(statement) && one.step.test(step),
    );
    return isException ? [] : [`${fault}: ${step}`];
  });
}

function faultOf(
  statement: string,
  step: string,
  steps: string[],
  unique: UniqueIndexes,
): string | undefined {
  if (step.startsWith("SCAN ")) return scanFault(statement, step, steps, unique);
  if (step.startsWith("USE TEMP B-TREE")) return "sorts";
  if (step.includes("AUTOMATIC")) return "indexes a whole table first";
  const search = searchIn(step);
  if (!search || findsFew(step, search, unique)) return undefined;
  if (isPaged(statement, search.name, steps, unique)) return undefined;
  return "reads all that has a part of a key, or a range";
}

interface Search {
  name: string;
  index: string;
  by: string;
}

function searchIn(step: string): Search | undefined {
  const search = /^SEARCH (\S+) USING .*?(?:INDEX (\w+) )?\(([^()]*(?:\(.*)?)\)(?: LEFT-JOIN)?$/;
  const [, name, index, by = ""] = search.exec(step) ?? [];
  // A table WITHOUT ROWID is its own primary key, which its list of indexes names so.
  const ofTable = step.includes("USING PRIMARY KEY") ? `sqlite_autoindex_${name}_1` : "";
  return name === undefined ? undefined : { name, index: index ?? ofTable, by };
}

function findsFew(step: string, search: Search, unique: UniqueIndexes): boolean {
  return findsOne(search, unique) || FEW.some((few) => few.test(step));
}

/** Whether a search is by an id, or by all columns of what is unique. */
function findsOne({ index, by }: Search, unique: UniqueIndexes): boolean {
  const terms = by.split(" AND ");
  if (terms.some((term) => /^(?:id|rowid)=\?$/.test(term))) return true;
  return terms.every((term) => term.endsWith("=?")) && terms.length === unique.get(index);
}

/**
 * Whether each SELECT that reads a table ends early, but for as many as find one row or few: a LIMIT
 * elsewhere ends nothing of it.
 */
function isPaged(statement: string, name: string, steps: string[], unique: UniqueIndexes): boolean {
  const reading = scopesOf(statement).filter((scope) => isReadIn(scope, name));
  const endless = reading.filter((scope) => !endsEarly(scope)).length;
  const small = steps.filter((step) => {
    const search = searchIn(step);
    return search?.name === name && findsFew(step, search, unique);
  });
  return reading.length > 0 && endless <= small.length;
}

/** Of what is scanned only the database's own tables grow: not parameters, nor what is found first. */
function scanFault(
  statement: string,
  step: string,
  steps: string[],
  unique: UniqueIndexes,
): string | undefined {
  const [, name = ""] = /^SCAN (\S+)/.exec(step) ?? [];
  const isBounded =
    step.includes("VIRTUAL TABLE") ||
    name === "CONSTANT" ||
    // The rows that the statement itself writes out.
    / \d+-ROW VALUES CLAUSE$/.test(step) ||
    name.startsWith("(") ||
    steps.some((one) => one === `CO-ROUTINE ${name}` || one === `MATERIALIZE ${name}`);
  // A page in the order of an index: nothing is left out, so no more is read than is answered.
  const isPage =
    / USING .*INDEX /.test(step) &&
    isPaged(statement, name, steps, unique) &&
    !/\bWHERE\b/i.test(statement);
  return isBounded || isPage ? undefined : "scans";
}
