/**
 * Moves cards on the board by mouse, touch and keyboard.
 *
 * Every move is one of the forms that the page has: it is sent, and the page that is answered takes
 * the place of the board. So a card that may not be moved goes back by itself, and the reason is
 * the server's.
 */

/** Milliseconds that a word about a move stays, while nobody points at it or is in it. */
const STAYS = 8000;
/** Milliseconds of a press on a touch screen before a card is taken: a shorter one scrolls. */
const PRESS = 250;

const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {string} id */
const by = (id) => document.getElementById(id);

// --- what is said ------------------------------------------------------------------------------

/** @type {ReturnType<typeof setTimeout> | undefined} */
let leaving;

function leaveLater() {
  clearTimeout(leaving);
  leaving = setTimeout(() => {
    const toasts = by("toasts");
    if (toasts?.matches(":hover, :focus-within")) leaveLater();
    else toasts?.replaceChildren();
  }, STAYS);
}

/** @param {readonly Node[]} told @param {boolean} wrong */
function say(told, wrong) {
  const toasts = by("toasts");
  if (!toasts) return;
  toasts.setAttribute("role", wrong ? "alert" : "status");
  toasts.replaceChildren(...told);
  if (told.length) leaveLater();
}

/** @param {string} text */
function complain(text) {
  const toast = document.createElement("div");
  toast.className = "toast wrong";
  const words = document.createElement("p");
  words.textContent = text;
  toast.append(words);
  say([toast], true);
}

/** A sentence of the page's own, about this card. @param {"none" | "lost"} which
 * @param {Element} card */
const sentence = (which, card) =>
  (by("board")?.getAttribute(`data-${which}`) ?? "").replace(
    "{task}",
    card.getAttribute("data-name") ?? "",
  );

// --- the board holds still ---------------------------------------------------------------------

/** How many want it. What is not renewed meanwhile comes with the answer to the move. */
let still = 0;
let guarded = false;

/** Whether `now` was made before what is shown: a look that was under way during a move.
 * @param {Element} old @param {unknown} now */
const isOlder = (old, now) =>
  now instanceof Element && Number(now.getAttribute("data-at")) < Number(old.getAttribute("data-at"));

/** Not at once: what the page's other scripts decide is set after this one. */
function guard() {
  if (guarded) return;
  guarded = true;
  const callbacks = Idiomorph.defaults.callbacks;
  const renewing = callbacks.beforeNodeMorphed;
  callbacks.beforeNodeMorphed = (old, now) => {
    const board = by("board");
    const own = board && old instanceof Element && board.contains(old);
    if (own && (still > 0 || (old === board && isOlder(old, now)))) return false;
    return renewing?.(old, now);
  };
}

function hold() {
  guard();
  still += 1;
}

function release() {
  still -= 1;
}

// --- moving ------------------------------------------------------------------------------------

let busy = false;

/** Puts the answered page in the place of what is shown. @param {Document} page */
function show(page) {
  const now = page.getElementById("board");
  const board = by("board");
  if (board && now) Idiomorph.morph(board, now, { morphStyle: "outerHTML" });
  const why = page.querySelector("main > .refused")?.textContent;
  if (why) complain(why);
  else say([...(page.getElementById("toasts")?.children ?? [])], false);
}

/** @param {HTMLFormElement} form @param {string} status @returns {Promise<Document | null>} */
async function sent(form, status) {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value));
  body.append("status", status);
  const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
  if (answer?.status === 401) location.reload();
  const text = (await answer?.text().catch(() => "")) ?? "";
  const page = new DOMParser().parseFromString(text, "text/html");
  return page.getElementById("board") ? page : null;
}

/** @param {HTMLFormElement} form @param {string} status @param {Element | null} card
 * @param {boolean} follow whether the keyboard goes with it */
async function move(form, status, card, follow) {
  if (busy) return false;
  busy = true;
  card?.setAttribute("aria-busy", "true");
  for (const menu of card?.querySelectorAll("details") ?? []) menu.open = false;
  hold();
  const page = await sent(form, status);
  release();
  busy = false;
  card?.removeAttribute("aria-busy");
  if (!page) {
    if (card) complain(sentence("lost", card));
    return false;
  }
  show(page);
  if (follow && card) by(card.id)?.querySelector("a")?.focus();
  return true;
}

/** Any form of the card will do: they differ by what their button says.
 * @param {Element} card @returns {HTMLFormElement | null} */
const formOf = (card) => card.querySelector("form[data-move]");

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches("[data-move]")) return;
  event.preventDefault();
  const status = event.submitter?.getAttribute("value") ?? "";
  const id = form.action.split("/").at(-2);
  move(form, status, form.closest(".card") ?? by(`card-${id}`), true);
});

// --- by keyboard -------------------------------------------------------------------------------

/** The nearest column on that side that the card may go to. @param {Element} card
 * @param {number} step @returns {string | undefined} */
function beside(card, step) {
  const stacks = [...document.querySelectorAll(".stack")];
  const names = stacks.map((one) => one.getAttribute("data-status") ?? "");
  const may = card.getAttribute("data-moves")?.split(" ") ?? [];
  const own = stacks.findIndex((one) => one.contains(card));
  const side = step < 0 ? names.slice(0, own).reverse() : names.slice(own + 1);
  return side.find((name) => may.includes(name));
}

/** Along its column. @param {Element} card @param {number} step */
function walk(card, step) {
  const cards = [...(card.parentElement?.children ?? [])];
  cards[cards.indexOf(card) + step]?.querySelector("a")?.focus();
}

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

document.addEventListener("keydown", (event) => {
  const card = event.target instanceof Element && event.target.closest(".card");
  if (!card || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const step = STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  if (event.key === "ArrowUp" || event.key === "ArrowDown") return walk(card, step);
  const status = beside(card, step);
  const form = formOf(card);
  if (status && form) move(form, status, card, true);
  else complain(sentence("none", card));
});

// --- by mouse and by touch ---------------------------------------------------------------------

/** Where the card was. @type {{ parent: Node, next: Node | null } | undefined} */
let home;

function lift() {
  document.documentElement.dataset.dragging = "";
}

function putDown() {
  delete document.documentElement.dataset.dragging;
}

/** @param {Dragged} dragged */
async function drop({ item, from, to }) {
  putDown();
  const place = home;
  home = undefined;
  if (from === to) return;
  const form = formOf(item);
  const status = to.dataset.status;
  const done = form && status && (await move(form, status, item, false));
  if (!form || !status) complain(sentence("none", item));
  if (done || !place) return;
  place.parent.insertBefore(item, place.next?.parentNode === place.parent ? place.next : null);
}

/** A menu that `moveBefore` has moved while it was closed, Chromium 150 opens without its content.
 * @param {Element} list */
const moveAnew = (list) => Object.assign(list, { moveBefore: undefined });

/** @param {HTMLElement} list */
function attach(list) {
  moveAnew(list);
  Sortable.create(list, {
    group: "board",
    draggable: ".card",
    filter: ".menu, .marks a, [aria-busy]",
    preventOnFilter: false,
    sort: false,
    forceFallback: true,
    fallbackTolerance: 4,
    fallbackOnBody: true,
    delay: PRESS,
    delayOnTouchOnly: true,
    touchStartThreshold: 6,
    scrollSensitivity: 60,
    animation: calm ? 0 : 120,
    onChoose: hold,
    onUnchoose: release,
    onStart: lift,
    onEnd: drop,
  });
}

// Lists come and go with what is renewed; each is made ready before the press on it arrives.
document.addEventListener(
  "pointerdown",
  (event) => {
    const card = event.target instanceof Element ? event.target.closest(".card") : null;
    if (card?.parentElement) home = { parent: card.parentElement, next: card.nextSibling };
    /** @type {NodeListOf<HTMLElement>} */
    const lists = document.querySelectorAll(".stack");
    for (const list of lists) if (!Sortable.get(list)) attach(list);
  },
  { capture: true },
);

for (const list of document.querySelectorAll(".stack")) moveAnew(list);

if (by("toasts")?.childElementCount) leaveLater();
