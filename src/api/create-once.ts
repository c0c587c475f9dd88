import type { Context } from "../platform/context/context.ts";
import { isUniqueConflict } from "../platform/db/faults.ts";
import { newId } from "../platform/ids.ts";

/**
 * Makes the record of a request, once however often the request is run. The gate gives every run
 * the same id: a run that follows one that was cut off finds what that one committed, and one
 * that loses a race to its twin finds the twin's. `insert` must fail with a unique conflict when
 * the id stands; `taken` is thrown when it was something else that stood.
 */
export async function createOnce<Made>(
  ctx: Context,
  work: {
    find: (id: string) => Promise<Made | undefined>;
    insert: (id: string) => Promise<Made>;
    taken?: (conflict: unknown) => Error;
  },
): Promise<Made> {
  const { id, resumed } = ctx.creates ?? { id: newId(), resumed: false };
  const made = resumed ? await work.find(id) : undefined;
  if (made) return made;
  try {
    return await work.insert(id);
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    const twin = await work.find(id);
    if (twin) return twin;
    throw work.taken?.(error) ?? error;
  }
}
