import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now } from "../../../platform/time.ts";
import { countOn, NOTHING_COUNTED, type ScanBudget } from "../contacts/contact-scan.ts";
import type { ContactSelection } from "../contacts/contact-selection.ts";
import {
  endRound,
  findSegmentAfter,
  keepCount,
  pauseRound,
  type TakenRound,
  takeDueRound,
} from "./recounts.repository.ts";
import { scanOf } from "./segment-scan.ts";
import type { RoundProgress } from "./segments.table.ts";

/** Of a minute, whose jobs share the thousand queries of their invocation. */
const JOB_MILLISECONDS = 10_000;
const JOB_QUERIES = 250;
/** Of a workspace, before the others that wait have theirs. */
const TURN_MILLISECONDS = 250;
const COUNTS_A_TURN = 50;
/** One takes the round, one ends it or lets it go. */
const QUERIES_A_TURN = 2;
/** Of a segment, before the turn is judged again. */
const COUNT: ScanBudget = { rowsRead: 50_000, milliseconds: 100 };
/** Longer than a job: then whoever took the round is dead. */
const LEASE_MILLISECONDS = 120_000;
/** Between two rounds of a workspace. */
const LEAST_REST_MILLISECONDS = 60_000;
/** A hundred times the work of the last round, so that no workspace's counts take more than 1 %. */
const REST_MILLISECONDS_A_MICROSECOND = 0.1;
/** Segments by inactivity and the like change with no contact changing. */
const TIMED_MILLISECONDS = 6 * 60 * 60_000;

const NEW_ROUND: RoundProgress = {
  doneId: "",
  counting: null,
  ...NOTHING_COUNTED,
  isTimed: false,
};

/** What is left of the job's queries: the turn that takes the last of them lets go of its round. */
interface Share {
  queries: number;
}

/** Counts the segments of workspaces where something changed, in turns, until its share is used up. */
export async function recountSegments(ctx: PlatformContext): Promise<void> {
  const endsAt = now() + JOB_MILLISECONDS;
  const share = { queries: JOB_QUERIES };
  // A round that was let go in this very millisecond is due too: the clock of tests may stand.
  while (share.queries > QUERIES_A_TURN && now() <= endsAt) {
    const round = await takeDueRound(ctx.db, now(), now() + LEASE_MILLISECONDS);
    if (!round) return;
    share.queries -= QUERIES_A_TURN;
    const work = inWorkspace(ctx, round.workspaceId);
    await takeTurn(work, round, share).catch((fault: unknown) => noteFault(work, fault));
  }
}

/** How long a workspace rests after a round of so much work. */
export function restAfter(microseconds: number): number {
  return Math.max(LEAST_REST_MILLISECONDS, microseconds * REST_MILLISECONDS_A_MICROSECOND);
}

/** Counts one workspace's segments for a turn. Whoever dies in here leaves a lease that lapses. */
async function takeTurn(ctx: Context, round: TakenRound, share: Share): Promise<void> {
  const endsAt = now() + TURN_MILLISECONDS;
  let progress = round.progress ?? NEW_ROUND;
  const isOver = () => share.queries <= 0 || now() > endsAt;
  for (let counted = 0; counted < COUNTS_A_TURN && !isOver(); counted++) {
    const next = await countNext(ctx, progress, share);
    if (!next) {
      const nextAt = progress.isTimed ? now() + TIMED_MILLISECONDS : null;
      return endRound(ctx.db, round, now() + restAfter(progress.work), nextAt);
    }
    progress = next;
  }
  await pauseRound(ctx.db, round, progress, now());
}

/** Counts on in the next segment that is not done; undefined if there is none. */
async function countNext(
  ctx: Context,
  progress: RoundProgress,
  share: Share,
): Promise<RoundProgress | undefined> {
  share.queries--;
  const segment = await findSegmentAfter(ctx.db, ctx.workspaceId, progress.doneId);
  if (!segment) return undefined;
  const isTimed = progress.isTimed || dependsOnTime(segment);
  const { id, revision } = segment;
  const done = { ...NEW_ROUND, doneId: id, isTimed };
  const isBegun = progress.counting?.id === id;
  // One that was changed since is the next round's: so no round goes on for ever, without its rest.
  if (isBegun && progress.counting?.revision !== revision) return { ...done, work: progress.work };
  const begun = isBegun ? progress : { ...NOTHING_COUNTED, work: progress.work };
  try {
    const { queries, ...counted } = await countOn(ctx, scanOf(segment), begun, COUNT);
    share.queries -= queries;
    const counting = { id, revision };
    if (counted.beforeId !== null) return { ...progress, ...counted, counting, isTimed };
    share.queries--;
    await keepCount(ctx.db, segment, counted.found, now());
    return { ...done, work: counted.work };
  } catch (fault) {
    noteFault(ctx, fault, segment.id);
    return { ...done, work: progress.work };
  }
}

/** One that cannot be counted stops no other; a database that has too much to do ends the job. */
function noteFault(ctx: Context, fault: unknown, segmentId?: string): void {
  if (isOverload(fault)) throw fault;
  ctx.log.error("segment_count_faulted", { record: segmentId, fault });
}

/** Whether contacts come into a segment, or leave it, though nobody changes them. */
function dependsOnTime({ minDaysInactive, conditions }: ContactSelection): boolean {
  const rules = conditions?.groups.flatMap((group) => group.rules) ?? [];
  return Boolean(minDaysInactive) || rules.some(({ op }) => TIMED_OPERATORS.has(op));
}

const TIMED_OPERATORS = new Set(["within_last", "more_than_ago"]);
