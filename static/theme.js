// Loaded in the head, before the page is painted: the chosen theme, or the system's.
(() => {
  const root = document.documentElement;
  const chosen = () => localStorage.getItem("theme");
  const isDark = () =>
    (chosen() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  if (chosen()) root.dataset.theme = chosen();

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-toggle-theme]");
    if (!button) return;
    const label = () => button.setAttribute("aria-label", isDark() ? button.dataset.light : button.dataset.dark);
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      localStorage.setItem("theme", root.dataset.theme);
      label();
    });
  });
})();
