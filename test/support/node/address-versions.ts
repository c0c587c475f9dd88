/** What visitors may see at an address: all that ever was there, and for how long. */

/** What visitors saw at an address from one change on. */
interface Version {
  answer: string;
  /** When the next change was sent to be made: it was so until then at least. */
  until: number;
  /** When the change was answered. */
  madeAt: number;
  /** Made through the API of the isolate that writes, which is to know of it at once. */
  isOwn: boolean;
}

/** An address, with all that ever was there. */
export interface Place {
  host: string;
  path: string;
  versions: Version[];
  changedAt: number;
}

/** An answer, and how it compares with what was there. */
export interface Judgement {
  /** It was never there. */
  isUnheardOf: boolean;
  /** How long ago what was seen had ended when the answer came; 0 when it had not. */
  ageMilliseconds: number;
  /** Nothing else that was there ever looks like it: so that age is certain. */
  isUnique: boolean;
  /** It is of before a change that the API of the isolate that writes had answered by then. */
  isBeforeOwn: boolean;
}

/** By then nobody sees any more what was there: so what looks like it is not taken for it. */
const FORGOTTEN_MILLISECONDS = 20_000;

export function newPlace(host: string, path: string, answer: string): Place {
  const first = { answer, until: Infinity, madeAt: 0, isOwn: false };
  return { host, path, versions: [first], changedAt: 0 };
}

/** Whether what is there next may look so: nothing that did was there lately. */
export function mayBecome({ versions }: Place, answer: string): boolean {
  const since = performance.now() - FORGOTTEN_MILLISECONDS;
  return versions.every((one) => one.answer !== answer || one.until < since);
}

/** Notes what is there from now on. What was there ends when the change is sent. */
export async function becomes(
  places: [Place, string][],
  change: () => Promise<unknown>,
  { isOwn }: { isOwn: boolean },
): Promise<void> {
  const sentAt = performance.now();
  const next: Version[] = [];
  for (const [place, answer] of places) {
    const last = place.versions.at(-1);
    if (last) last.until = sentAt;
    const version = { answer, until: Infinity, madeAt: Infinity, isOwn };
    place.versions.push(version);
    next.push(version);
    place.changedAt = sentAt;
  }
  await change();
  for (const version of next) version.madeAt = performance.now();
}

/** Judges what was seen at an address, by when it was asked for and answered. */
export function judge(
  { versions }: Place,
  answer: string,
  askedAt: number,
  answeredAt: number,
): Judgement {
  const at = versions.findLastIndex((one) => one.answer === answer);
  const until = versions[at]?.until ?? Number.NaN;
  const later = versions.slice(at + 1);
  return {
    isUnheardOf: at < 0,
    ageMilliseconds: until < askedAt ? answeredAt - until : 0,
    isUnique: versions.filter((one) => one.answer === answer).length === 1,
    isBeforeOwn: later.some(({ isOwn, madeAt }) => isOwn && madeAt < askedAt),
  };
}
