/** The guard profile's page: rows that come and go, seconds in words, and a preview that falls behind its draft. */

import { short } from "./time.js";

/** What is wrong, the most useful to be led to first. */
const WRONG = ['[aria-invalid="true"]', ".field__error", ".callout--bad"];

function addRow(button) {
  const rows = document.getElementById(button.dataset.addsTo);
  rows.append(document.getElementById(`${rows.id}-blank`).content.cloneNode(true));
  rows.lastElementChild.querySelector("input").focus();
}

function removeRow(row) {
  const rows = row.parentElement;
  const neighbour = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (neighbour?.querySelector("input") ?? document.querySelector(`[data-adds-to="${rows.id}"]`)).focus();
  showStale();
}

function showDurations() {
  for (const output of document.querySelectorAll("[data-duration-of]")) {
    const seconds = Number(document.getElementById(output.dataset.durationOf).value);
    output.textContent = seconds >= 60 && Number.isInteger(seconds) ? `about ${short(seconds)}` : "";
  }
}

function showEnforced() {
  const enforced = document.querySelectorAll('.segments [value="enforced"]:checked').length;
  document.querySelector("[data-enforced-count]").textContent = enforced;
}

function showStale() {
  const note = document.querySelector("[data-stale]");
  if (note) note.hidden = false;
}

function onClick(event) {
  const button = event.target.closest("[data-adds-to], [data-row-remove]");
  if (!button) return;
  if ("addsTo" in button.dataset) addRow(button);
  else removeRow(button.closest("[data-row]"));
}

function onInput(event) {
  if (!event.target.form?.matches("#profile-form")) return;
  showDurations();
  showEnforced();
  showStale();
}

/** A draft that could be previewed has nothing wrong with it any more; only the preview was swapped. */
function forgetWrong() {
  for (const told of document.querySelectorAll("#profile-form :is(.field__error, .callout--bad)")) told.remove();
  for (const field of document.querySelectorAll("#profile-form [aria-invalid]")) field.removeAttribute("aria-invalid");
}

/** After a preview was asked for: to what it says, or to the first thing that is wrong. */
function onSettled(event) {
  if (!event.detail.requestConfig?.elt.matches("[data-previews]")) return;
  if (event.detail.xhr.status === 200) forgetWrong();
  showDurations();
  const wrong = WRONG.map((each) => document.querySelector(`#draft ${each}`)).find(Boolean);
  const target = wrong ?? document.getElementById("changes-title");
  if (!target) return;
  if (!target.matches("input, select, [tabindex]")) target.tabIndex = -1;
  target.focus();
  target.scrollIntoView({ block: wrong ? "center" : "start" });
}

document.addEventListener("click", onClick);
document.addEventListener("input", onInput);
document.addEventListener("htmx:afterSettle", onSettled);
showDurations();
