/** Keeps the end of a growing transcript in sight, until the reader scrolls up. */

/** Pixels from the end that count as the end. */
const NEAR = 48;

const log = document.querySelector("ol.log");
/** @type {HTMLButtonElement | null} */
const toggle = document.querySelector("button[data-follow]");

/** What scrolls it. @param {Element} element @returns {Element} */
function scrollerOf(element) {
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY))
      return one;
  }
  return document.scrollingElement ?? document.documentElement;
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
    if (following) toEnd();
  });
  new MutationObserver(() => {
    set(following);
    if (following) requestAnimationFrame(toEnd);
  }).observe(list, { childList: true });
  set(isAtEnd());
}

if (log) follow(log);
