const COPIED_MILLISECONDS = 2000;

/** A button at each sample that copies it. */
export function offerCopies(): void {
  const told = made("span", { className: "unseen", role: "status" });
  document.body.append(told);
  for (const sample of document.querySelectorAll("details.sample")) {
    const code = sample.querySelector("pre");
    const button = made("button", { className: "copy", type: "button", textContent: "Copy" });
    const what = ` the sample: ${sample.querySelector("summary")?.textContent}`;
    button.append(made("span", { className: "unseen", textContent: what }));
    button.addEventListener("click", async () => {
      told.textContent = "";
      told.textContent = await copied(code);
      button.dataset.said = told.textContent;
      setTimeout(() => delete button.dataset.said, COPIED_MILLISECONDS);
    });
    code?.before(button);
  }
}

/** What came of it: where pages may not write to the clipboard, the text is selected for the keyboard. */
async function copied(code: Element | null): Promise<string> {
  try {
    await navigator.clipboard.writeText(code?.textContent ?? "");
    return "Copied.";
  } catch {
    if (code) getSelection()?.selectAllChildren(code);
    return "Selected: copy it with the keyboard.";
  }
}

function made<Tag extends "button" | "span">(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties);
}
