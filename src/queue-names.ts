/** `-dead`: of dead letters; behind it the environment's name, which production has not. */
const QUEUE = /^(signpost-(?:clicks|events|messages|pixel-events))(-dead)?(?:-[a-z0-9]+)?$/;

/** The queue's name in production, without `-dead`; undefined: it is no queue of Signpost's. */
export function readQueueName(queue: string): { name: string; isDead: boolean } | undefined {
  const [, name, dead] = QUEUE.exec(queue) ?? [];
  return name === undefined ? undefined : { name, isDead: dead !== undefined };
}
