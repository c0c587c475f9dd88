import { element } from "./answer-view.ts";

const SAID_MILLISECONDS = 2000;
const WORDS = { copied: "Copied.", selected: "Selected: copy it with the keyboard." };

/** A button at each sample that copies it. */
export function offerCopies(): void {
  const told = element("span", "", { class: "unseen", role: "status" });
  document.body.append(told);
  for (const sample of document.querySelectorAll("details.sample")) {
    const code = sample.querySelector("pre");
    const button = element("button", "Copy", { class: "copy", type: "button" });
    const what = ` the sample: ${sample.querySelector("summary")?.textContent}`;
    button.append(element("span", what, { class: "unseen" }));
    button.addEventListener("click", async () => {
      told.textContent = "";
      const said = await copy(code);
      told.textContent = WORDS[said];
      button.dataset.said = said;
      setTimeout(() => delete button.dataset.said, SAID_MILLISECONDS);
    });
    code?.before(button);
  }
}

/** What came of it: where pages may not write to the clipboard, the text is selected for the keyboard. */
async function copy(code: Element | null): Promise<keyof typeof WORDS> {
  try {
    await navigator.clipboard.writeText(code?.textContent ?? "");
    return "copied";
  } catch {
    if (code) getSelection()?.selectAllChildren(code);
    return "selected";
  }
}
