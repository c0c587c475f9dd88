/** What follows the deletion of a label: it is taken from its contacts, in slices. */
import {
  type Context,
  inWorkspace,
  type PlatformContext,
} from "../../../platform/context/context.ts";
import { findDeletedRows, findWorkspacesWithDeleted } from "../../../platform/db/deleted-rows.ts";
import { isOverload } from "../../../platform/overload.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { forgetLabel } from "./label-removal.repository.ts";
import type { LabelKind, LabelUsers } from "./labels.ports.ts";

const KINDS: LabelKind[] = ["tag", "stage"];
const CONTACTS_A_SLICE = 500;
/** 208 contacts a second. */
const SLICES_A_MINUTE = 25;
/** A slice, with its events, takes about half a second. */
const MILLISECONDS_A_MINUTE = 25_000;
/** For a label that few have this is all. */
const SLICES_AT_ONCE = 2;
const WORKSPACES_A_MINUTE = 200;
const LABELS_OF_A_WORKSPACE = 20;

export interface Removal {
  kind: LabelKind;
  id: string;
}

type Taking = Pick<LabelUsers, "takeLabel">;

/** A label on its way out: where the look at its contacts is, and how many it took so far. */
interface Pass extends Removal {
  after: string;
  taken: number;
}

/** Takes a label that was deleted just now from its first contacts; the job takes the others. */
export async function beginRemoval(ctx: Context, removal: Removal, users: Taking): Promise<void> {
  const pass = startPass(removal);
  for (let slices = 0; slices < SLICES_AT_ONCE; slices++) {
    if (!(await takeSlice(ctx, pass, users))) return;
  }
}

/**
 * Takes deleted labels from their contacts. What is left of one is in the database alone, so that
 * whoever dies here is gone on from; workspaces take turns, a slice each.
 */
export async function removeDeletedLabels(ctx: PlatformContext, users: Taking): Promise<void> {
  const isTimeUp = shareOfTime(MILLISECONDS_A_MINUTE);
  const turns = shuffle(await findTurns(ctx));
  for (let slices = 0; slices < SLICES_A_MINUTE && !isTimeUp(); slices++) {
    const turn = turns.shift();
    if (!turn) return;
    if (await takeTurn(turn, users)) turns.push(turn);
  }
  if (turns.length > 0) ctx.log.info("work_left", { workspaces: turns.length });
}

interface Turn {
  ctx: Context;
  kinds: LabelKind[];
  /** Undefined until it is its first turn. */
  passes: Pass[] | undefined;
}

async function findTurns(ctx: PlatformContext): Promise<Turn[]> {
  const turns = new Map<string, Turn>();
  for (const kind of KINDS) {
    for (const id of await findWorkspacesWithDeleted(ctx.db, `${kind}s`, WORKSPACES_A_MINUTE)) {
      const turn = turns.get(id) ?? { ctx: inWorkspace(ctx, id), kinds: [], passes: undefined };
      turn.kinds.push(kind);
      turns.set(id, turn);
    }
  }
  return [...turns.values()];
}

/** One slice of a workspace's; whether it is to have another turn. */
async function takeTurn(turn: Turn, users: Taking): Promise<boolean> {
  try {
    turn.passes ??= await findPasses(turn);
    const [pass] = turn.passes;
    if (pass && !(await takeSlice(turn.ctx, pass, users))) turn.passes.shift();
    return turn.passes.length > 0;
  } catch (fault) {
    if (isOverload(fault)) throw fault;
    turn.ctx.log.error("label_removal_faulted", { record: turn.passes?.[0]?.id, fault });
    turn.passes?.shift();
    return Boolean(turn.passes?.length);
  }
}

async function findPasses({ ctx, kinds }: Turn): Promise<Pass[]> {
  const ofKinds = kinds.map(async (kind) => {
    const ids = await findDeletedRows(ctx.db, `${kind}s`, ctx.workspaceId, LABELS_OF_A_WORKSPACE);
    return ids.map((id) => startPass({ kind, id }));
  });
  return (await Promise.all(ofKinds)).flat();
}

function startPass({ kind, id }: Removal): Pass {
  return { kind, id, after: "", taken: 0 };
}

/**
 * Takes a label from the next contacts. It is forgotten once a look from the first on finds none;
 * those that others changed meanwhile are met by that look. Whether there is more to do now.
 */
async function takeSlice(ctx: Context, pass: Pass, users: Taking): Promise<boolean> {
  const page = { after: pass.after, limit: CONTACTS_A_SLICE };
  const { found, taken, last } = await users.takeLabel(ctx, pass, page);
  pass.taken += taken;
  if (found === 0 && pass.after === "") {
    await forgetLabel(ctx.db, pass.kind, ctx.workspaceId, pass.id);
    return false;
  }
  if (found === CONTACTS_A_SLICE && last !== undefined) {
    pass.after = last;
    return true;
  }
  if (pass.taken === 0) return false;
  Object.assign(pass, startPass(pass));
  return true;
}

/** So that, should they be too many for a minute, chance shares it out. */
function shuffle<T>(all: T[]): T[] {
  return all
    .map((one) => ({ one, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
