import { type AgentClasses, type KnownAgent, MAX_LEARNT } from "./agent-classes.ts";
import { type Hit, NOBODY, type SettledHits, settled } from "./hit.ts";
import { SLOT_MILLISECONDS } from "./hit-names.ts";
import type { AgentClass } from "./visitor-kind.ts";

/** Different hits that are made ready, and hashed and packed, in one go. */
const SETTLED_AT_ONCE = 200;

interface Gathered {
  hit: Hit;
  /** Undefined until its user agent is known. */
  agent: AgentClass | undefined;
  slot: number;
  hits: number;
  /** User agent and address by turns, of those who may be visitors. */
  people: string[] | undefined;
}

/** Hits of a subject that are alike in what mostly is: here it costs less to compare than to look up. */
interface Alike extends Pick<Hit, "count" | "as" | "domain" | "utm"> {
  slot: number;
  gathered: Map<string, Gathered>;
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

  add(hit: Hit, agent: KnownAgent | undefined): void {
    const slot = Math.floor(hit.at / SLOT_MILLISECONDS);
    const alike = this.#alikeTo(hit, slot);
    const key = keyOf(hit, agent ? agent.class.key : hit.userAgent);
    let gathered = alike.gathered.get(key);
    if (!gathered) {
      gathered = { hit, agent: agent?.class, slot, hits: 0, people: undefined };
      alike.gathered.set(key, gathered);
      this.size++;
    }
    gathered.hits++;
    this.hits++;
    if (hit.address !== undefined)
      this.#addPerson(gathered, hit.address, agent?.userAgent ?? gathered.hit.userAgent);
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
        for (const [key, one] of gathered) {
          if (one.agent) continue;
          one.agent = await agents.classOf(one.hit.userAgent, budget);
          gathered.delete(key);
          const ofClass = keyOf(one.hit, one.agent.key);
          const same = gathered.get(ofClass);
          if (same) join(same, one);
          else gathered.set(ofClass, one);
        }
        for (const { hit, agent, slot, hits, people = NOBODY } of gathered.values()) {
          if (agent) part.push(settled(hit, agent, { slot, hits, people }));
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
function keyOf({ country, region, language, referrer }: Hit, agent: string): string {
  return `${country}${region}${language} ${referrer}\n${agent}`;
}

function join(to: Gathered, { hits, people }: Gathered): void {
  to.hits += hits;
  if (!people) return;
  // Never a copy: a stranger may join thousands of agents' people one by one.
  to.people ??= [];
  for (const text of people) to.people.push(text);
}
