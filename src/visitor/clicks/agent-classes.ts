import { deviceOf, isCrawler } from "./visitor-kind.ts";

const MAX_KNOWN = 2000;
/** New agents looked at in one go: to tell a class takes long, and visitors' requests wait. */
const MAX_LEARNT_AT_ONCE = 40;

/** User agents that are counted alike, by the first that was met of them. */
export interface AgentClass {
  first: string;
  /** Short, and like no user agent. */
  key: string;
}

/**
 * User agents that are counted alike (same kind, same device): the first that is met of a class
 * stands for all of it, so that their clicks add up before they are sent.
 */
export class AgentClasses {
  readonly #classes = new Map<string, AgentClass>();
  readonly #known = new Map<string, AgentClass>();

  /** What a user agent is counted as; undefined of one that is not learnt yet. */
  recall(userAgent: string): AgentClass | undefined {
    return this.#known.get(userAgent);
  }

  /** Learns the classes of the first few of some user agents; whether any was new. */
  learn(userAgents: Iterable<string>): boolean {
    let learnt = 0;
    for (const userAgent of userAgents) {
      if (this.#known.has(userAgent)) continue;
      if (++learnt > MAX_LEARNT_AT_ONCE) break;
      const name = `${isCrawler(userAgent)} ${deviceOf(userAgent)}`;
      // No header holds a line's end.
      const first = { first: userAgent, key: `\n${this.#classes.size}` };
      const known = this.#classes.get(name) ?? first;
      this.#classes.set(name, known);
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(userAgent, known);
    }
    return learnt > 0;
  }
}
