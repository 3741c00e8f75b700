// Comforts of reading: more of the text when it is scrolled to, and the place where somebody is.
// Without this file the same is reached by links. What words mean is shown by peek.js.
const reader = document.querySelector("[data-reader]");
const parts = reader.querySelector("[data-parts]");
const tree = reader.querySelector("[data-tree]");
const contents = document.getElementById("contents");
const words = reader.dataset;
const page = location.pathname;
const kept = () => new URLSearchParams(words.query);
const anchorOf = (label) => `u-${label.replace(/\s/g, "_")}`;
const say = (text) => (document.querySelector("[data-said]").textContent = text);

const addressOf = (label) => {
  const query = kept();
  if (label) query.set("at", label);
  if (words.question) query.set("q", words.question);
  return `${page}?${query}#${encodeURIComponent(anchorOf(label))}`;
};

const leave = () => {
  location.reload();
  return new Promise(() => {}); // Nothing that was answered belongs in the text.
};
const get = async (path, query) => {
  const response = await fetch(`${page}${path}?${query}`);
  if (response.redirected) return leave(); // Logged out.
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.text();
};
const parse = (html) => new DOMParser().parseFromString(html, "text/html").body;

// Parts: those that are far away have nothing but their height.
const loading = new Set();
const ratio = () => {
  const shown = parts.querySelector(".part:not(.waiting)");
  return Math.max(shown.getBoundingClientRect().height / Math.max(1, Number(shown.dataset.size)), 0.15);
};

const load = async (waiting) => {
  const index = waiting.dataset.part;
  if (loading.has(index) || !waiting.isConnected) return;
  loading.add(index);
  const query = kept();
  query.set("part", index);
  if (words.question) query.set("q", words.question);
  if (words.span) query.set("span", words.span);
  try {
    const part = parse(await get("part/", query)).firstElementChild;
    const height = waiting.getBoundingClientRect().height;
    part.dataset.size = waiting.dataset.size;
    part.style.containIntrinsicBlockSize = `auto ${height}px`;
    for (const one of part.querySelectorAll(".meaning"))
      if (document.getElementById(one.id)) one.remove();
    waiting.replaceWith(part);
    joinHeads();
  } catch (error) {
    loading.delete(index);
    say(error.message);
  }
};

// A part says what it stands in, unless the part before it does.
const joinHeads = () => {
  for (const head of parts.querySelectorAll("[data-running]")) {
    const before = head.closest(".part").previousElementSibling;
    head.hidden = Boolean(before && !before.classList.contains("waiting"));
  }
};

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      load(entry.target);
    }
  },
  { rootMargin: "1200px 0px" },
);

// Links of a unit: copied, or its mentions shown below it.
const copy = async (text, link) => {
  await navigator.clipboard.writeText(text);
  const before = link.firstChild.textContent;
  link.firstChild.textContent = words.copied;
  say(words.copied);
  setTimeout(() => (link.firstChild.textContent = before), 1500);
};

const showMentions = async (link) => {
  const unit = link.closest(".unit");
  const shown = unit.querySelector(":scope > .mentions-list");
  link.setAttribute("aria-expanded", String(!shown));
  if (shown) return shown.remove();
  const response = await fetch(link.href);
  if (response.redirected || !response.ok) return location.assign(link.href); // Logged out, or a fault: as a page.
  const list = document.createElement("div");
  list.className = "mentions-list";
  list.append(...parse(await response.text()).querySelector("#mentions").children);
  unit.append(list);
  list.querySelector("a")?.focus({ preventScroll: true });
};

parts.addEventListener("click", async (event) => {
  const link = event.target.closest(".tools a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const label = link.closest(".unit").dataset.at;
  if (link.matches(".mentions")) {
    event.preventDefault();
    await showMentions(link);
  } else if (link.matches(".link") && navigator.clipboard) {
    event.preventDefault();
    go(label, { scroll: false });
    await copy(link.href, link);
  } else if (link.matches(".cite") && navigator.clipboard) {
    event.preventDefault();
    const response = await fetch(link.href, { headers: { Accept: "application/json" } });
    if (response.redirected || !response.ok) return location.assign(link.href);
    await copy((await response.json()).citation, link);
  }
});

// A page of the file as it looks.
const picture = document.getElementById("picture");
parts.addEventListener("click", (event) => {
  const link = event.target.closest("a.page");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const image = picture.querySelector("img");
  image.src = link.href;
  image.alt = link.ariaLabel;
  picture.showModal();
});
picture.addEventListener("click", (event) => event.target === picture && picture.close());

// Going to a unit that is here already needs no new page.
let writing = 0; // Of the address, once somebody has come to rest.
const unitOf = (label) => document.getElementById(anchorOf(label));
const mark = (unit) => {
  for (const one of parts.querySelectorAll(".unit.current")) one.classList.remove("current");
  unit.classList.add("current");
};
const go = (label, { scroll = true, remember = true } = {}) => {
  const unit = unitOf(label);
  if (!unit) return false;
  dispatchEvent(new Event("pandect:moved"));
  clearTimeout(writing);
  if (remember) history.pushState({ at: label }, "", addressOf(label));
  mark(unit);
  if (scroll) {
    unit.scrollIntoView();
    settle(unit);
  }
  see(unit);
  return true;
};

// What is far away has a height that is guessed, so a jump is repeated until it has arrived,
// and no longer than until somebody moves on.
let settling = 0;
let jump = 0; // A later one ends those before it.
const isEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
const settle = (unit) => {
  let arrived = 0;
  const own = ++jump;
  settling = 20;
  const again = () => {
    if (own !== jump || settling-- <= 0) return;
    const wanted = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const off = unit.getBoundingClientRect().top - wanted;
    const isThere = Math.abs(off) < 4 || (isEnd() && off > 0);
    arrived = isThere ? arrived + 1 : 0;
    if (!isThere) unit.scrollIntoView();
    if (arrived < 3) setTimeout(again, 50);
    else settling = 0;
  };
  requestAnimationFrame(again);
};
addEventListener("wheel", () => (settling = 0), { passive: true });
addEventListener("touchmove", () => (settling = 0), { passive: true });
addEventListener("pointerdown", () => (settling = 0));
addEventListener("keydown", () => (settling = 0));

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const url = new URL(link.href);
  const label = url.searchParams.get("at");
  if (url.origin !== location.origin || url.pathname !== page || label === null) return;
  const asked = (name) => url.searchParams.get(name) ?? "";
  if (["read", "version"].some((name) => asked(name) !== (kept().get(name) ?? ""))) return;
  if (url.searchParams.has("find") || !go(label)) return;
  event.preventDefault();
  if (contents.matches(":popover-open")) contents.hidePopover();
});
addEventListener("popstate", () => {
  clearTimeout(writing);
  const label = new URLSearchParams(location.search).get("at") ?? "";
  if (!label) return scrollTo(0, 0);
  if (!go(label, { remember: false })) location.reload();
});

// Where somebody is: in the path above the text, in the outline and in the address.
const pathTo = (unit) => {
  const path = JSON.parse(unit.closest(".part").dataset.above || "[]");
  for (const one of unit.closest(".part").querySelectorAll(".unit[id]")) {
    const level = Number(one.dataset.level);
    while (path.length && path.at(-1)[1] >= level) path.pop();
    if (level) path.push([one.dataset.at, level, one.dataset.name ?? one.dataset.at]);
    if (one === unit) break;
  }
  return path;
};
const crumbs = reader.querySelector("[data-crumbs]");
let seen = "";
const see = (unit) => {
  if (!unit || unit.dataset.at === seen) return;
  seen = unit.dataset.at;
  const path = pathTo(unit);
  crumbs.replaceChildren(
    ...path.map(([label, , name], index) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = addressOf(label);
      link.textContent = name;
      if (index === path.length - 1) link.setAttribute("aria-current", "location");
      item.append(link);
      return item;
    }),
  );
  markOutline(path.map(([label]) => label));
  step(unit, { isNext: false });
  step(unit, { isNext: true });
};

// The neighbour of a unit is the next one that is not below it.
const step = (unit, { isNext }) => {
  const link = reader.querySelector(`[data-step=${isNext ? "next" : "previous"}]`);
  if (!link) return;
  const level = Number(unit.dataset.level);
  const all = Array.from(parts.querySelectorAll(".unit[id]"));
  const at = all.indexOf(unit);
  const others = isNext ? all.slice(at + 1) : all.slice(0, at).reverse();
  const other = others.find((one) => one.dataset.at && Number(one.dataset.level) <= level);
  if (!other) return;
  link.href = addressOf(other.dataset.at);
  link.title = other.dataset.at;
};

const markOutline = (labels) => {
  for (const one of tree.querySelectorAll("[aria-current]")) one.removeAttribute("aria-current");
  for (const label of labels.toReversed()) {
    const item = tree.querySelector(`li[data-label="${CSS.escape(label)}"]`);
    if (!item || item.classList.contains("folded")) continue;
    const link = item.querySelector("a");
    link.setAttribute("aria-current", "location");
    const place = link.getBoundingClientRect();
    const frame = contents.getBoundingClientRect();
    if (place.top < frame.top + 50 || place.bottom > frame.bottom)
      contents.scrollTop += place.top - frame.top - frame.height / 3;
    return;
  }
};

// What is near the end never comes up to the bar: who went there is there.
const isAtEndOf = (bar) => {
  const place = isEnd() && parts.querySelector(".unit.current")?.getBoundingClientRect();
  return Boolean(place && place.bottom > bar.bottom && place.top < innerHeight);
};
let asked = false;
const look = () => {
  asked = false;
  if (settling > 0) return;
  const bar = reader.querySelector("[data-here]").getBoundingClientRect();
  const spot = document.elementFromPoint(bar.left + Math.min(120, bar.width / 2), bar.bottom + 30);
  const unit = spot?.closest?.(".unit[id]");
  if (!unit || isAtEndOf(bar)) return;
  see(unit);
  clearTimeout(writing);
  const label = unit.dataset.at;
  writing = setTimeout(() => {
    if (label && !location.search.includes("span=")) history.replaceState({ at: label }, "", addressOf(label));
  }, 400);
};
addEventListener(
  "scroll",
  () => {
    if (!asked) requestAnimationFrame(look);
    asked = true;
  },
  { passive: true },
);

// The outline opens where it is asked to, and finds.
const levelOf = (item) => Number(item.dataset.level);
const below = (item) => {
  const found = [];
  for (let next = item.nextElementSibling; next && levelOf(next) > levelOf(item); next = next.nextElementSibling)
    found.push(next);
  return found;
};
const unfold = (item, open) => {
  item.querySelector(".twist").setAttribute("aria-expanded", String(open));
  let closed = Infinity;
  for (const one of below(item)) {
    const twist = one.querySelector(".twist");
    one.classList.toggle("folded", !open || levelOf(one) > closed);
    if (levelOf(one) <= closed) closed = twist?.ariaExpanded === "false" ? levelOf(one) : Infinity;
  }
};
const dressTree = () => tree.querySelectorAll(".twist[hidden]").forEach((twist) => (twist.hidden = false));
tree.addEventListener("click", async (event) => {
  const twist = event.target.closest(".twist");
  if (!twist) return;
  const item = twist.closest("li");
  const open = twist.ariaExpanded !== "true";
  if (open && !below(item).length) {
    const query = kept();
    query.set("at", item.dataset.label);
    item.after(...parse(`<ol>${await get("outline/", query)}</ol>`).firstElementChild.children);
    dressTree();
  }
  unfold(item, open);
});

const found = reader.querySelector("[data-found]");
const find = document.getElementById("find");
let finding = 0;
find.addEventListener("input", () => {
  clearTimeout(finding);
  finding = setTimeout(async () => {
    const wanted = find.value.trim();
    if (wanted) {
      const query = kept();
      query.set("find", wanted);
      const answer = parse(`<ol>${await get("outline/", query)}</ol>`).firstElementChild;
      if (wanted !== find.value.trim()) return;
      found.replaceChildren(...answer.children);
    }
    found.hidden = !wanted;
    tree.hidden = Boolean(wanted);
  }, 150);
});

// Begin.
parts.classList.add("scripted");
reader.querySelector(".sheet").classList.add("scripted");
dressTree();
const perCharacter = ratio();
for (const waiting of parts.querySelectorAll(".waiting")) {
  waiting.style.blockSize = `${Math.round(Number(waiting.dataset.size) * perCharacter)}px`;
  near.observe(waiting);
}
const asks = new URLSearchParams(location.search);
if (location.hash.startsWith("#u-") && !asks.has("at")) {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!document.getElementById(name) && name.length > 2) {
    const query = kept();
    query.set("at", name.slice(2).replaceAll("_", " "));
    location.replace(`${page}?${query}`);
  }
}
const target = document.getElementById("span") ?? parts.querySelector(".unit.current");
if (target && (asks.has("at") || asks.has("span"))) {
  target.scrollIntoView();
  settle(target);
  see(target.closest(".unit"));
} else if (asks.get("part") > 0) {
  parts.querySelector(".part:not(.waiting)").scrollIntoView();
}
