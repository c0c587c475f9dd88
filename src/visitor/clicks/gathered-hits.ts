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

/** Visitors of what is told in one go: it is packed in one go. */
const MAX_VISITORS = 500;
/** Hits whose agent is looked for in one go. */
const LOOKED_AT_ONCE = 200;
const PIECE_CHARACTERS = 128;
/** So many are looked through one by one: a Map costs more to make than they do to compare. */
const FEW = 8;

/** Who hits, as far as it is told: the same object for all that they hit. */
interface Sender {
  from: HitFrom;
  /** Undefined of one whose user agent is not known yet: its hits go over to another sender then. */
  agent: AgentClass | undefined;
  /** Properties of the hit that was settled last: mostly the next one has the same. */
  latest: { on: HitOn; properties: string[] } | undefined;
}

interface Gathered {
  sender: Sender;
  hit: Hit;
  hits: number;
  /** Hashes of those who may be visitors, … */
  visitors: string[] | undefined;
  /** … and user agent and address by turns, of those who have none yet. */
  people: string[] | undefined;
}

/** Hits of a subject that are alike in what mostly is: here it costs less to compare than to look up. */
interface Alike extends Pick<Hit, "count" | "as" | "domain" | "utm"> {
  slot: number;
  gathered: Gathered[];
  /** The same, as soon as they are many. By object: to find a text in a Map means to hash it. */
  bySender: Map<Sender, Gathered> | undefined;
  /** Whether there may be a sender among them whose agent is not known yet. */
  isToLearn: boolean;
}

interface OfSubject {
  latest: Alike;
  /** As soon as there are two. */
  all: Map<string, Alike> | undefined;
}

/** Those whom one page sent: by their agent, or its text where it is not known; then by where they are. */
type Senders = Map<AgentClass | string, Map<string, Sender>>;

/**
 * Hits added up, those that are counted together. Looked up by objects and short texts, one after
 * another: to put a long key together costs as much as to write an answer.
 */
export class GatheredHits {
  /** How much is held, in pieces of half a kilobyte at most: one a person, two or more a hit. */
  size = 0;
  hits = 0;
  /** Until when a request keeps these alive, if it did not die. */
  keptUntil = 0;
  readonly #bySubject = new Map<string, OfSubject>();
  readonly #byReferrer = new Map<string, Senders>();
  readonly #toLearn: Alike[] = [];

  add(hit: Hit, agent: KnownAgent | undefined): void {
    const slot = Math.floor(hit.at / SLOT_MILLISECONDS);
    const alike = this.#alikeTo(hit, slot);
    const sender = this.#senderOf(hit, agent?.class ?? hit.userAgent, agent?.class);
    let gathered = gatheredOf(alike, sender);
    if (!gathered) {
      gathered = { sender, hit, hits: 0, visitors: undefined, people: undefined };
      gather(alike, gathered);
      this.size += piecesOf(hit, agent);
      if (!agent && !alike.isToLearn) {
        alike.isToLearn = true;
        this.#toLearn.push(alike);
      }
    }
    gathered.hits++;
    this.hits++;
    if (hit.visitor !== undefined) this.#addVisitor(gathered, hit.visitor);
    else if (hit.address !== undefined)
      this.#addPerson(gathered, hit.address, agent?.userAgent ?? gathered.hit.userAgent);
  }

  #senderOf(from: HitFrom, named: AgentClass | string, agent: AgentClass | undefined): Sender {
    const { country, region, language, referrer } = from;
    const byAgent = madeIn(this.#byReferrer, referrer, newSenders);
    const byPlace = madeIn(byAgent, named, newSendersOfAgent);
    // A country is written in capitals, a language is not: no two of the parts that touch look alike.
    const place = region ? `${country}-${region} ${language}` : country + language;
    let sender = byPlace.get(place);
    if (!sender) {
      sender = { from, agent, latest: undefined };
      byPlace.set(place, sender);
    }
    return sender;
  }

  #alikeTo({ id, count, as, domain, utm }: Hit, slot: number): Alike {
    const ofSubject = this.#bySubject.get(id);
    if (!ofSubject) {
      const first = newAlike({ slot, count, as, domain, utm });
      this.#bySubject.set(id, { latest: first, all: undefined });
      return first;
    }
    const { latest } = ofSubject;
    if (latest.slot === slot && latest.count === count && latest.as === as)
      if (latest.domain === domain && latest.utm === utm) return latest;
    ofSubject.all ??= new Map([[keyOf(latest), latest]]);
    const what = { slot, count, as, domain, utm };
    const alike = madeIn(ofSubject.all, keyOf(what), () => newAlike(what));
    ofSubject.latest = alike;
    return alike;
  }

  /** Who comes again may be held twice: to look for them among the others costs more than that. */
  #addVisitor(gathered: Gathered, visitor: string): void {
    const { visitors } = gathered;
    if (!visitors) gathered.visitors = [visitor];
    else if (visitors.at(-1) === visitor) return;
    else visitors.push(visitor);
    this.size++;
  }

  /** The same of who has no hash yet. */
  #addPerson(gathered: Gathered, address: string, userAgent: string): void {
    const { people } = gathered;
    if (!people) gathered.people = [userAgent, address];
    else if (people.at(-1) === address && people.at(-2) === userAgent) return;
    else people.push(userAgent, address);
    this.size++;
  }

  /** Adds up by their classes what agents sent that were not met before; others have their turn in between. */
  async learn(agents: AgentClasses): Promise<void> {
    const budget: Budget = { left: MAX_LEARNT, seen: 0 };
    for (const alike of this.#toLearn) await this.#learn(alike, agents, budget);
  }

  /** What is to be sent, when all agents are learnt. */
  *settle(): Generator<SettledHits, undefined> {
    for (const { latest, all } of this.#bySubject.values())
      for (const alike of all?.values() ?? [latest])
        for (const gathered of alike.gathered) {
          const settled = settle(gathered, alike);
          if (visitorsOf(settled) <= MAX_VISITORS) yield settled;
          else yield* inSlices(settled);
        }
  }

  /** Each user agent's own that was not known; where its class is, they are one. */
  async #learn(alike: Alike, agents: AgentClasses, budget: Budget): Promise<void> {
    const all = alike.gathered;
    alike.gathered = [];
    alike.bySender = undefined;
    for (const one of all) {
      // classOf lets others have their turn only where it learns.
      if (++budget.seen % LOOKED_AT_ONCE === 0) await scheduler.wait(0);
      if (!one.sender.agent) {
        const agent = await agents.classOf(one.hit.userAgent, budget);
        one.sender = this.#senderOf(one.sender.from, agent, agent);
      }
      const same = gatheredOf(alike, one.sender);
      if (same) join(same, one);
      else gather(alike, one);
    }
  }
}

/** Of one sending: user agents that may still be learnt, and hits whose agent was looked for. */
interface Budget {
  left: number;
  seen: number;
}

function newSenders(): Senders {
  return new Map();
}

function newSendersOfAgent(): Map<string, Sender> {
  return new Map();
}

function madeIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

type What = Pick<Alike, "slot" | "count" | "as" | "domain" | "utm">;

function newAlike({ slot, count, as, domain, utm }: What): Alike {
  return { slot, count, as, domain, utm, gathered: [], bySender: undefined, isToLearn: false };
}

/** A hit that is like no other, and who sent it; more where texts of its own are long, which may take two bytes each. */
function piecesOf({ userAgent, referrer, utm }: Hit, agent: KnownAgent | undefined): number {
  const texts = referrer.length + utm.length + (agent ? 0 : userAgent.length);
  return 2 + Math.floor(texts / PIECE_CHARACTERS);
}

function keyOf({ slot, count, as, domain, utm }: What): string {
  return `${slot} ${count} ${as} ${domain} ${utm}`;
}

function gatheredOf({ bySender, gathered }: Alike, sender: Sender): Gathered | undefined {
  if (bySender) return bySender.get(sender);
  for (const one of gathered) if (one.sender === sender) return one;
  return undefined;
}

function gather(alike: Alike, one: Gathered): void {
  const { gathered } = alike;
  gathered.push(one);
  if (alike.bySender) alike.bySender.set(one.sender, one);
  else if (gathered.length > FEW)
    alike.bySender = new Map(gathered.map((other) => [other.sender, other]));
}

function visitorsOf({ visitors, people }: SettledHits): number {
  return visitors.length + people.length / 2;
}

/** The same hits, of some visitors at a time. Who is in two of them is counted once, as in two packets. */
function* inSlices(settled: SettledHits): Generator<SettledHits> {
  const { visitors, people } = settled;
  let left = settled.hits;
  const slice = (some: Pick<SettledHits, "visitors" | "people">, hits: number) => {
    left -= hits;
    return { ...settled, ...some, hits };
  };
  for (let at = 0; at < visitors.length; at += MAX_VISITORS) {
    const some = visitors.slice(at, at + MAX_VISITORS);
    yield slice({ visitors: some, people: NOBODY }, some.length);
  }
  for (let at = 0; at < people.length; at += 2 * MAX_VISITORS) {
    const some = people.slice(at, at + 2 * MAX_VISITORS);
    yield slice({ visitors: NOBODY, people: some }, some.length / 2);
  }
  if (left > 0) yield slice({ visitors: NOBODY, people: NOBODY }, left);
}

function settle({ sender, hit, hits, visitors, people }: Gathered, { slot }: Alike): SettledHits {
  const agent = sender.agent as AgentClass;
  const properties = propertiesFor(sender, agent, hit);
  const who = { visitors: visitors ?? NOBODY, people: people ?? NOBODY };
  return settled(hit, agent, { slot, properties, hits, ...who });
}

/** One list for all hits that have them in common: what is looked up of it is looked up once. */
function propertiesFor(sender: Sender, agent: AgentClass, hit: Hit): string[] {
  const { from, latest } = sender;
  if (latest && latest.on.domain === hit.domain && latest.on.utm === hit.utm)
    if (latest.on.subject === hit.subject) return latest.properties;
  const properties = propertiesOf(from, agent, hit);
  sender.latest = { on: hit, properties };
  return properties;
}

/**
 * Texts are added to the list that is there, which is never copied: a stranger may have thousands of
 * agents joined one by one.
 */
function join(to: Gathered, { hits, visitors, people }: Gathered): void {
  to.hits += hits;
  to.visitors = joined(to.visitors, visitors);
  to.people = joined(to.people, people);
}

function joined(to: string[] | undefined, texts: string[] | undefined): string[] | undefined {
  if (!to || !texts) return to ?? texts;
  for (const text of texts) to.push(text);
  return to;
}
