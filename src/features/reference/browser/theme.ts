// Runs before the page is drawn, so that it never shows in the other colours first.
const chosen = (() => {
  try {
    return localStorage.getItem("signpost-docs-theme");
  } catch {
    return null;
  }
})();
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
document.documentElement.dataset.scripted = "";
