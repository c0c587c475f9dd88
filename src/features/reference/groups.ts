import { type Description, operationsOf, type PlacedOperation } from "./document.ts";

/** A page of the reference: the operations of a tag, or a guide, which has none. */
export interface Group {
  name: string;
  /** Last in its address: `/docs/short-links`. */
  slug: string;
  description?: string | undefined;
  /** The heading that it stands under. */
  section: string;
  operations: PlacedOperation[];
  isOperators: boolean;
  /** Its operations are what we send, and cannot be tried out. */
  isSent: boolean;
}

const OPERATORS_SECTION = "Operator’s API";
const GUIDES_SECTION = "Guides";
const API_SECTION = "API";
/** Addresses below /docs that are no group's. */
const TAKEN = ["assets"];

/** The pages of the reference in their order: guides, what clients need, what we send, the operator's. */
export function groupsOf(description: Description): Group[] {
  const placed = operationsOf(description.paths);
  const sent = operationsOf(description.webhooks);
  const described = new Map(description.tags?.map((tag) => [tag.name, tag.description]));
  const used = [...placed, ...sent].flatMap(({ operation }) => operation.tags?.slice(0, 1) ?? []);
  const names = [...new Set([...described.keys(), ...used])];
  const slugs = new Set(TAKEN);
  const make = (name: string, operations: PlacedOperation[], isSent: boolean): Group => ({
    name,
    slug: freeSlug(name, slugs),
    description: described.get(name),
    section: sectionOf(description, name, operations),
    operations,
    isOperators: operations.length > 0 && operations.every(({ isOperators }) => isOperators),
    isSent,
  });
  const of = (name: string, all: PlacedOperation[]) =>
    all.filter(({ operation }) => operation.tags?.[0] === name);
  const groups = names.map((name) => {
    const own = of(name, placed);
    return own.length > 0 ? make(name, own, false) : make(name, of(name, sent), true);
  });
  // Of a tag that has both, or where webhooks have none, what we send is a page of its own.
  const shown = new Set(groups.flatMap(({ operations }) => operations));
  const rest = sent.filter((one) => !shown.has(one));
  if (rest.length > 0) groups.push({ ...make("Events we send", rest, true) });
  return inOrder(description, groups);
}

function sectionOf(description: Description, name: string, operations: PlacedOperation[]): string {
  if (operations.length > 0 && operations.every(({ isOperators }) => isOperators)) {
    return OPERATORS_SECTION;
  }
  const named = description["x-tagGroups"]?.find(({ tags }) => tags.includes(name))?.name;
  return named ?? (operations.length === 0 ? GUIDES_SECTION : API_SECTION);
}

function inOrder(description: Description, groups: Group[]): Group[] {
  const sections = description["x-tagGroups"] ?? [];
  const order = sections.flatMap(({ tags }) => tags);
  const rank = ({ name, section, isSent }: Group) => {
    if (section === OPERATORS_SECTION) return 3e6;
    if (section === GUIDES_SECTION) return -1;
    const place = order.indexOf(name);
    return place < 0 ? 1e6 + (isSent ? 1 : 0) : place;
  };
  return groups
    .map((group, index) => ({ group, index }))
    .sort((one, other) => rank(one.group) - rank(other.group) || one.index - other.index)
    .map(({ group }) => group);
}

/** The groups under each heading, in order. */
export function bySection(groups: Group[]): [string, Group[]][] {
  const sections = new Map<string, Group[]>();
  for (const group of groups) {
    sections.set(group.section, [...(sections.get(group.section) ?? []), group]);
  }
  return [...sections];
}

function freeSlug(name: string, taken: Set<string>): string {
  const plain = slugOf(name) || "group";
  let slug = plain;
  for (let count = 2; taken.has(slug); count++) slug = `${plain}-${count}`;
  taken.add(slug);
  return slug;
}

/** A name as a piece of an address. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[’']/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
