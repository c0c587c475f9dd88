/** Which writes of many come first, and which share no batch. */
import type { ClientContext } from "../../../platform/context/context.ts";
import { isBeingOptedOut, isOptOut, undoesOptOut } from "./consented-writes.ts";
import { isGrowing } from "./contact-size.ts";
import type { ContactWrite } from "./contact-writes.repository.ts";

/** In groups, as they are to be written: see the two orders below. */
export function inOrder(ctx: ClientContext, writes: ContactWrite[]): ContactWrite[][] {
  const placed = writes.map((write) => ({ write, place: 3 * turnOf(ctx, write) + needOf(write) }));
  const places = [...new Set(placed.map(({ place }) => place))].sort((a, b) => a - b);
  return places.map((place) =>
    placed.filter((one) => one.place === place).map(({ write }) => write),
  );
}

/** Who opts out wins over who undoes that, whichever row comes first; the rest meets the list then. */
function turnOf(ctx: ClientContext, write: ContactWrite): number {
  if (undoesOptOut(ctx, write)) return 0;
  return isOptOut(write) ? 1 : 2;
}

/**
 * One write that is refused for want of room takes its whole batch with it: those that may never be
 * refused are apart, and so are those that need no room.
 */
function needOf(write: ContactWrite): number {
  const { before, contact } = write;
  if (!before || isGrowing(before, contact)) return 2;
  return isBeingOptedOut(write) ? 0 : 1;
}
