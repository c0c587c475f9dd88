import type { Utm } from "./visitor-link.ts";

export function isWeb(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** One `name=value` of a query, byte for byte as it stands, and the name it spells. */
interface Parameter {
  name: string;
  raw: string;
}

/**
 * Where a visitor goes: the destination; then `utm_*` of the settings, each unless the
 * destination has that parameter; then the visitor's own parameters, each in the place of those
 * of the same name. Queries are cut and joined as text, so nobody's bytes are re-encoded; the
 * URL parser sets the result as the query, so it can change neither host nor path.
 * To `mailto:` and `tel:` nothing is added; the parser leaves blanks and quotes in their paths.
 */
export function finalUrl(destination: string, utm: Utm, visitorSearch: string): string {
  const url = new URL(destination);
  if (!isWeb(url)) return url.href.replace(/[ "]/g, encodeURIComponent);
  const own = parametersOf(url.search);
  const tagged = [...own, ...utmParameters(utm, own)];
  const merged = replaceByName(tagged, parametersOf(visitorSearch));
  if (merged.length === own.length && merged.every((parameter, at) => parameter === own[at])) {
    return url.href;
  }
  // The setter takes one `?` off, and a query may begin with one of its own.
  url.search = `?${merged.map((parameter) => parameter.raw).join("&")}`;
  return url.href;
}

function parametersOf(search: string): Parameter[] {
  const query = search.startsWith("?") ? search.slice(1) : search;
  const parts = query.split("&").filter((raw) => raw !== "");
  return parts.map((raw) => ({ raw, name: decodeName(raw.split("=", 1)[0] ?? "") }));
}

function utmParameters(utm: Utm, own: Parameter[]): Parameter[] {
  const present = new Set(own.map((parameter) => parameter.name));
  return Object.entries(utm)
    .map(([key, value]) => ({
      name: `utm_${key}`,
      raw: `utm_${key}=${encodeURIComponent(value.toWellFormed())}`,
    }))
    .filter((parameter) => !present.has(parameter.name));
}

/** The incoming parameters of a name, all of them, stand where the first of that name stood. */
function replaceByName(parameters: Parameter[], incoming: Parameter[]): Parameter[] {
  if (incoming.length === 0) return parameters;
  const byName = Map.groupBy(incoming, (parameter) => parameter.name);
  const placed = new Set<string>();
  const merged = parameters.flatMap((parameter) => {
    const replacements = byName.get(parameter.name);
    if (!replacements) return [parameter];
    if (placed.has(parameter.name)) return [];
    placed.add(parameter.name);
    return replacements;
  });
  return [...merged, ...incoming.filter((parameter) => !placed.has(parameter.name))];
}

/** A parameter's name as servers read it: `+` is a space; a malformed escape stands for itself. */
function decodeName(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch {
    return raw;
  }
}
