/**
 * The palette: what can be done on this page, every page, and tasks, agents, routines and runs by
 * their names. A combobox with its list, in a dialog that keeps the focus and gives it back.
 *
 * @typedef {{ kind: string, title: string, note: string, choose: () => void }} Option
 * @typedef {{ kind: string, name: string, number: number | null, place: string, path: string }} Hit
 */

/** Milliseconds without a further letter until the server is asked. */
const PAUSE = 120;
const DOABLE = "main form button, main a.button, .bar form button, .bar a.button";

const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("palette"));
const field = /** @type {HTMLInputElement | null} */ (document.getElementById("palette-words"));
const list = document.getElementById("palette-hits");
const said = document.getElementById("palette-said");

/** @type {Option[]} */
let options = [];
let chosen = 0;
/** @type {AbortController | undefined} */
let asking;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {Element | null | undefined} element */
const words = (element) => element?.textContent?.replace(/\s+/g, " ").trim() ?? "";

/** @param {string} what */
const say = (what) => dialog?.getAttribute(`data-say-${what}`) ?? what;

// --- what there is ---------------------------------------------------------------------------

/** What a button is about: the name in its row, or the heading above it. @param {Element} button */
function about(button) {
  const row = button.closest(".row, .ask, tr");
  const place = button.closest("section, dialog");
  return words(row?.querySelector(".strong, .question") ?? place?.querySelector("h2, h3"));
}

/** A button that ends something is gone to and not pressed. @param {HTMLElement} button */
function press(button) {
  button.closest("details")?.setAttribute("open", "");
  button.focus();
  button.scrollIntoView({ block: "center" });
  if (!button.matches(".danger")) button.click();
}

/** @returns {Option[]} */
function actions() {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll(DOABLE);
  return [...found]
    .filter((one) => !one.matches(":disabled") && one.getClientRects().length)
    .map((one) => ({
      kind: "action",
      title: one.dataset.does || one.getAttribute("aria-label") || words(one),
      note: about(one),
      choose: () => press(one),
    }))
    .filter((one) => one.title)
    .map((one) => (one.title.includes(one.note) ? { ...one, note: "" } : one));
}

/** @returns {Option[]} */
function pages() {
  return [...document.querySelectorAll("#keys [data-go]")].map((row) => ({
    kind: "page",
    title: words(row.querySelector("dd")),
    note: words(row.querySelector("dt")),
    choose: () => location.assign(row.getAttribute("data-go") ?? "/"),
  }));
}

/** @param {Hit} hit @returns {Option} */
function found(hit) {
  const number = hit.number === null ? "" : `T-${hit.number} `;
  const choose = () => location.assign(hit.path);
  return { kind: hit.kind, title: number + hit.name, note: hit.place, choose };
}

/** @param {Option} option @param {string[]} wanted */
function fits(option, wanted) {
  const text = `${option.title} ${option.note}`.toLowerCase();
  return wanted.every((word) => text.includes(word));
}

// --- the list --------------------------------------------------------------------------------

/** @param {string} text @param {string} name */
function part(text, name) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

/** @param {Option} option @param {number} at */
function row(option, at) {
  const element = document.createElement("li");
  element.id = `palette-${at}`;
  element.setAttribute("role", "option");
  const kind = part(say(option.kind), "chip");
  element.append(kind, " ", part(option.title, "title"), " ", part(option.note, "quiet"));
  element.addEventListener("click", () => choose(at));
  return element;
}

/** @param {number} at */
function mark(at) {
  chosen = Math.max(0, Math.min(at, options.length - 1));
  [...(list?.children ?? [])].forEach((one, place) => {
    one.setAttribute("aria-selected", String(place === chosen));
    if (place === chosen) one.scrollIntoView({ block: "nearest" });
  });
  if (options.length) field?.setAttribute("aria-activedescendant", `palette-${chosen}`);
  else field?.removeAttribute("aria-activedescendant");
}

/** @param {Option[]} all @param {string} told */
function show(all, told) {
  options = all;
  list?.replaceChildren(...all.map(row));
  if (said) said.textContent = told || (all.length ? "" : say("nothing"));
  mark(0);
}

/** @param {number} at */
function choose(at) {
  const option = options[at];
  if (!option) return;
  dialog?.close();
  option.choose();
}

// --- asking ----------------------------------------------------------------------------------

/** @param {string} text @param {AbortSignal} signal @returns {Promise<Option[]>} */
async function objects(text, signal) {
  const answer = await fetch(`/api/v1/search?q=${encodeURIComponent(text)}`, { signal });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).items.map(found);
}

/** What is here is shown at once; what the server knows comes after it. */
function look() {
  const text = (field?.value ?? "").slice(0, 200);
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const near = [...actions(), ...pages()].filter((one) => fits(one, wanted));
  asking?.abort();
  const signal = (asking = new AbortController()).signal;
  show(near, " ");
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const far = await objects(text, signal).catch(() => null);
    if (signal.aborted) return;
    const before = chosen;
    show([...near, ...(far ?? [])], far ? "" : say("failed"));
    mark(before);
  }, PAUSE);
}

/** @type {Record<string, () => void>} */
const MOVES = {
  ArrowDown: () => mark(chosen + 1 < options.length ? chosen + 1 : 0),
  ArrowUp: () => mark(chosen ? chosen - 1 : options.length - 1),
  PageDown: () => mark(chosen + 8),
  PageUp: () => mark(chosen - 8),
  Enter: () => choose(chosen),
};

field?.addEventListener("keydown", (event) => {
  const act = event.isComposing ? undefined : MOVES[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
field?.addEventListener("input", look);
dialog?.addEventListener("opened", () => {
  if (field) field.value = "";
  look();
});
dialog?.addEventListener("close", () => {
  asking?.abort();
  clearTimeout(timer);
});
