/** Those of ISO 639-1, and others that browsers are set to: what is not here is made up. */
const LANGUAGES = new Set(
  `aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
  de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia
  id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt
  lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt
  qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to
  tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ast chr ckb dsb fil gsw haw hmn hsb kab
  kok mni nso sah yue`.split(/\s+/),
);
const FORMER: Record<string, string> = { iw: "he", in: "id", ji: "yi", jw: "jv" };
const PRIMARY = /^\s*([a-z]{2,3})(?=[-_,;\s]|$)/i;

const MAX_KNOWN = 500;
const MAX_LENGTH = 200;

const known = new Map<string, string>();

/** The primary subtag of the language that a browser names first: `en` of `en-GB,de;q=0.8`. */
export function languageOf(accepted: string | null): string {
  if (!accepted) return "";
  let language = known.get(accepted);
  if (language === undefined) {
    const found = PRIMARY.exec(accepted)?.[1]?.toLowerCase() ?? "";
    const named = FORMER[found] ?? found;
    language = LANGUAGES.has(named) ? named : "";
    // Nearly all browsers send one of a few hundred.
    if (known.size >= MAX_KNOWN) known.clear();
    if (accepted.length <= MAX_LENGTH) known.set(accepted, language);
  }
  return language;
}

const UTM = ["utm_source", "utm_medium", "utm_campaign"];
const MAX_UTM = 120;
const NOT_WRITTEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Source, medium and campaign of a visit's query, with line ends between them; empty without any. */
export function utmOf(search: string): string {
  if (!search.includes("utm_")) return "";
  const query = new URLSearchParams(search);
  const texts = UTM.map((name) => cleaned(query.get(name) ?? ""));
  return texts.some((text) => text !== "") ? texts.join("\n") : "";
}

function cleaned(given: string): string {
  const text = given
    .slice(0, 16 * MAX_UTM)
    .replace(NOT_WRITTEN, "")
    .trim();
  // Google's word for no medium; answers and filters have it for no value.
  if (text === "(none)") return "";
  return text.length <= MAX_UTM ? text : Array.from(text).slice(0, MAX_UTM).join("").trim();
}
