/** The edit panel: opens ready to type over the value at fault, and closes without leaving the page. */

import { shapeOf } from "./drafts.js";
import { focusSelected } from "./selection.js";

const form = () => document.getElementById("edit-form");

/** Where typing goes on: the field of the value at fault, or the JSON with that value selected. */
function focusEditor() {
  // One after the other: of both at once the first on the page would be found.
  const field = form().querySelector("[data-starts]") ?? form().querySelector(".edit__fields :is(input, textarea, select)");
  const text = field ?? form().querySelector(".edit__json");
  text?.focus();
  if (field) field.select?.();
  const { start, end } = text?.dataset ?? {};
  if (Number(end) > Number(start)) text.setSelectionRange(Number(start), Number(end));
}

function ready() {
  if (!form()) return;
  // What is put right already is only to be sent.
  if ("mended" in form().dataset) form().querySelector("[type=submit]").focus();
  else focusEditor();
  document.getElementById("edit").scrollIntoView({ block: "nearest" });
}

/** The value to type over is that of the argument selected now, not of the one selected at load. */
function onConfigure(event) {
  const opener = event.target.closest?.("[data-opens-edit]");
  if (!opener) return;
  // The rest of the address stays: it keeps the filters of the queue.
  const query = new URLSearchParams(location.search);
  query.set("edit", "1");
  query.set("at", opener.dataset.pointer ?? "");
  // What was typed as JSON, and may not even be any, cannot come back into fields.
  if (shapeOf(opener.dataset.opensEdit) === "json") query.set("shown", "json");
  // The item's own address: a refused form leaves the page at the form's, which no link may open.
  event.detail.path = `${opener.pathname}?${query}`;
}

/** E on an open panel goes back to it; what was typed stays. */
function onBefore(event) {
  if (!event.target.matches?.("[data-opens-edit]") || !form()) return;
  event.preventDefault();
  focusEditor();
}

function close() {
  const panel = document.getElementById("edit");
  panel.hidden = true;
  form()?.remove();
  focusSelected();
}

function onClick(event) {
  if (!event.target.closest?.("[data-close-edit]")) return;
  event.preventDefault();
  close();
}

function onKeydown(event) {
  if (event.key === "Escape" && event.target.closest?.("#edit")) close();
}

function onSwap(event) {
  if (event.detail.elt?.id === "edit") ready();
}

export function start() {
  document.addEventListener("htmx:configRequest", onConfigure);
  document.addEventListener("htmx:beforeRequest", onBefore);
  document.addEventListener("htmx:afterSettle", onSwap);
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKeydown);
  if (form()) ready();
}
