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

// An estimate comes into the page, which keeps what was chosen for the upload that may follow.
for (const button of document.querySelectorAll("button[data-estimate]")) {
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    const place = document.getElementById(button.dataset.estimate);
    const inputs = Array.from(button.form.querySelectorAll("input[type=file]"));
    if (!inputs.some((input) => input.files.length)) {
      place.textContent = "Choose at least one file.";
      return;
    }
    place.textContent = "Reading the files…";
    button.disabled = true;
    try {
      const data = new FormData(button.form);
      data.append(button.name, button.value);
      const response = await fetch(button.form.action, { method: "POST", body: data });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const answer = page.querySelector("#upload .errorlist") ?? page.getElementById(place.id);
      place.textContent = answer?.textContent.trim() || `There is no estimate: the server answered ${response.status}.`;
    } catch {
      place.textContent = "There is no estimate: the server did not answer.";
    }
    button.disabled = false;
  });
}

// While documents are being read, the list follows; not under the hand of whoever uses it.
const live = document.querySelector("[data-live=on]");
async function follow() {
  const response = await fetch(location.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  if (!fresh) return;
  if (!live.querySelector("details[open], :focus-visible")) live.replaceChildren(...fresh.children);
  if (fresh.dataset.live === "on") setTimeout(follow, 3000);
}
if (live) setTimeout(follow, 3000);
