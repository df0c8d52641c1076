// The pages work without this. It brings what changed, keeps what was half written, makes times local and adds keys.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const body = document.body;

// ---- times: local, with the exact one on hover
let local;
function times(root = document) {
  for (const time of $$("time[datetime]", root)) {
    const at = new Date(time.dateTime);
    // Made where a page has times: it takes longer than painting the page.
    local ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
    if (!Number.isNaN(at.valueOf())) time.textContent = local.format(at);
  }
}

// ---- notes: kept in this tab until they are sent
const noteKey = (box) => `hewto-note:${location.pathname}:${box.dataset.note}`;
function keepNotes(root = document) {
  for (const box of $$("textarea[data-note]", root)) {
    const kept = sessionStorage.getItem(noteKey(box));
    if (kept && !box.value) {
      box.value = kept;
      box.closest("details")?.setAttribute("open", "");
    }
  }
}
document.addEventListener("input", (event) => {
  const box = event.target;
  if (!box.matches?.("textarea[data-note]")) return;
  if (box.value) sessionStorage.setItem(noteKey(box), box.value);
  else sessionStorage.removeItem(noteKey(box));
});
// What was sent and taken is forgotten when its page comes back; what was refused stays.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  setTimeout(() => delete form.dataset.sent, 4000);
  const boxes = $$("textarea[data-note]", form).map(noteKey);
  if (boxes.length) sessionStorage.setItem("hewto-sent", JSON.stringify(boxes));
});
if (new URLSearchParams(location.search).has("done")) {
  for (const key of JSON.parse(sessionStorage.getItem("hewto-sent") ?? "[]")) sessionStorage.removeItem(key);
  const clean = new URL(location.href);
  clean.searchParams.delete("done");
  history.replaceState(null, "", clean);
}
sessionStorage.removeItem("hewto-sent");

// ---- what changed: the page is asked for again, and only the regions that differ are replaced
let asked = 0;
async function refresh() {
  const mine = ++asked;
  const address = new URL(location.href);
  address.searchParams.set("part", "main");
  address.hash = "";
  let reply;
  try {
    reply = await fetch(address, { headers: { accept: "text/html" }, cache: "no-store" });
  } catch {
    return gone("The server is gone. What you wrote is kept; this page comes back by itself.");
  }
  if (reply.status === 401) return gone("You are signed out. Run “hewto ui” again; what you wrote is kept.");
  if (mine !== asked) return;
  if (reply.status === 429 || reply.status === 503) return gone("The server is busy or ends. What you wrote is kept; this page comes back by itself.");
  back();
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  if (!reply.ok) return leaveAsItWas(fresh);
  if (isOld) hideBanner();
  isOld = false;
  replaceRegions(fresh);
  offerNewText(fresh);
}
// What is shown here is there no more, or cannot be read: the page stays as it was, and says so.
let isOld = false;
function leaveAsItWas(fresh) {
  isOld = true;
  const why = $("#trouble .message", fresh)?.textContent ?? "it cannot be shown";
  banner(`This page shows how it was: ${why}. What you wrote is kept.`);
}
// A region is left alone while somebody works in it; what they wrote, opened and focused survives its replacement.
function replaceRegions(fresh) {
  const regions = $$("[data-region]", fresh);
  const names = new Set(regions.map((region) => region.id));
  for (const now of regions) {
    const old = document.getElementById(now.id);
    times(now);
    if (!old) {
      appendNear(now);
      continue;
    }
    if (comparable(old) === comparable(now)) continue;
    const focus = old.contains(document.activeElement) ? place(document.activeElement) : null;
    const open = $$("details[open]", old).map((box) => $("textarea", box)?.id).filter(Boolean);
    const boxes = $$("textarea[id],select[id],input[id]:not([type=hidden])", old);
    const scroll = window.scrollY;
    old.replaceWith(document.importNode(now, true));
    for (const id of open) document.getElementById(id)?.closest("details")?.setAttribute("open", "");
    for (const was of boxes) {
      const box = document.getElementById(was.id);
      if (box?.type === "checkbox") box.checked = was.checked;
      else if (box && was.value) box.value = was.value;
    }
    focus?.();
    window.scrollTo(0, scroll);
  }
  for (const old of $$("[data-region]")) {
    if (names.has(old.id)) continue;
    const held = old.contains(document.activeElement);
    old.remove();
    if (held) $("main").focus({ preventScroll: true });
  }
}
const comparable = (element) => {
  const copy = element.cloneNode(true);
  // What makes a form count once differs every time, and what a script did is no difference.
  for (const field of $$("input[name=once],input[name=back]", copy)) field.remove();
  for (const box of $$("details", copy)) box.removeAttribute("open");
  for (const time of $$("time", copy)) time.textContent = "";
  return copy.outerHTML;
};
// A new region stands where the fresh page has it: before what follows there, else behind what precedes, else in the same place.
function appendNear(region) {
  const here = (element) => element?.id && document.getElementById(element.id);
  const ours = document.importNode(region, true);
  for (let next = region.nextElementSibling; next; next = next.nextElementSibling) {
    if (here(next)) return here(next).before(ours);
  }
  for (let last = region.previousElementSibling; last; last = last.previousElementSibling) {
    if (here(last)) return here(last).after(ours);
  }
  (here(region.parentElement) || $("main")).append(ours);
}
// Where the focus was: by its id, else by the item that it was in, which its link tells from others.
const focusable = "a[href],button,input:not([type=hidden]),select,summary,textarea,[data-item]";
const linkOf = (item) => $("a[href]", item)?.getAttribute("href");
function place(element) {
  const item = element.closest("[data-item]");
  const [home, link] = [item ?? element.closest("[id]"), item && linkOf(item)];
  const [nth, nthItem] = [$$(focusable, home ?? body).indexOf(element), $$("[data-item]").indexOf(item)];
  const [start, end] = [element.selectionStart, element.selectionEnd];
  const found = () => {
    if (element.id) return document.getElementById(element.id);
    if (!item) return home && $$(focusable, document.getElementById(home.id) ?? body)[nth];
    const all = $$("[data-item]");
    const same = (link && all.find((one) => linkOf(one) === link)) ?? all[Math.min(nthItem, all.length - 1)];
    return same && (element === item ? same : ($$(focusable, same)[nth] ?? same));
  };
  return () => {
    const again = found() ?? $("main");
    again.focus({ preventScroll: true });
    if (start != null && again.setSelectionRange) again.setSelectionRange(start, end);
  };
}
// A verdict stays bound to what was shown when the page was opened; sending it then shows the difference first.
function offerNewText(fresh) {
  const [old, now] = [$("#verdict input[name=shown]"), $("#verdict input[name=shown]", fresh)];
  if (!old || !now || old.value === now.value) return;
  banner("The text has changed since you opened this page. Your verdict is still about the old one: send it to see the difference, or open the page again.");
}

// ---- the banner
let hide;
function banner(words, time) {
  const bar = $("#banner");
  if (!bar) return;
  bar.textContent = words;
  bar.hidden = false;
  clearTimeout(hide);
  if (time) hide = setTimeout(() => (bar.hidden = true), time);
}
function hideBanner() {
  clearTimeout(hide);
  $("#banner").hidden = true;
}
let isGone = false;
let again;
function gone(words) {
  isGone = true;
  live("○ not live");
  banner(words);
  again ??= setTimeout(lookAgain, 2000);
}
function lookAgain() {
  again = undefined;
  refresh();
}
function back() {
  if (!isGone) return;
  isGone = false;
  banner("The server is back.", 3000);
}
function live(words) {
  const sign = $("#live");
  if (!sign) return;
  sign.textContent = words;
  sign.hidden = false;
}

// ---- events: one tab of a browser listens and tells the others, because a browser opens few connections to one host
const watches = (body.dataset.watches ?? "").split(" ").filter(Boolean);
const channel = watches.length && "BroadcastChannel" in window ? new BroadcastChannel(`hewto ${body.dataset.events}`) : null;
let wait;
let isLive = false;
function heard(news) {
  if (news.who) return isListening() && channel.postMessage({ alive: true });
  if (news.alive) {
    live("● live");
    // What happened between this page and its first news is not in them.
    if (!isLive) refresh();
    isLive = true;
    return;
  }
  if (news.gone) {
    isLive = false;
    again ??= setTimeout(lookAgain, 300);
    return;
  }
  const concerns = news.regions?.some((region) => region === "all" || watches.includes(region));
  if (!concerns) return;
  clearTimeout(wait);
  wait = setTimeout(refresh, 40);
}
channel?.addEventListener("message", (event) => heard(event.data));
function tell(news) {
  heard(news);
  channel?.postMessage(news);
}
let source;
const isListening = () => source?.readyState === EventSource.OPEN;
function listen() {
  if (!watches.length || !window.EventSource) return;
  if (!navigator.locks || !channel) return open();
  channel.postMessage({ who: true });
  navigator.locks.request(`hewto ${body.dataset.events}`, () => {
    open();
    return new Promise(() => {});
  });
}
function open() {
  source?.close();
  source = new EventSource(body.dataset.events);
  source.addEventListener("open", () => tell({ alive: true }));
  source.addEventListener("changed", (event) => tell(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    tell({ gone: true });
    if (source.readyState === EventSource.CLOSED) setTimeout(open, 2000);
  });
}

// ---- keys
const items = () => $$("[data-item]").filter((item) => item.offsetParent !== null || item.getClientRects().length);
const differences = () => $$("[data-difference]");
function step(list, by) {
  if (!list.length) return;
  const at = list.findIndex((item) => item.contains(document.activeElement));
  const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by))];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}
const current = () => document.activeElement?.closest("[data-item]");
let going = false;
const keys = {
  j: () => step(items(), 1),
  k: () => step(items(), -1),
  n: () => step(differences(), 1),
  p: () => step(differences(), -1),
  Enter: () => current() === document.activeElement && $("a", current())?.click(),
  c: () => {
    const box = $("[data-comment]", current() ?? $("#region-comments") ?? document);
    if (!box) return;
    if (box.matches("a")) return box.click();
    box.open = true;
    $("textarea", box)?.focus();
  },
  s: () => {
    const form = current() && $("form[data-seen]", current());
    if (form) form.requestSubmit();
  },
  a: () => {
    const note = $("#verdict textarea");
    note?.scrollIntoView({ block: "nearest" });
    note?.focus();
  },
  "/": () => $("#search")?.focus(),
  "?": () => $("#help")?.showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.("input,textarea,select,[contenteditable]");
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (going) {
    going = false;
    const link = $(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) {
      event.preventDefault();
      link.click();
    }
    return;
  }
  if (event.key === "g") {
    going = true;
    setTimeout(() => (going = false), 1500);
    return;
  }
  if (event.key === "Enter" && event.target !== current()) return;
  const act = Object.hasOwn(keys, event.key) && keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// The first frame is asked for in one turn and on the screen by the next.
function afterPaint(act) {
  if (document.hidden) act();
  else requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));
}

keepNotes();
// A long page has links in place of boxes for comments; one that was opened by its link is written in at once.
if (location.hash.startsWith("#comment-")) document.getElementById(location.hash.slice(1))?.focus();
// What is seen first needs none of this. A page in the background is not painted.
afterPaint(() => {
  times();
  listen();
  // From here on keys are heard.
  document.documentElement.dataset.ready = "yes";
});
