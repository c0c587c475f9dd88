import { type AgentClasses, type KnownAgent, MAX_LEARNT } from "./agent-classes.ts";
import { type Hit, type Person, type SettledHits, SLOT_MILLISECONDS, settle } from "./hit.ts";

interface Gathered {
  hit: Hit;
  slot: number;
  hits: number;
  people: Set<Person> | undefined;
}

/**
 * Hits added up, those that are counted together. By subject first, and then by a short key: to look
 * up a long text costs as much as to write an answer.
 */
export class GatheredHits {
  /** How much is held: different hits, and people among each. */
  size = 0;
  hits = 0;
  /** Until when a request keeps these alive, if it did not die. */
  keptUntil = 0;
  readonly #bySubject = new Map<string, Map<string, Gathered>>();
  readonly #people = new Map<string, Person>();

  add(hit: Hit, agent: KnownAgent | undefined): void {
    let ofSubject = this.#bySubject.get(hit.id);
    if (!ofSubject) {
      ofSubject = new Map();
      this.#bySubject.set(hit.id, ofSubject);
    }
    const slot = Math.floor(hit.at / SLOT_MILLISECONDS);
    const { count, as, country, region, language, domain, referrer, utm, userAgent } = hit;
    const kind = `${slot} ${count} ${as} ${country} ${region} ${language}`;
    const key = `${kind} ${domain} ${referrer} ${agent?.class.key ?? userAgent}\n${utm}`;
    let gathered = ofSubject.get(key);
    if (!gathered) {
      gathered = { hit, slot, hits: 0, people: undefined };
      ofSubject.set(key, gathered);
      this.size++;
    }
    gathered.hits++;
    this.hits++;
    if (hit.address !== undefined) this.#addPerson(gathered, hit.address, userAgent, agent);
  }

  #addPerson(
    gathered: Gathered,
    address: string,
    userAgent: string,
    agent: KnownAgent | undefined,
  ): void {
    const key = `${address} ${agent?.key ?? userAgent}`;
    let person = this.#people.get(key);
    if (!person) {
      person = { address, userAgent };
      this.#people.set(key, person);
    }
    gathered.people ??= new Set();
    const { size } = gathered.people;
    this.size += gathered.people.add(person).size - size;
  }

  /** What is to be sent: added up by classes of agents, those not met before told by now. */
  async settle(agents: AgentClasses): Promise<SettledHits[]> {
    const all = [...this.#bySubject.values()].flatMap((ofSubject) => [...ofSubject.values()]);
    const budget = { left: MAX_LEARNT };
    const settled = new Map<string, SettledHits>();
    for (const { hit, slot, hits, people } of all) {
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
