/** Random histories of who wants which events, and what each receiver is to have got by then. */
import fc from "fast-check";

const MESSAGE_RECEIVED = "salesbot.message.received";

/** What is published, each with the data that `GET /events` gives as its sample. */
export const PUBLISHED = [
  { event: "publishing.post.published", channel: "all" },
  { event: "publishing.post.failed", channel: "all" },
  { event: MESSAGE_RECEIVED, channel: "sms" },
  { event: MESSAGE_RECEIVED, channel: "email" },
];
export type Published = (typeof PUBLISHED)[number];

const ENDPOINTS = ["first", "second"] as const;
const HOOKS = [
  { name: "hook-of-posts", event: "publishing.post.published" },
  { name: "hook-of-messages", event: MESSAGE_RECEIVED },
] as const;

export type Step =
  | { do: "publish"; what: Published }
  | { do: "create"; endpoint: string; wants: Published[] }
  | { do: "change"; endpoint: string; wants: Published[] }
  | { do: "resume" | "pause" | "delete"; endpoint: string }
  | { do: "subscribe"; hook: string; event: string }
  | { do: "unsubscribe"; hook: string }
  | { do: "wait"; milliseconds: number };

const endpoint = fc.constantFrom(...ENDPOINTS);
const wants = fc.subarray(PUBLISHED, { minLength: 2 });
const hook = fc.constantFrom(...HOOKS).map(({ name, event }) => ({ hook: name, event }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant("publish"), what: fc.constantFrom(...PUBLISHED) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("create"), endpoint, wants }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("change"), endpoint, wants }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("resume"), endpoint }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pause"), endpoint }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete"), endpoint }) },
  { weight: 3, arbitrary: hook.map((which) => ({ do: "subscribe" as const, ...which })) },
  { weight: 2, arbitrary: hook.map(({ hook }) => ({ do: "unsubscribe" as const, hook })) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait"), milliseconds: fc.nat(200) }),
  },
);

export function sampleScenarios(count: number, seed: number): Step[][] {
  const scenario = fc.array(step, { minLength: 40, maxLength: 70 });
  return fc.sample(scenario, { numRuns: count, seed });
}

/** One endpoint or hook, from its making to its end. */
interface Target {
  name: string;
  isOn: boolean;
  wants: Published[];
  /** Ids of events that it wanted, published since it was last switched on. */
  owed: Set<string>;
}

/** What one receiver may have got: each is an id of an event. */
export interface Expected {
  /** It has these: its target has been there and on, without a break, since they happened. */
  must: Set<string>;
  /** It may have these: they were wanted, and then their target was paused or went. */
  may: Set<string>;
}

/**
 * Who wants what, as a sequence of answered requests leaves it. A target is to get exactly the
 * events that it was subscribed to, and switched on for, when they were published. What has not
 * gone out yet when it is paused or deleted ends there; unsubscribing takes nothing back.
 */
export class Subscriptions {
  readonly expected = new Map<string, Expected>();
  readonly #targets = new Map<string, Target>();

  /** Whether a step changes anything that there is. */
  isPossible(step: Step): boolean {
    if (step.do === "create") return !this.#targets.has(step.endpoint);
    if ("endpoint" in step) return this.#targets.has(step.endpoint);
    if (step.do === "subscribe") return !this.#targets.has(step.hook);
    if (step.do === "unsubscribe") return this.#targets.has(step.hook);
    return true;
  }

  published(id: string, what: Published): void {
    for (const { name, isOn, wants, owed } of this.#targets.values()) {
      if (!isOn || !wants.includes(what)) continue;
      owed.add(id);
      this.#of(name).must.add(id);
    }
  }

  /** Takes note of a step, other than publishing, once it is answered. */
  done(step: Step): void {
    if (step.do === "create") this.#add(step.endpoint, false, step.wants);
    if (step.do === "subscribe") {
      const onAllChannels = PUBLISHED.filter(({ event }) => event === step.event);
      this.#add(step.hook, true, onAllChannels);
    }
    if (step.do === "unsubscribe") this.#end(step.hook);
    if (step.do === "delete") this.#end(step.endpoint);
    const target = "endpoint" in step ? this.#targets.get(step.endpoint) : undefined;
    if (!target) return;
    if (step.do === "change") target.wants = step.wants;
    if (step.do === "resume") target.isOn = true;
    if (step.do === "pause") this.#stop(target);
  }

  #add(name: string, isOn: boolean, wanted: Published[]): void {
    this.#targets.set(name, { name, isOn, wants: wanted, owed: new Set() });
  }

  #end(name: string): void {
    const target = this.#targets.get(name);
    if (target) this.#stop(target);
    this.#targets.delete(name);
  }

  #stop(target: Target): void {
    const { must, may } = this.#of(target.name);
    for (const id of target.owed) {
      must.delete(id);
      may.add(id);
    }
    target.owed.clear();
    target.isOn = false;
  }

  #of(name: string): Expected {
    const known = this.expected.get(name) ?? { must: new Set(), may: new Set() };
    this.expected.set(name, known);
    return known;
  }
}
