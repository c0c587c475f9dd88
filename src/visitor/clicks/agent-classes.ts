import { type Agent, type AgentClass, agentOf, isCrawler } from "./visitor-kind.ts";

const MAX_KNOWN = 2000;
/** Learnt in one go: to tell a class takes long, and visitors' requests wait. */
const LEARNT_AT_ONCE = 40;
/** New agents of one sending: more are made up, and counted without device, browser and system. */
export const MAX_LEARNT = 400;

export interface KnownAgent {
  /** The same text each time: what is looked up by it need not be compared. */
  userAgent: string;
  class: AgentClass;
}

/** Classes of user agents (same kind, device, browser, system), so that their hits add up. */
export class AgentClasses {
  readonly #classes = new Map<string, AgentClass>();
  readonly #known = new Map<string, KnownAgent>();

  /** What is known of a user agent; undefined of one that is not learnt yet. */
  recall(userAgent: string): KnownAgent | undefined {
    return this.#known.get(userAgent);
  }

  /** What a user agent is counted as. What is new to it is taken from `budget`. */
  async classOf(userAgent: string, budget: { left: number }): Promise<AgentClass> {
    const known = this.#known.get(userAgent);
    if (known) return known.class;
    if (budget.left === 0) return this.#glance(userAgent);
    if (--budget.left % LEARNT_AT_ONCE === 0) await scheduler.wait(0);
    return this.#learn(userAgent);
  }

  #learn(userAgent: string): AgentClass {
    const learnt = this.#classOf(agentOf(userAgent));
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(userAgent, { userAgent, class: learnt });
    return learnt;
  }

  #glance(userAgent: string): AgentClass {
    return this.#classOf({ isCrawler: isCrawler(userAgent), device: "", browser: "", os: "" });
  }

  #classOf(agent: Agent): AgentClass {
    const name = `${agent.isCrawler}\n${agent.device}\n${agent.browser}\n${agent.os}`;
    const known = this.#classes.get(name) ?? agent;
    this.#classes.set(name, known);
    return known;
  }
}
