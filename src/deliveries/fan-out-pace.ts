/**
 * What this isolate knows of workspaces' turns: whose is under way, and how much each may have made
 * at once. All of it hints: D1 says what waits, and the minute's sweep finds what is forgotten here.
 */
import { now } from "../platform/time.ts";

/** So many deliveries a workspace has made as fast as it goes; then so many a second. */
export const BURST = 5000;
export const A_SECOND = 250;
/** The message that ends a rest may come a little early. */
const FORGIVEN = A_SECOND / 10;
/** A turn that gave no sign for so long was cut off with its request. */
const STALE_MILLISECONDS = 15_000;
const MOST_KNOWN = 1000;

/** A workspace's turn, while it is under way. */
export interface Turn {
  /** An event of which a message told meanwhile: the turn is to look again. */
  asked: string | undefined;
  /** Deliveries so far. */
  made: number;
  startedAt: number;
  seenAt: number;
}

interface Pace {
  turn: Turn | undefined;
  /** Deliveries that may be made at once, as of a time; below zero, the workspace rests. */
  credit: number;
  asOf: number;
}

const paces = new Map<string, Pace>();

/**
 * Begins a workspace's turn, unless one is under way, which then looks again for the `event`, or the
 * workspace rests, which ends with a message of its own. No request waits for another's.
 */
export function beginTurn(workspaceId: string, event: string): Turn | undefined {
  const time = now();
  const known = paces.get(workspaceId);
  if (!known && paces.size >= MOST_KNOWN) forgetRested(time);
  const pace = known ?? { turn: undefined, credit: BURST, asOf: time };
  if (creditOf(pace, time) < -FORGIVEN) return undefined;
  if (isUnderWay(pace.turn, time)) {
    pace.turn.asked = event;
    return undefined;
  }
  const turn = { asked: undefined, made: 0, startedAt: time, seenAt: time };
  paces.set(workspaceId, { ...pace, turn });
  return turn;
}

/**
 * Ends a turn; how many seconds the workspace rests then. Whoever is told so has it go on
 * afterwards: whatever comes meanwhile begins no turn.
 */
export function endTurn(workspaceId: string, turn: Turn): number {
  const time = now();
  const pace = paces.get(workspaceId);
  // It was taken for cut off, or forgotten.
  if (pace?.turn !== turn) return 0;
  const credit = creditOf(pace, time) - turn.made;
  paces.set(workspaceId, { turn: undefined, credit, asOf: time });
  return credit < -FORGIVEN ? Math.ceil(-credit / A_SECOND) : 0;
}

function isUnderWay(turn: Turn | undefined, time: number): turn is Turn {
  return turn !== undefined && time - turn.seenAt < STALE_MILLISECONDS;
}

/** Forgets workspaces of which there is nothing to know: the others are busy, or were just now. */
function forgetRested(time: number): void {
  for (const [id, pace] of paces) {
    if (!isUnderWay(pace.turn, time) && creditOf(pace, time) === BURST) paces.delete(id);
  }
}

function creditOf({ credit, asOf }: Pace, time: number): number {
  return Math.min(BURST, credit + ((time - asOf) / 1000) * A_SECOND);
}
