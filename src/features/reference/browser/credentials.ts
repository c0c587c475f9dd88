import { keep, read } from "./memory.ts";

const form = document.querySelector<HTMLFormElement>("#credential");
const field = document.querySelector<HTMLInputElement>("#secret");
const forget = document.querySelector<HTMLButtonElement>("#forget");
const state = document.querySelector<HTMLElement>("#secret-state");
const PLACE = "signpost-docs-key";
/** Where the operator’s token was kept until 2026-11-23: a tab that was open since still has it. */
const FORMER_PLACE = "signpost-docs-operator";
/** It opens every workspace, and visitors' pages are of this origin: the page alone holds it. */
const isOperators = form?.dataset.access === "operator";

/** What this page's calls are sent with. */
export function credential(): string {
  return field?.value.trim() ?? "";
}

/** Says that nothing can be sent without it. */
export function askForCredential(): void {
  tell(isOperators ? "Enter the operator’s token first." : "Enter a workspace key first.");
  field?.focus();
}

export function keepCredential(): void {
  if (!isOperators) keep(PLACE, credential());
  const isThere = credential() !== "";
  if (forget) forget.hidden = !isThere;
  const where = isOperators ? "Kept until you leave this page." : "Kept in this tab only.";
  tell(isThere ? where : "");
}

/** The key is kept from page to page and on reload, in this tab alone; the operator’s token is not. */
export function startCredentials(): void {
  keep(FORMER_PLACE, "");
  if (field && !field.value && !isOperators) field.value = read(PLACE) ?? "";
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
