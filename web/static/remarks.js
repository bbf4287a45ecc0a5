/**
 * A line's number in a diff leads to the field for a comment on that line. By keys the field is
 * reached as it stands below the file; all of it works without this.
 */

/** @param {Element} file @returns {HTMLInputElement} The field for a line that is empty yet. */
function empty(file) {
  const fields = /** @type {HTMLInputElement[]} */ ([
    ...file.querySelectorAll(".line-note input[name^=line-]"),
  ]);
  const free = fields.find((one) => !one.value && !text(one).value);
  return free ?? another(fields[fields.length - 1]);
}

/** @param {HTMLInputElement} line @returns {HTMLTextAreaElement} The comment beside it. */
function text(line) {
  return /** @type {HTMLTextAreaElement} */ (line.closest(".line-note")?.querySelector("textarea"));
}

/** One more row below the last one. @param {HTMLInputElement} last @returns {HTMLInputElement} */
function another(last) {
  const row = /** @type {Element} */ (last.closest(".line-note"));
  const [, file, number] = last.name.split("-");
  const made = /** @type {Element} */ (row.cloneNode(true));
  for (const one of made.querySelectorAll("[id], [for]")) {
    for (const name of ["id", "name", "for"]) {
      const old = one.getAttribute(name);
      if (old) one.setAttribute(name, old.replace(/-\d+$/, `-${Number(number) + 1}`));
    }
  }
  row.after(made);
  const line = /** @type {HTMLInputElement} */ (
    made.querySelector(`[name="line-${file}-${Number(number) + 1}"]`)
  );
  line.value = "";
  text(line).value = "";
  return line;
}

document.addEventListener("click", (event) => {
  const cell = event.target instanceof Element ? event.target.closest("[data-file] td") : null;
  const row = cell?.parentElement;
  if (!cell || !row || cell !== row.children[1] || !cell.textContent) return;
  const file = /** @type {HTMLElement} */ (cell.closest("[data-file]")).dataset.file;
  const form = /** @type {HTMLDetailsElement} */ (document.getElementById(`remarks-${file}`));
  form.open = true;
  const line = empty(form);
  line.value = cell.textContent;
  text(line).focus();
});
