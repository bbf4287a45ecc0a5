/**
 * Keeps a page as it would be if it were loaded now, and says honestly whether it is.
 *
 * Parts marked `data-live="topics…"` are fetched again from the page's own address when something
 * of their topics happened; htmx and idiomorph put in what differs. What a person has begun stays.
 *
 * @typedef {import("./worker.js").State} State
 * @typedef {import("./worker.js").Said} Said
 */

/** Milliseconds in which what happens together is collected, and between two looks at least. */
const FIRST = 20;
const STEP = 150;

const script = new URL(import.meta.url);

/** @type {State} */
let state = "off";
let wasSignedOut = false;

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

// --- what happened ---------------------------------------------------------------------------

/** @type {Set<string>} */
const due = new Set();
let everything = false;
let looked = -STEP;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function look() {
  timer = undefined;
  looked = performance.now();
  for (const part of document.querySelectorAll("[data-live]")) {
    const topics = (part.getAttribute("data-live") ?? "").split(" ");
    if (everything || topics.some((topic) => due.has(topic))) htmx.trigger(part, "live");
  }
  everything = false;
  due.clear();
}

function lookSoon() {
  timer ??= setTimeout(look, Math.max(FIRST, looked + STEP - performance.now()));
}

/** @param {State} next */
function show(next) {
  state = next;
  document.documentElement.dataset.connection = state;
  const element = document.getElementById("connection");
  if (element) {
    element.dataset.state = state;
    element.textContent = element.getAttribute(`data-say-${state}`) ?? "";
  }
  wasSignedOut ||= state === "signed-out";
  if (wasSignedOut && state === "live") renewForms();
}

/** @param {Said} said */
function hear(said) {
  if (said.state) show(said.state);
  everything ||= said.fresh === true;
  for (const topic of said.topics ?? []) due.add(topic);
  if (everything || due.size) lookSoon();
}

// --- requests --------------------------------------------------------------------------------

/** @param {Document} page */
const tokenOf = (page) => page.querySelector("meta[name=csrf]")?.getAttribute("content") ?? "";

/** After another sign-in the page's token is an old one; what was typed meanwhile still counts. */
async function renewForms() {
  wasSignedOut = false;
  const text = await fetch(location.href).then((answer) => answer.text());
  const token = tokenOf(new DOMParser().parseFromString(text, "text/html"));
  document.querySelector("meta[name=csrf]")?.setAttribute("content", token);
  for (const field of document.querySelectorAll("input[name=csrf]")) {
    field.setAttribute("value", token);
  }
}

document.addEventListener("htmx:configRequest", (event) => {
  /** @type {CustomEvent} */ (event).detail.headers["X-CSRF-Token"] = tokenOf(document);
});

// Nobody would answer, or nobody sees it: a tail that asks by itself waits.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden || state === "signed-out" || state === "reconnecting") event.preventDefault();
});

// --- the worker ------------------------------------------------------------------------------

const address = new URL(`worker.js${script.search}`, script);

/** Runs the worker's file in this page. @returns {Promise<MessagePort>} */
async function own() {
  await import(address.href);
  const { port1, port2 } = new MessageChannel();
  globalThis.onconnect({ ports: [port2] });
  return port1;
}

async function connect() {
  try {
    return new SharedWorker(address, "roundtable").port;
  } catch {
    return own();
  }
}

const worker = await connect();
/** @param {MessageEvent<Said>} event */
worker.onmessage = (event) => hear(event.data);
const say = () => worker.postMessage(document.hidden ? "away" : "looking");
document.addEventListener("visibilitychange", say);
addEventListener("pagehide", () => worker.postMessage("away"));
addEventListener("pageshow", (event) => {
  if (event.persisted) say();
});
say();
