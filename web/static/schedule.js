/**
 * While a person types a schedule: what it means, and when it fires next, as the server says it.
 * Without scripts a button of the form does the same.
 */

/** Milliseconds without a further letter until the server is asked. */
const PAUSE = 250;

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form[data-preview]");
/** By schedule, what is being asked. @type {Map<Element, { timer?: number, asking?: AbortController }>} */
const open = new Map();

/** @param {Element} schedule @param {string} name */
const value = (schedule, name) =>
  /** @type {HTMLInputElement | null} */ (schedule.querySelector(`[data-${name}]`))?.value ?? "";

/** @param {Element} schedule @param {AbortSignal} signal */
async function ask(schedule, signal) {
  const said = new URLSearchParams({
    cron: value(schedule, "cron"),
    zone: value(schedule, "zone"),
    agent: /** @type {HTMLSelectElement | null} */ (form?.elements.namedItem("agent"))?.value ?? "",
  });
  const answer = await fetch(`${form?.dataset.preview}?${said}`, { signal }).catch(() => null);
  // Without an answer nothing is shown: what stands there is of another expression.
  const text = answer?.ok ? await answer.text().catch(() => "") : "";
  if (signal.aborted) return;
  const body = new DOMParser().parseFromString(text, "text/html").body;
  schedule.querySelector("[data-seen]")?.replaceChildren(...body.childNodes);
}

/** @param {Element} schedule */
function askSoon(schedule) {
  const before = open.get(schedule);
  before?.asking?.abort();
  clearTimeout(before?.timer);
  const asking = new AbortController();
  const timer = window.setTimeout(() => ask(schedule, asking.signal), PAUSE);
  open.set(schedule, { timer, asking });
}

form?.addEventListener("input", (event) => {
  if (!(event.target instanceof Element)) return;
  const schedule = event.target.closest("[data-schedule]");
  if (schedule && event.target.matches("[data-cron], [data-zone]")) askSoon(schedule);
  if (event.target.matches("[name=agent]")) {
    for (const one of form.querySelectorAll("[data-schedule]")) askSoon(one);
  }
});
