/**
 * Buttons that copy a text of the page; without scripts it is selected and copied by hand.
 */

/** Milliseconds for which it is said that it was copied. */
const SAID = 2_000;

for (const button of document.querySelectorAll("button[data-copies]")) {
  if (button instanceof HTMLButtonElement) offer(button);
}

/** @param {HTMLButtonElement} button */
function offer(button) {
  const words = button.textContent ?? "";
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copies ?? "");
    if (!(text instanceof HTMLTextAreaElement)) return;
    if (!(await isCopied(text))) return;
    button.textContent = button.dataset.sayCopied ?? words;
    setTimeout(() => (button.textContent = words), SAID);
  });
}

/** @param {HTMLTextAreaElement} text */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text.value);
    return true;
  } catch {
    text.focus();
    text.select(); // a person copies it, or the browser does as it was asked
    return document.execCommand("copy");
  }
}
