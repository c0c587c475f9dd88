import pMap from "p-map";
import type { PlatformContext } from "../../../platform/context/context.ts";
import { newId } from "../../../platform/ids.ts";
import { type Share, workInSlices } from "../../../platform/slices.ts";
import { withoutAddress } from "../../../visitor/clicks/address-host.ts";
import {
  beginMoves,
  beginTotalMoves,
  type ClickMove,
  endMove,
  findMoves,
  type MovedRow,
} from "./click-moves.repository.ts";
import { ledgerOf } from "./ledger-client.ts";
import { type CountedHits, SLOT_MILLISECONDS, type TrafficKind } from "./ledger-shapes.ts";

/** 500 rows a second, more where the database is idle. */
const SHARE: Share = { rows: 1000, slices: 30 };
const MOVES_READ = 20;
/** Ledgers that refuse stop no others: new moves begin while fewer than these wait. */
const MOVES_WAITING = 20;
const LEDGERS_AT_ONCE = 4;

/**
 * Moves the clicks that were counted in the database before 2026-11-22 into the ledgers. A move is
 * written down with what it takes out of the counts, and its id is its packet's: whatever ends a
 * run, the next one hands it over again, and it counts once.
 */
export async function moveClicks(ctx: PlatformContext): Promise<void> {
  // Each move is tried once a run.
  let last: ClickMove | undefined;
  let lastTotal = "";
  let refused = 0;
  await workInSlices(ctx, SHARE, async (limit) => {
    let moves = await findMoves(ctx.db, MOVES_READ, last);
    if (moves.length === 0) {
      if (refused >= MOVES_WAITING) return 0;
      if ((await beginMoves(ctx.db, newId(), limit)) === 0) {
        const reached = await beginTotalMoves(ctx.db, newId(), { after: lastTotal, limit });
        if (reached === undefined) return 0;
        lastTotal = reached;
      }
      moves = await findMoves(ctx.db, MOVES_READ, last);
    }
    last = moves.at(-1) ?? last;
    const ended = await pMap(moves, (move) => handOver(ctx, move), {
      concurrency: LEDGERS_AT_ONCE,
    });
    refused += ended.filter((isDone) => !isDone).length;
    return limit;
  });
}

/** Whether it went well: one that does not holds up none of the others. */
async function handOver(ctx: PlatformContext, move: ClickMove): Promise<boolean> {
  const { id, workspaceId, rows } = move;
  try {
    // Counted before the totals lose it: so what is shown of a link is never too low.
    await ledgerOf(ctx.env, workspaceId).countNow({ id, hits: rows.map(toHits) });
    await endMove(ctx.db, move);
    return true;
  } catch (fault) {
    ctx.log.error("click_move_failed", { workspace: workspaceId, move: id, fault });
    return false;
  }
}

function toHits([id, hour, kind, country, device, referrer, hits]: MovedRow): CountedHits {
  return {
    subject: "link",
    id,
    slot: Math.floor(hour / SLOT_MILLISECONDS),
    count: "clicks",
    traffic: kind as TrafficKind,
    properties: { country, device, referrer: withoutAddress(referrer) },
    hits,
    visitors: [],
  };
}
