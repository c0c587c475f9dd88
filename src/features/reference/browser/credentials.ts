import { keep, read } from "./memory.ts";

const form = document.querySelector<HTMLFormElement>("#credential");
const field = document.querySelector<HTMLInputElement>("#secret");
const forget = document.querySelector<HTMLButtonElement>("#forget");
const state = document.querySelector<HTMLElement>("#secret-state");
const place = `signpost-docs-${form?.dataset.access ?? "key"}`;

/** What this page's calls are sent with. */
export function credential(): string {
  return field?.value.trim() ?? "";
}

/** Says that nothing can be sent without it. */
export function askForCredential(): void {
  tell(
    form?.dataset.access === "operator"
      ? "Enter the operator’s token first."
      : "Enter a workspace key first.",
  );
  field?.focus();
}

export function keepCredential(): void {
  keep(place, credential());
  const isThere = credential() !== "";
  if (forget) forget.hidden = !isThere;
  tell(isThere ? "Kept in this tab only." : "");
}

/** The key is kept from page to page and on reload, in this tab alone. */
export function startCredentials(): void {
  if (field && !field.value) field.value = read(place) ?? "";
  if (credential()) keepCredential();
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (credential()) keepCredential();
    else askForCredential();
  });
  field?.addEventListener("change", keepCredential);
  forget?.addEventListener("click", () => {
    if (field) field.value = "";
    keepCredential();
    field?.focus();
  });
}

function tell(words: string): void {
  if (state) state.textContent = words;
}
