/**
 * What a person does by keys. The map is the sheet of keys itself: a row of it names its keys in
 * `data-keys`, one after the other, and where they lead in `data-go` or what they do in `data-act`.
 *
 * A dialog that a button or a link names in `data-opens` is opened here, too.
 */

/** Milliseconds that the second key of two may take. */
const PATIENCE = 1500;
const ROWS = "main .row, main .ask, main [data-row], main tbody tr";
const FIELDS = "input, textarea, select, [contenteditable]";
/** Where the addresses of the list are kept that a person came from. */
const LIST = "roundtable-list";

document.documentElement.dataset.scripts = "on";

const sheet = document.querySelector("dialog#keys");

// --- dialogs ---------------------------------------------------------------------------------

/** Opens it; the browser keeps the focus within, and gives it back at the end.
 * @param {string} name */
function open(name) {
  const dialog = document.getElementById(name);
  if (!(dialog instanceof HTMLDialogElement) || document.querySelector("dialog[open]")) return false;
  for (const one of document.querySelectorAll("[popover]:popover-open")) {
    /** @type {HTMLElement} */ (one).hidePopover();
  }
  dialog.showModal();
  dialog.dispatchEvent(new Event("opened"));
  return true;
}

/** Whether the press was on the page behind the dialog. @param {Element} dialog @param {MouseEvent} at */
function isBeside(dialog, at) {
  const box = dialog.getBoundingClientRect();
  const across = at.clientX < box.left || at.clientX > box.right;
  return across || at.clientY < box.top || at.clientY > box.bottom;
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  const dialog = event.target;
  if (dialog instanceof HTMLDialogElement && isBeside(dialog, event)) dialog.close();
  const opener = event.target.closest("[data-opens]");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
  if (opener && plain && open(opener.getAttribute("data-opens") ?? "")) event.preventDefault();
});

// --- lists -----------------------------------------------------------------------------------

/** Those that can be seen, in their order. @returns {HTMLElement[]} */
const rows = () =>
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(ROWS))].filter(
    (row) => row.getClientRects().length,
  );

/** @returns {HTMLElement | null} */
const here = () => document.activeElement?.closest(ROWS) ?? null;

/** What a row is opened by. @param {Element} row @returns {HTMLElement | null} */
const main = (row) =>
  row.querySelector("a.strong") ??
  row.querySelector("a[href], button, summary, input:not([type=hidden]), select");

/** @param {1 | -1} step */
function move(step) {
  const all = rows();
  const now = here();
  const at = now ? all.indexOf(now) + step : step > 0 ? 0 : all.length - 1;
  const row = all[at];
  if (!row) return false;
  const link = main(row);
  if (!link) row.tabIndex = -1;
  (link ?? row).focus();
  row.scrollIntoView({ block: "nearest" });
  return true;
}

function enter() {
  const row = here();
  if (!row || document.activeElement?.matches("a, button, summary")) return false;
  main(row)?.click();
  return true;
}

function select() {
  /** @type {HTMLInputElement | null | undefined} */
  const box = here()?.querySelector("input[type=checkbox]");
  box?.click();
  return Boolean(box);
}

/** The path of what a row is about. @param {Element} row */
const path = (row) => main(row)?.closest("a")?.pathname ?? "";

/** @param {string} one */
const noun = (one) => one.split("/")[1];

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const row = link?.closest(ROWS);
  if (!row || !path(row)) return;
  const list = rows().map(path).filter((one) => noun(one) === noun(path(row)));
  sessionStorage.setItem(LIST, JSON.stringify([...new Set(list)]));
});

/** @param {1 | -1} step */
function beside(step) {
  /** @type {string[]} */
  const list = JSON.parse(sessionStorage.getItem(LIST) ?? "[]");
  const at = list.indexOf(location.pathname);
  const next = at < 0 ? undefined : list[at + step];
  if (next) location.assign(next);
  return Boolean(next);
}

// --- the rest --------------------------------------------------------------------------------

function search() {
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector("main input[type=search], main .find input");
  if (!field) return open("palette");
  field.focus();
  field.select();
  return true;
}

/** Out of a field; else to where the person came from, or a step up. */
function back() {
  const now = document.activeElement;
  if (now instanceof HTMLElement && now.matches(FIELDS)) {
    now.blur();
    return true;
  }
  /** @type {HTMLAnchorElement | null} */
  const up = document.querySelector(".crumbs a:last-of-type");
  if (!up || document.querySelector("[popover]:popover-open")) return false;
  const came = document.referrer.startsWith(`${location.origin}/`) && history.length > 1;
  if (came) history.back();
  else location.assign(up.href);
  return true;
}

/** Each answers whether there was anything to do. @type {Record<string, () => boolean>} */
const ACTS = {
  down: () => move(1),
  up: () => move(-1),
  open: enter,
  select,
  behind: () => beside(1),
  before: () => beside(-1),
  back,
  search,
  palette: () => open("palette"),
  sheet: () => open("keys"),
};

/** By their keys, what is done. @type {Map<string, () => boolean>} */
const map = new Map();
for (const row of sheet?.querySelectorAll("[data-keys]") ?? []) {
  const to = row.getAttribute("data-go");
  const go = () => {
    location.assign(to ?? "/");
    return true;
  };
  map.set(row.getAttribute("data-keys") ?? "", to ? go : ACTS[row.getAttribute("data-act") ?? ""]);
}

// --- keys ------------------------------------------------------------------------------------

/** As the map spells it; empty for what is none of ours. @param {KeyboardEvent} event */
function spelt(event) {
  if (event.getModifierState("AltGraph")) return event.key; // where brackets are typed so
  if (event.altKey) return "";
  if (event.ctrlKey || event.metaKey) return `Control+${event.key.toLowerCase()}`;
  return event.key;
}

/** Whether this key is the page's now, and not a field's or a dialog's. @param {string} key */
function isOurs(key) {
  if (document.querySelector("dialog[open]")) return false;
  if (key === "Control+k" || key === "Escape") return true;
  if (document.documentElement.dataset.keys === "off") return false;
  return !document.activeElement?.matches(FIELDS);
}

let begun = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} keys */
function begin(keys) {
  clearTimeout(timer);
  begun = keys;
  timer = setTimeout(() => (begun = ""), PATIENCE);
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.key === "Shift") return;
  const key = spelt(event);
  if (!key || !isOurs(key)) return;
  const keys = begun ? `${begun} ${key}` : key;
  begun = "";
  if (map.get(keys)?.()) event.preventDefault();
  else if ([...map.keys()].some((one) => one.startsWith(`${keys} `))) begin(keys);
});
