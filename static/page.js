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

// On a narrow screen a row of tabs is wider than the page: show the one that we are on.
for (const tab of document.querySelectorAll("nav a[aria-current=page]")) {
  const row = tab.parentElement;
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// What is newest is at the right of a plot over time, which is wider than a phone.
for (const plot of document.querySelectorAll("[data-newest]")) plot.scrollLeft = plot.scrollWidth;

// Parts of a page that are fetched anew say so by this event, and their buttons work too.
const show = () => document.querySelectorAll("[data-copy][hidden]").forEach((button) => (button.hidden = false));
addEventListener("pandect:replaced", show);
show();

addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
  button.textContent = document.body.dataset.copied;
});

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
      place.textContent = button.dataset.choose;
      return;
    }
    place.textContent = button.dataset.reading;
    button.disabled = true;
    try {
      const data = new FormData(button.form);
      data.append(button.name, button.value);
      const response = await fetch(button.form.action, { method: "POST", body: data });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const answer = page.querySelector("#upload .errorlist") ?? page.getElementById(place.id);
      place.textContent = answer?.textContent.trim() || button.dataset.refused.replace("{status}", response.status);
    } catch {
      place.textContent = button.dataset.unreachable;
    }
    button.disabled = false;
  });
}

// While documents are being read, the list follows; not under the hand of whoever uses it.
const NEXT = 3000;
let waiting = null;
async function follow() {
  waiting = null;
  const live = document.querySelector("[data-live]");
  let isOn = live?.dataset.live === "on";
  try {
    const fresh = document.hidden ? null : await fetchLive();
    if (fresh) {
      if (!live.querySelector("details[open], :focus-visible")) exchange(live, fresh);
      isOn = fresh.dataset.live === "on";
    }
  } catch {
    // The server did not answer. It is asked again.
  }
  if (isOn) awaitTurn();
}
function awaitTurn(wait = NEXT) {
  clearTimeout(waiting);
  waiting = setTimeout(follow, wait);
}
async function fetchLive() {
  const response = await fetch(location.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector("[data-live]");
}
function exchange(live, fresh) {
  const ticked = new Set(Array.from(live.querySelectorAll("input:checked"), (input) => input.value));
  live.replaceChildren(...fresh.children);
  live.dataset.live = fresh.dataset.live;
  for (const input of live.querySelectorAll("input[type=checkbox]")) input.checked = ticked.has(input.value);
  live.dispatchEvent(new CustomEvent("exchanged", { bubbles: true }));
}
if (document.querySelector("[data-live=on]")) awaitTurn();
addEventListener("follow", () => awaitTurn(0));  // Somebody knows that there is something new.
