// Results while somebody types, and keys to walk through them. Without this, the form asks and links lead.
const form = document.getElementById("search-form");
const box = document.getElementById("q");
const results = document.getElementById("results");
const root = document.documentElement;

const PAUSE = 250; // Milliseconds without a keystroke after which is asked.
const FEWEST = 2; // Characters of a question.
const MOST_RECENT = 8;
const recentKey = `recent:${form.dataset.person}`;
const keysOff = "keys-off";

root.classList.add("scripted");

// What the form says as an address, without what is as usual.
function address() {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) asked.append(name, value.trim());
  const isDated = ["recorded", "effective"].includes(asked.get("read"));
  if (!isDated) asked.delete("day");
  if (asked.get("read") === "head") asked.delete("read");
  const words = asked.toString();
  return words ? `${location.pathname}?${words}` : location.pathname;
}

let running = null;
async function show(url, { isFocusKept = true, isTyped = false } = {}) {
  running?.abort();
  const own = (running = new AbortController());
  results.setAttribute("aria-busy", "true");
  try {
    const asked = new URL(url, location.href);
    asked.searchParams.set("part", isTyped ? "typed" : "results");
    const response = await fetch(asked, { signal: own.signal });
    if (response.redirected || !response.ok) return location.assign(url); // Logged out, or a fault: as a page.
    const text = await response.text();
    if (own.signal.aborted) return;
    replace(text, isFocusKept);
  } catch (error) {
    if (error.name !== "AbortError") tell();
  } finally {
    if (running === own) {
      running = null;
      results.removeAttribute("aria-busy");
    }
  }
}

function replace(text, isFocusKept) {
  const focused = results.contains(document.activeElement) ? document.activeElement.id : "";
  const page = new DOMParser().parseFromString(text, "text/html");
  results.replaceChildren(...page.body.childNodes);
  if (focused && isFocusKept) document.getElementById(focused)?.focus();
  dispatchEvent(new Event("pandect:replaced"));
  prepare();
}

function tell() {
  const said = document.createElement("p");
  said.className = "message error";
  said.setAttribute("role", "status");
  said.textContent = form.dataset.unreachable;
  results.prepend(said);
}

// Addresses: what is typed has one entry of its own in the history, which stays when it is meant.
function go(url, { isTyped = false } = {}) {
  const target = new URL(url, location.href);
  const isSame = target.href === location.href;
  const wasTyped = history.state?.isTyped ?? false;
  const state = { isTyped };
  if (wasTyped || isSame) history.replaceState(state, "", target);
  else history.pushState(state, "", target);
  if (!isTyped) remember();
  name();
  show(target, { isTyped });
}

const name = () => {
  const asked = box.value.trim();
  document.title = asked ? `${asked.slice(0, 80)} · ${form.dataset.title}` : form.dataset.title;
};

let timer = 0;
box.addEventListener("input", () => {
  clearTimeout(timer);
  const length = box.value.trim().length;
  if (length && length < FEWEST) return;
  timer = setTimeout(() => go(address(), { isTyped: true }), PAUSE);
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  go(address());
});

form.addEventListener("change", choose);
results.addEventListener("change", choose);
function choose(event) {
  if (event.target === box || event.target.form !== form) return;
  const needsDay = event.target.name === "read" && ["recorded", "effective"].includes(event.target.value);
  if (needsDay && !form.elements.day.value) return form.elements.day.focus(); // Which day comes next.
  clearTimeout(timer);
  go(address());
}

results.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-go]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  clearTimeout(timer);
  const target = new URL(link.href);
  box.value = target.searchParams.get("q") ?? "";
  go(target);
  scrollTo({ top: 0 });
});

addEventListener("popstate", () => {
  clearTimeout(timer);
  box.value = new URLSearchParams(location.search).get("q") ?? "";
  name();
  show(location.href, { isFocusKept: false });
});

// What was asked before is remembered here and nowhere else.
function recent() {
  try {
    return JSON.parse(localStorage.getItem(recentKey) ?? "[]").filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}

function remember() {
  const asked = box.value.trim();
  if (asked.length < FEWEST) return;
  const kept = [asked, ...recent().filter((one) => one !== asked)].slice(0, MOST_RECENT);
  localStorage.setItem(recentKey, JSON.stringify(kept));
}

function prepare() {
  const section = results.querySelector("[data-recent]");
  const asked = recent();
  if (section && asked.length) {
    section.querySelector("ul").replaceChildren(...asked.map(recentItem));
    section.hidden = false;
  }
  const keys = results.querySelector("[data-keys]");
  if (keys) {
    const button = keys.querySelector("[data-switch-keys]");
    button.textContent = areKeysOff() ? button.dataset.on : button.dataset.off;
    keys.hidden = false;
  }
}

function recentItem(asked) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.className = "chip";
  link.dataset.go = "";
  link.href = `?${new URLSearchParams({ q: asked })}`;
  link.textContent = asked;
  item.append(link);
  return item;
}

results.addEventListener("click", (event) => {
  if (event.target.closest("[data-forget]")) {
    localStorage.removeItem(recentKey);
    results.querySelector("[data-recent]").hidden = true;
    box.focus();
  }
  if (event.target.closest("[data-switch-keys]")) {
    if (areKeysOff()) localStorage.removeItem(keysOff);
    else localStorage.setItem(keysOff, "1");
    prepare();
  }
});

// Keys
const areKeysOff = () => localStorage.getItem(keysOff) === "1";
const links = () => Array.from(results.querySelectorAll("a[data-result]"));

function step(by) {
  const all = links();
  if (!all.length) return false;
  const current = document.activeElement.closest(".result")?.querySelector("a[data-result]");
  const next = all.indexOf(current) + by;
  if (next < 0) box.focus();
  else (all[next] ?? all.at(-1)).focus();
  return true;
}

addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
  const isInBox = event.target === box;
  const isElsewhere = !isInBox && event.target.closest("input, select, textarea, summary, [contenteditable]");
  if (isInBox && event.key === "ArrowDown") {
    if (step(1)) event.preventDefault();
    return;
  }
  if (isInBox || isElsewhere) return;
  const isInResults = Boolean(event.target.closest(".result"));
  if (event.key === "/" && !areKeysOff()) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (isInResults && event.key === "ArrowDown") {
    if (step(1)) event.preventDefault();
  } else if (isInResults && event.key === "ArrowUp") {
    if (step(-1)) event.preventDefault();
  } else if (event.key === "j" && !areKeysOff()) {
    step(1);
  } else if (event.key === "k" && !areKeysOff()) {
    step(-1);
  }
});

prepare();
if (box.value) remember();
