/**
 * Keeps a page as it would be if it were loaded now, and says honestly whether it is.
 *
 * When something of the topics happened that its parts name in `data-live`, the page is fetched
 * once more, and idiomorph puts into those parts what differs. What a person has begun stays.
 *
 * @typedef {import("./worker.js").State} State
 * @typedef {import("./worker.js").Said} Said
 */

/** Milliseconds in which what happens together is collected, and between two looks at least. */
const FIRST = 20;
const STEP = 500;
/** Milliseconds between looks for what no event tells: running times, the scheduler's health. */
const ROUTINE = 15_000;
/** Milliseconds without an answer after which it is said since when. */
const GONE = 8000;
/** Milliseconds between two signs of life to the worker; see its SILENT. */
const HERE = 60_000;

const script = new URL(import.meta.url);

/** @type {State} */
let state = "off";

// --- what a person has begun -----------------------------------------------------------------

/** @param {HTMLSelectElement} select */
function isChosen(select) {
  const options = [...select.options];
  const first = options.some((one) => one.defaultSelected) || select.multiple ? -1 : 0;
  return options.some((one, at) => one.selected !== (one.defaultSelected || at === first));
}

/** @param {Element} field */
function isBegun(field) {
  if (field instanceof HTMLSelectElement) return isChosen(field);
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return false;
  if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

/** @param {Node} old */
function mayMorph(old) {
  if (!(old instanceof Element) || !old.matches("input, textarea, select")) return true;
  return old !== document.activeElement && !isBegun(old);
}

Object.assign(Idiomorph.defaults.callbacks, {
  beforeNodeMorphed: mayMorph,
  /** @param {string} name @param {Element} element */
  beforeAttributeUpdated: (name, element) =>
    !(name === "open" && element.matches("details, dialog")),
});

// --- looking ---------------------------------------------------------------------------------

/** @param {Document} page @param {string} name */
const meta = (page, name) =>
  page.querySelector(`meta[name=${name}]`)?.getAttribute("content") ?? "";

/** The page as it is now; nothing where it cannot be had. @returns {Promise<Document | null>} */
async function fetched() {
  const answer = await fetch(meta(document, "here"), { cache: "no-store" }).catch(() => null);
  const text = answer?.ok ? await answer.text().catch(() => "") : "";
  return text ? new DOMParser().parseFromString(text, "text/html") : null;
}

/** After another sign-in the token is another one; what was typed meanwhile still counts.
 * @param {string} token */
function renewForms(token) {
  if (!token || token === meta(document, "csrf")) return;
  document.querySelector("meta[name=csrf]")?.setAttribute("content", token);
  for (const field of document.querySelectorAll("input[name=csrf]")) {
    field.setAttribute("value", token);
  }
}

/** What a row of a list is about: where it leads, or where its form does. @param {Element} row */
function subject(row) {
  const leads = row.querySelector("a[href], form[action]");
  return leads?.getAttribute("href") ?? leads?.getAttribute("action") ?? "";
}

/** Empty text between rows would be matched before the rows are, and each of them be taken out and
 * put back for it: what was read, marked or scrolled would be lost. @param {Element} part */
function closeGaps(part) {
  for (const list of part.querySelectorAll("ul, ol, tbody")) {
    for (const node of [...list.childNodes]) {
      if (node.nodeType === Node.TEXT_NODE && !node.nodeValue?.trim()) node.remove();
    }
  }
}

/** Rows come and go: by a name of its own each stays the row that it is, with what a person has
 * begun in it, and a button under the focus never becomes that of another row.
 * @param {Element} part */
function nameRows(part) {
  const seen = new Set();
  for (const row of part.querySelectorAll("li, tr")) {
    if (row.id && !row.id.startsWith("row ")) continue;
    const list = row.closest("[aria-labelledby]")?.getAttribute("aria-labelledby") ?? part.id;
    const name = subject(row) && `row ${list} ${subject(row)}`;
    if (name && !seen.has(name)) row.id = name;
    else row.removeAttribute("id");
    seen.add(name);
  }
}

/** A row that is moved forgets how far it was scrolled. @param {Element} part */
function scrolled(part) {
  const kept = [...part.querySelectorAll("*")]
    .filter((one) => one.scrollLeft || one.scrollTop)
    .map((one) => /** @type {const} */ ([one, one.scrollLeft, one.scrollTop]));
  return () => {
    for (const [one, left, top] of kept) {
      if (one.scrollLeft !== left) one.scrollLeft = left;
      if (one.scrollTop !== top) one.scrollTop = top;
    }
  };
}

/** Nor does every browser leave the focus in it. @param {Element} part */
function focused(part) {
  const one = /** @type {HTMLElement | null} */ (document.activeElement);
  const typed = one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement;
  const caret = typed ? [one.selectionStart, one.selectionEnd] : [];
  return () => {
    if (!one?.isConnected || !part.contains(one) || one === document.activeElement) return;
    one.focus({ preventScroll: true });
    if (typed && caret[0] !== null) one.setSelectionRange(caret[0], caret[1]);
  };
}

/** @param {Document} page */
function renewTheme(page) {
  const { theme } = page.documentElement.dataset;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** Puts what differs of a page into this one. @param {Document} page */
export function takeOver(page) {
  renewForms(meta(page, "csrf"));
  renewTheme(page);
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = page.getElementById(part.id);
    if (!now) continue;
    for (const tree of [part, now]) {
      closeGaps(tree);
      nameRows(tree);
    }
    const putBack = [scrolled(part), focused(part)];
    Idiomorph.morph(part, now, { morphStyle: "outerHTML" });
    for (const one of putBack) one();
  }
}

/** @type {Set<string>} */
const due = new Set();
let everything = false;
let looking = false;
let looked = -STEP;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function isDue() {
  const parts = [...document.querySelectorAll("[data-live]")];
  const topics = parts.flatMap((part) => part.getAttribute("data-live")?.split(" ") ?? []);
  return everything || topics.some((topic) => due.has(topic));
}

async function look() {
  timer = undefined;
  const wanted = isDue();
  everything = false;
  due.clear();
  if (!wanted) return;
  looked = performance.now();
  looking = true;
  const page = await fetched();
  looking = false;
  if (page) takeOver(page);
  if (everything || due.size) lookSoon();
}

/** One look at a time; what is told while it is under way makes another one. */
function lookSoon() {
  if (!looking) timer ??= setTimeout(look, Math.max(FIRST, looked + STEP - performance.now()));
}

setInterval(() => {
  if (document.hidden || (state !== "live" && state !== "polling")) return;
  everything = true;
  lookSoon();
}, ROUTINE);

// --- what is said ----------------------------------------------------------------------------

/** When the answers stopped. @type {Date | undefined} */
let since;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let telling;

function tell() {
  const element = document.getElementById("connection");
  if (!element) return;
  const gone = since && Date.now() - since.getTime() >= GONE;
  const time = since?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) ?? "";
  const said = element.getAttribute(`data-say-${gone ? "gone" : state}`) ?? "";
  element.dataset.state = state;
  if (element.textContent !== said.replace("{time}", time))
    element.textContent = said.replace("{time}", time);
}

/** @param {State} next */
function show(next) {
  state = next;
  document.documentElement.dataset.connection = state;
  clearTimeout(telling);
  since = state === "reconnecting" ? (since ?? new Date()) : undefined;
  if (since) telling = setTimeout(tell, Math.max(0, since.getTime() + GONE - Date.now()));
  tell();
}

/** @param {Said} said */
function hear(said) {
  if (said.state) show(said.state);
  everything ||= said.fresh === true;
  for (const topic of said.topics ?? []) due.add(topic);
  if (everything || due.size) lookSoon();
}

// --- a transcript's own requests -------------------------------------------------------------

document.addEventListener("htmx:configRequest", (event) => {
  /** @type {CustomEvent} */ (event).detail.headers["X-CSRF-Token"] = meta(document, "csrf");
});

// Nobody would answer, or nobody sees it: a tail that asks by itself waits. A person need not.
document.addEventListener("htmx:beforeRequest", (event) => {
  const asked = /** @type {CustomEvent} */ (event).detail.requestConfig.triggeringEvent;
  const waits = document.hidden || state === "signed-out" || state === "reconnecting";
  if (!asked && waits) event.preventDefault();
});

// --- the worker ------------------------------------------------------------------------------

const address = new URL(`worker.js${script.search}`, script);

/** @type {MessagePort | undefined} */
let worker;

/** @param {MessagePort} port */
function listenTo(port) {
  worker = port;
  worker.onmessage = (event) => hear(event.data);
  say();
}

/** Runs the worker's file in this page. */
async function own() {
  await import(address.href);
  const { port1, port2 } = new MessageChannel();
  globalThis.onconnect({ ports: [port2] });
  listenTo(port1);
}

function connect() {
  try {
    const shared = new SharedWorker(address, "roundtable");
    shared.onerror = own;
    listenTo(shared.port);
  } catch {
    own();
  }
}

function say() {
  worker?.postMessage(document.hidden ? "away" : "looking");
}

connect();
document.addEventListener("visibilitychange", say);
addEventListener("pagehide", () => worker?.postMessage("away"));
addEventListener("pageshow", (event) => {
  if (event.persisted) say();
});
setInterval(() => {
  if (!document.hidden) worker?.postMessage("here");
}, HERE);
