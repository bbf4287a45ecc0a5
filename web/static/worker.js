/**
 * Holds the one event stream of this browser and tells every page that somebody looks at.
 *
 * A shared worker; where a browser has none, live.js runs this file inside its page. A page says
 * "looking" or "away", and "here" from time to time while it looks. It hears what state the stream is in, the topics of what happened, and
 * `fresh` when it may have missed something.
 *
 * @typedef {"off" | "live" | "reconnecting" | "polling" | "signed-out"} State
 * @typedef {{ state?: State, topics?: string[], fresh?: boolean }} Said
 */

const STREAM = "/api/v1/events/stream";
/** Milliseconds between looks while all streams of the server are taken. */
const POLL = 5000;
/** Milliseconds until the stream is let go when nobody looks: going from page to page is quicker. */
const LINGER = 10_000;
/** Milliseconds without a word after which a page is gone: a crashed one says no "away". */
const SILENT = 150_000;

/** When each of them was heard last. @type {Map<MessagePort, number>} */
const watching = new Map();
/** @type {State} */
let state = "off";
/** @type {EventSource | undefined} */
let source;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {Said} said */
function tell(said) {
  for (const page of watching.keys()) page.postMessage(said);
}

/** @param {State} next @param {boolean} [fresh] */
function become(next, fresh) {
  state = next;
  tell({ state, fresh });
}

/** @param {() => void} act @param {number} milliseconds */
function later(act, milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(act, milliseconds);
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = undefined;
}

function open() {
  close();
  source = new EventSource(STREAM);
  // Whatever was missed until then: the pages are to be looked at as a whole.
  source.onopen = () => become("live", true);
  source.onmessage = (event) => tell({ topics: [JSON.parse(event.data).subject_type] });
  // A browser's own new tries would not say why it fails, nor end when nobody is signed in.
  source.onerror = () => {
    close();
    ask();
  };
}

/** Why is there no stream? */
async function ask() {
  if (state !== "polling") become("reconnecting");
  const status = await fetch(STREAM, { method: "HEAD", cache: "no-store" }).then(
    (answer) => answer.status,
    () => 0,
  );
  if (!watching.size || source) return;
  if (status === 401 || status === 403) {
    become("signed-out");
  } else if (status === 503) {
    become("polling", true);
    later(ask, POLL);
  } else if (status === 200 && state === "polling") {
    open();
  } else {
    become("reconnecting");
    later(open, 1000 + Math.random() * 2000);
  }
}

function rest() {
  close();
  state = "off";
}

/** @param {MessagePort} page */
function looking(page) {
  if (!watching.size) clearTimeout(timer);
  watching.set(page, performance.now());
  if (state === "off" || state === "signed-out") open();
  else if (!source) ask();
  else page.postMessage({ state, fresh: state === "live" });
}

/** @param {MessagePort} page */
function here(page) {
  if (watching.has(page)) watching.set(page, performance.now());
  else looking(page);
}

/** @param {MessagePort} page */
function away(page) {
  if (watching.delete(page) && !watching.size) later(rest, LINGER);
}

setInterval(() => {
  const since = performance.now() - SILENT;
  for (const [page, heard] of watching) if (heard < since) away(page);
}, SILENT / 5);

const answers = { looking, here, away };

/** @param {{ ports: readonly MessagePort[] }} event */
globalThis.onconnect = (event) => {
  const page = event.ports[0];
  /** @param {MessageEvent<keyof typeof answers>} said */
  page.onmessage = (said) => answers[said.data](page);
};
