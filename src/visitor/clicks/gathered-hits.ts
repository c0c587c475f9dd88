import { type AgentClasses, type KnownAgent, MAX_LEARNT } from "./agent-classes.ts";
import { type Hit, type Person, type SettledHits, SLOT_MILLISECONDS, settle } from "./hit.ts";

interface Gathered {
  hit: Hit;
  slot: number;
  hits: number;
  people: Set<Person> | undefined;
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
  /** How much is held: different hits, and people among each. */
  size = 0;
  hits = 0;
  /** Until when a request keeps these alive, if it did not die. */
  keptUntil = 0;
  readonly #bySubject = new Map<string, OfSubject>();
  readonly #people = new Map<KnownAgent | string, Map<string, Person>>();

  add(hit: Hit, agent: KnownAgent | undefined): void {
    const slot = Math.floor(hit.at / SLOT_MILLISECONDS);
    const alike = this.#alikeTo(hit, slot);
    // No header has a line's end in it; no two of the other parts that touch begin alike.
    const key = `${hit.country}${hit.region}${hit.language} ${hit.referrer}\n${agent ? agent.class.key : hit.userAgent}`;
    let gathered = alike.gathered.get(key);
    if (!gathered) {
      gathered = { hit, slot, hits: 0, people: undefined };
      alike.gathered.set(key, gathered);
      this.size++;
    }
    gathered.hits++;
    this.hits++;
    if (hit.address !== undefined) this.#addPerson(gathered, hit.address, hit.userAgent, agent);
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

  #addPerson(
    gathered: Gathered,
    address: string,
    userAgent: string,
    agent: KnownAgent | undefined,
  ): void {
    let withAgent = this.#people.get(agent ?? userAgent);
    if (!withAgent) {
      withAgent = new Map();
      this.#people.set(agent ?? userAgent, withAgent);
    }
    let person = withAgent.get(address);
    if (!person) {
      person = { address, userAgent };
      withAgent.set(address, person);
    }
    gathered.people ??= new Set();
    const { size } = gathered.people;
    this.size += gathered.people.add(person).size - size;
  }

  /** What is to be sent: added up by classes of agents, those not met before told by now. */
  async settle(agents: AgentClasses): Promise<SettledHits[]> {
    const alike = [...this.#bySubject.values()].flatMap(({ all }) => [...all.values()]);
    const budget = { left: MAX_LEARNT };
    const settled = new Map<string, SettledHits>();
    for (const { hit, slot, hits, people } of alike.flatMap((some) => [
      ...some.gathered.values(),
    ])) {
      const one = settle(hit, slot, await agents.classOf(hit.userAgent, budget));
      const key = [one.id, one.count, slot, one.traffic, ...one.properties].join("\n");
      const same = settled.get(key) ?? one;
      settled.set(key, same);
      same.hits += hits;
      if (same.traffic === "human") for (const person of people ?? []) same.people.add(person);
    }
    return [...settled.values()];
  }
}
