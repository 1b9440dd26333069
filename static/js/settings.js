/** The settings' form: rows of tool policies, and seconds in words. */

import { short } from "./time.js";

const rows = document.getElementById("policy-rows");
const blank = document.getElementById("policy-template");

function addRow() {
  rows.append(blank.content.cloneNode(true));
  rows.lastElementChild.querySelector("input").focus();
}

function removeRow(row) {
  const neighbour = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  (neighbour?.querySelector("input") ?? document.getElementById("policy-add")).focus();
}

function showDuration(output) {
  const input = document.getElementById(output.dataset.durationOf);
  const seconds = Number(input.value);
  output.textContent = seconds >= 60 && Number.isInteger(seconds) ? `about ${short(seconds)}` : "";
}

document.getElementById("policy-add").addEventListener("click", addRow);
rows.addEventListener("click", (event) => {
  const button = event.target.closest("[data-policy-remove]");
  if (button) removeRow(button.closest("[data-policy]"));
});
for (const output of document.querySelectorAll("[data-duration-of]")) {
  showDuration(output);
  document.getElementById(output.dataset.durationOf).addEventListener("input", () => showDuration(output));
}
