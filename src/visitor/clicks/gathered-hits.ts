import { type AgentClasses, type KnownAgent, MAX_LEARNT } from "./agent-classes.ts";
import {
  type Hit,
  type HitFrom,
  type HitOn,
  NOBODY,
  propertiesOf,
  type SettledHits,
  settled,
} from "./hit.ts";
import { SLOT_MILLISECONDS } from "./hit-names.ts";
import type { AgentClass } from "./visitor-kind.ts";

/** Different hits that are made ready, and hashed and packed, in one go. */
const SETTLED_AT_ONCE = 200;

/** Who hits, as far as it is told: the same object for all that they hit. */
interface Sender {
  from: HitFrom;
  /** Undefined until its user agent is known. */
  agent: AgentClass | undefined;
  /** Properties of the hit that was settled last: mostly the next one has the same. */
  latest: { on: HitOn; properties: string[] } | undefined;
}

interface Gathered {
  hit: Hit;
  slot: number;
  hits: number;
  /** User agent and address by turns, of those who may be visitors. */
  people: string[] | undefined;
}

/** Hits of a subject that are alike in what mostly is: here it costs less to compare than to look up. */
interface Alike extends Pick<Hit, "count" | "as" | "domain" | "utm"> {
  slot: number;
  /** By object: a text would have to be looked up among all texts first. */
  gathered: Map<Sender, Gathered>;
}

interface OfSubject {
  latest: Alike;
  all: Map<string, Alike>;
}

/**
 * Hits added up, those that are counted together. By subject first, and then by short keys of few
 * parts: to put one together and look it up costs as much as to write an answer.
 */
export class GatheredHits {
  /** How much is held: different hits, and visits of those who may be visitors. */
  size = 0;
  hits = 0;
  /** Until when a request keeps these alive, if it did not die. */
  keptUntil = 0;
  readonly #bySubject = new Map<string, OfSubject>();
  readonly #senders = new Map<string, Sender>();

  add(hit: Hit, agent: KnownAgent | undefined): void {
    const slot = Math.floor(hit.at / SLOT_MILLISECONDS);
    const alike = this.#alikeTo(hit, slot);
    const sender = this.#senderOf(hit, agent ? agent.class.key : hit.userAgent, agent?.class);
    let gathered = alike.gathered.get(sender);
    if (!gathered) {
      gathered = { hit, slot, hits: 0, people: undefined };
      alike.gathered.set(sender, gathered);
      this.size++;
    }
    gathered.hits++;
    this.hits++;
    if (hit.address !== undefined)
      this.#addPerson(gathered, hit.address, agent?.userAgent ?? gathered.hit.userAgent);
  }

  #senderOf(from: HitFrom, named: string, agent: AgentClass | undefined): Sender {
    const key = keyOf(from, named);
    let sender = this.#senders.get(key);
    if (!sender) {
      sender = { from, agent, latest: undefined };
      this.#senders.set(key, sender);
    }
    return sender;
  }

  #alikeTo({ id, count, as, domain, utm }: Hit, slot: number): Alike {
    const ofSubject = this.#bySubject.get(id);
    const latest = ofSubject?.latest;
    if (latest && latest.slot === slot && latest.count === count && latest.as === as)
      if (latest.domain === domain && latest.utm === utm) return latest;
    const key = `${slot} ${count} ${as} ${domain} ${utm}`;
    const known = ofSubject?.all.get(key);
    const alike = known ?? { slot, count, as, domain, utm, gathered: new Map() };
    if (!ofSubject) this.#bySubject.set(id, { latest: alike, all: new Map([[key, alike]]) });
    else {
      ofSubject.latest = alike;
      ofSubject.all.set(key, alike);
    }
    return alike;
  }

  /** Who comes again may be held twice: to look for them among the others costs more than that. */
  #addPerson(gathered: Gathered, address: string, userAgent: string): void {
    const { people } = gathered;
    if (!people) gathered.people = [userAgent, address];
    else if (people.at(-1) === address && people.at(-2) === userAgent) return;
    else people.push(userAgent, address);
    this.size++;
  }

  /**
   * What is to be sent: added up by classes of agents, those not met before told by now. Part by
   * part, so that visitors' requests have their turn in between.
   */
  async *settle(agents: AgentClasses): AsyncGenerator<SettledHits[]> {
    const budget = { left: MAX_LEARNT };
    let part: SettledHits[] = [];
    for (const ofSubject of this.#bySubject.values()) {
      for (const { gathered } of ofSubject.all.values()) {
        // Each user agent's own that was not known; where its class is, they are one.
        for (const [sender, one] of gathered) {
          if (sender.agent) continue;
          const agent = await agents.classOf(one.hit.userAgent, budget);
          gathered.delete(sender);
          const ofClass = this.#senderOf(sender.from, agent.key, agent);
          const same = gathered.get(ofClass);
          if (same) join(same, one);
          else gathered.set(ofClass, one);
        }
        for (const [sender, { hit, slot, hits, people = NOBODY }] of gathered) {
          const { agent } = sender;
          if (!agent) continue;
          const properties = latestPropertiesOf(sender, agent, hit);
          part.push(settled(hit, agent, { slot, properties, hits, people }));
          if (part.length < SETTLED_AT_ONCE) continue;
          yield part;
          part = [];
        }
      }
    }
    yield part;
  }
}

/** No header has a line's end in it, and no two of the other parts that touch look alike. */
function keyOf({ country, region, language, referrer }: HitFrom, agent: string): string {
  return `${country}${region}${language} ${referrer}\n${agent}`;
}

/** One list for all hits that have them in common: what is looked up of it is looked up once. */
function latestPropertiesOf(sender: Sender, agent: AgentClass, hit: Hit): string[] {
  const { from, latest } = sender;
  if (latest && latest.on.domain === hit.domain && latest.on.utm === hit.utm)
    if (latest.on.subject === hit.subject) return latest.properties;
  const properties = propertiesOf(from, agent, hit);
  sender.latest = { on: hit, properties };
  return properties;
}

function join(to: Gathered, { hits, people }: Gathered): void {
  to.hits += hits;
  if (!people) return;
  // Never a copy: a stranger may join thousands of agents' people one by one.
  to.people ??= [];
  for (const text of people) to.people.push(text);
}
