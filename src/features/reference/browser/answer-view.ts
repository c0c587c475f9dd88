import { type Answer, asCurl, type Call } from "./call.ts";

const MAX_SHOWN_CHARACTERS = 200_000;
const TEXT = /^(?:text\/|application\/(?:xml|rss))/;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text = "",
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function block(text: string, label: string): HTMLElement {
  const shown =
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
  return element("pre", shown, { tabindex: "0", role: "group", "aria-label": label });
}

function folded(title: string, content: HTMLElement): HTMLElement {
  const details = element("details");
  details.append(element("summary", title), content);
  return details;
}

/** One line on how it went, which a screen reader reads out. */
export function showOutcome(
  form: HTMLFormElement,
  words: string,
  kind: "" | "good" | "bad" = "",
): HTMLElement | null {
  const place = form.querySelector<HTMLElement>(".outcome");
  if (!place) return null;
  place.className = `outcome ${kind}`;
  place.textContent = words;
  return place;
}

export function clearAnswer(form: HTMLFormElement): void {
  form.querySelector(".answer")?.replaceChildren();
}

/** The answer below the form: its status, body and headers, and the call for a terminal. */
export async function showAnswer(form: HTMLFormElement, call: Call, answer: Answer): Promise<void> {
  const { status, statusText, milliseconds, headers } = answer;
  const place = form.querySelector<HTMLElement>(".answer");
  const replayed = headers.has("Idempotency-Replayed") ? ", answered as before" : "";
  const line = `${status} ${statusText} in ${milliseconds} ms${replayed}`;
  showOutcome(form, line.replace("  ", " "), status < 400 ? "good" : "bad");
  const listed = [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  place?.replaceChildren(
    ...(await contentOf(answer)),
    folded("Headers of the answer", block(listed, "Headers of the answer")),
    folded("The same with curl", block(asCurl(call), "The same with curl")),
  );
}

async function contentOf({ body, file }: Answer): Promise<HTMLElement[]> {
  if (body !== undefined) return [block(JSON.stringify(body, null, 2), "Body of the answer")];
  if (!file || file.size === 0) return [];
  if (TEXT.test(file.type)) return [block(await file.text(), "Body of the answer")];
  if (file.type.startsWith("image/")) {
    return [
      element("img", "", { src: URL.createObjectURL(file), alt: "The picture that was answered" }),
    ];
  }
  return [element("p", `${file.size} bytes of ${file.type || "an unnamed type"}`)];
}

/** A sentence that ends with where to go on. */
export function showWayOut(form: HTMLFormElement, words: string, href: string | undefined): void {
  const place = showOutcome(form, words, "bad");
  if (href) place?.append(" ", element("a", "Make one first", { href }), ".");
}
