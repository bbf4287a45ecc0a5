/**
 * Keeps the end of a growing transcript in sight, until the reader scrolls up.
 *
 * What is far above the end is let go; nothing is taken away from under who reads.
 */

/** Pixels from the end that count as the end. */
const NEAR = 48;
/** Rows; a transcript may have a hundred thousand. */
const KEPT = 4000;

const log = document.querySelector("ol.log");
/** @type {HTMLButtonElement | null} */
const toggle = document.querySelector("button[data-follow]");

/** The way to what is not here. @type {HTMLElement | null} */
const beginning = document.querySelector("[data-beginning]");

/** What scrolls it. @param {Element} element @returns {Element} */
function scrollerOf(element) {
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY))
      return one;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** @param {Element} list */
function letGo(list) {
  const surplus = list.children.length - KEPT;
  if (surplus <= 0) return;
  const range = document.createRange();
  range.setStart(list, 0);
  range.setEndBefore(list.children[surplus]);
  range.deleteContents();
  if (beginning) beginning.hidden = false;
}

/** @param {Element} list */
function follow(list) {
  const place = () => scrollerOf(list);
  const isAtEnd = () =>
    place().scrollTop + place().clientHeight >= place().scrollHeight - NEAR;
  const toEnd = () => place().scrollTo({ top: place().scrollHeight });
  let following = false;
  let top = place().scrollTop;

  /** @param {boolean} next */
  const set = (next) => {
    following = next;
    if (toggle) {
      toggle.setAttribute("aria-pressed", String(following));
      toggle.hidden = !list.querySelector("#tail");
    }
  };

  const scrolled = () => {
    const up = place().scrollTop < top;
    top = place().scrollTop;
    if (isAtEnd()) set(true);
    else if (up) set(false);
  };

  document.addEventListener("scroll", scrolled, { capture: true, passive: true });
  toggle?.addEventListener("click", () => {
    set(!following);
    if (!following) return;
    letGo(list);
    toEnd();
  });
  // Who reads further up gets no more than as much again; the tail goes on when they follow.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const asked = /** @type {CustomEvent} */ (event).detail.requestConfig.triggeringEvent;
    if (!asked && !following && list.children.length > 2 * KEPT) event.preventDefault();
  });
  new MutationObserver(() => {
    set(following);
    if (!following) return;
    letGo(list);
    requestAnimationFrame(toEnd);
  }).observe(list, { childList: true });
  set(isAtEnd());
}

if (log) follow(log);
