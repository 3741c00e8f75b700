// Small comforts; every page works without them.
const menus = () => document.querySelectorAll("details.menu[open], details.confirm[open]");

addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

addEventListener("click", (event) => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    button.textContent = "Copied";
  });
}

// A browser tells where the files of a folder are, but sends their names alone.
for (const input of document.querySelectorAll("input[data-paths]")) {
  input.addEventListener("change", () => {
    const paths = Array.from(input.files, (file) => file.webkitRelativePath || file.name);
    document.getElementById(input.dataset.paths).value = JSON.stringify(paths);
  });
}

// While documents are being read, the list follows; not under the hand of whoever uses it.
const live = document.querySelector("[data-live=on]");
async function follow() {
  const response = await fetch(location.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  if (!fresh) return;
  if (!live.querySelector("details[open]")) live.replaceChildren(...fresh.children);
  if (fresh.dataset.live === "on") setTimeout(follow, 3000);
}
if (live) setTimeout(follow, 3000);
