// What a word means, what a reference leads to, and why one leads nowhere: shown where it stands.
// Without this file links lead there, and titles say why.
const parts = document.querySelector("[data-parts]");
const peek = document.getElementById("peek");
const previews = new Map();
let trigger = null;
let timer = 0;
const isPeeked = (one) => trigger === one && peek.matches(":popover-open");

const preview = async (link) => {
  if (!previews.has(link.href)) {
    const url = new URL(link.href);
    const answer = fetch(`${url.pathname}preview/${url.search}`);
    // Whoever was logged out is sent to the login by the link, not by having passed over it.
    previews.set(link.href, answer.then((one) => (one.ok && !one.redirected ? one.text() : "")));
  }
  return previews.get(link.href);
};
const fill = async (one) => {
  if (one.matches(".term")) {
    const meaning = document.getElementById(one.dataset.meaning);
    return meaning ? Array.from(meaning.cloneNode(true).children) : [];
  }
  if (one.matches(".reference")) {
    const page = new DOMParser().parseFromString(await preview(one), "text/html");
    return Array.from(page.body.children);
  }
  if (one.title) one.dataset.reason = one.title;
  one.removeAttribute("title"); // Browsers would show it beside this.
  const reason = document.createElement("p");
  reason.textContent = one.dataset.reason;
  return [reason];
};
const place = (one) => {
  const rect = one.getClientRects()[0] ?? one.getBoundingClientRect();
  const size = peek.getBoundingClientRect();
  const under = rect.bottom + 8;
  const top = under + size.height > innerHeight && rect.top > size.height + 16 ? rect.top - size.height - 8 : under;
  peek.style.top = `${top}px`;
  peek.style.left = `${Math.max(16, Math.min(rect.left, document.documentElement.clientWidth - size.width - 16))}px`;
};
const show = async (one) => {
  clearTimeout(timer);
  if (isPeeked(one)) return;
  hide();
  trigger = one;
  const filled = await fill(one);
  if (trigger !== one || !filled.length) return;
  peek.replaceChildren(...filled);
  peek.showPopover();
  place(one);
  one.setAttribute("aria-describedby", "peek");
};
const hide = () => {
  clearTimeout(timer);
  trigger?.removeAttribute("aria-describedby");
  trigger = null;
  if (peek.matches(":popover-open")) peek.hidePopover();
};
const later = (action, wait) => {
  clearTimeout(timer);
  timer = setTimeout(action, wait);
};
const peekable = (event) => event.target.closest?.(".term, .reference, .lost");
parts.addEventListener("pointerover", (event) => {
  const one = peekable(event);
  if (one && event.pointerType === "mouse" && !isPeeked(one)) later(() => show(one), 180);
  else if (one) clearTimeout(timer);
});
parts.addEventListener("pointerout", (event) => {
  if (peekable(event) && event.pointerType === "mouse") later(hide, 250);
});
peek.addEventListener("pointerenter", () => clearTimeout(timer));
peek.addEventListener("pointerleave", () => later(hide, 250));
parts.addEventListener("focusin", (event) => {
  const one = peekable(event);
  if (one?.matches(":focus-visible")) show(one);
});
parts.addEventListener("focusout", (event) => {
  if (peekable(event)) later(hide, 100);
});
let touched = false;
addEventListener("pointerdown", (event) => {
  touched = event.pointerType === "touch";
  if (!peek.contains(event.target) && !peekable(event)) hide();
});
parts.addEventListener(
  "click",
  (event) => {
    const one = peekable(event);
    if (!one || !touched || isPeeked(one)) return;
    event.preventDefault();
    show(one);
  },
  true,
);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && peek.matches(":popover-open")) {
    hide();
    event.stopPropagation();
  }
});
addEventListener("scroll", () => trigger && isPeeked(trigger) && place(trigger), { passive: true });
addEventListener("pandect:moved", hide);
