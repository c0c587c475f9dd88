import { deviceOf, isCrawler } from "./visitor-kind.ts";

const MAX_KNOWN = 2000;
/** New agents looked at in one go: to tell a class takes long, and visitors' requests wait. */
const MAX_LEARNT_AT_ONCE = 40;

/**
 * User agents that are counted alike (same kind, same device): the first that is met of a class
 * stands for all of it, so that their clicks add up before they are sent.
 */
export class AgentClasses {
  readonly #firstOfClass = new Map<string, string>();
  readonly #known = new Map<string, string>();

  /** What stands for a user agent; an agent that is not learnt yet stands for itself. */
  recall(userAgent: string): string {
    return this.#known.get(userAgent) ?? userAgent;
  }

  /** Learns the classes of the first few of some user agents; whether any was new. */
  learn(userAgents: Iterable<string>): boolean {
    let learnt = 0;
    for (const userAgent of userAgents) {
      if (this.#known.has(userAgent)) continue;
      if (++learnt > MAX_LEARNT_AT_ONCE) break;
      const name = `${isCrawler(userAgent)} ${deviceOf(userAgent)}`;
      const first = this.#firstOfClass.get(name) ?? userAgent;
      this.#firstOfClass.set(name, first);
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(userAgent, first);
    }
    return learnt > 0;
  }
}
