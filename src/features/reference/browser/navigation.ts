/** Finding an operation by a part of its name, and the menu on a phone. */
export function startNavigation(): void {
  const nav = document.querySelector<HTMLElement>("#groups");
  const menu = document.querySelector<HTMLButtonElement>("#menu");
  const filter = document.querySelector<HTMLInputElement>("#filter");
  if (!nav) return;
  const open = (isOpen: boolean) => {
    nav.toggleAttribute("data-open", isOpen);
    menu?.setAttribute("aria-expanded", String(isOpen));
  };
  menu?.addEventListener("click", () => open(!nav.hasAttribute("data-open")));
  nav.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("a")) open(false);
  });
  nav.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !nav.hasAttribute("data-open")) return;
    open(false);
    menu?.focus();
  });
  filter?.addEventListener("input", () => narrow(nav, filter.value.trim().toLowerCase()));
}

function narrow(nav: HTMLElement, wanted: string): void {
  let found = 0;
  for (const list of nav.querySelectorAll<HTMLElement>(".operations")) {
    let matches = 0;
    for (const item of list.querySelectorAll("li")) {
      item.hidden = !item.textContent?.toLowerCase().includes(wanted);
      if (!item.hidden) matches++;
    }
    const group = list.parentElement;
    const isOwn = group?.querySelector("[aria-current]") !== null;
    list.hidden = wanted === "" ? !isOwn : matches === 0;
    if (group) group.hidden = wanted !== "" && matches === 0;
    found += matches;
  }
  const none = nav.querySelector<HTMLElement>(".none");
  if (none) none.hidden = found > 0;
}

/** Light, dark, or as the system says. */
export function startTheme(): void {
  const choice = document.querySelector<HTMLSelectElement>("#theme");
  if (!choice) return;
  const { dataset } = document.documentElement;
  choice.value = dataset.theme ?? "";
  choice.addEventListener("change", () => {
    if (choice.value) dataset.theme = choice.value;
    else delete dataset.theme;
    try {
      localStorage.setItem("signpost-docs-theme", choice.value);
    } catch {
      // It holds for this page, then.
    }
  });
}
