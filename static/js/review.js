/** The review page: selection, the edit panel, focus that is never lost, and no decision by accident. */

import { csrfToken } from "./app.js";
import { focusToType } from "./keyboard.js";
import * as drafts from "./review/drafts.js";
import * as edit from "./review/edit.js";
import * as selection from "./review/selection.js";
import * as safety from "./review/safety.js";

/** Put the focus where the work goes on when a swap took away what held it. */
function restoreFocus(event) {
  const root = event.detail.elt ?? document;
  const wanted = root.matches?.("[data-take-focus]") ? root : root.querySelector?.("[data-take-focus]");
  const lost = !document.activeElement || document.activeElement === document.body;
  // A text that is unfolded takes the place of the link that was pressed, and of nothing else.
  if (wanted && (lost || !wanted.matches(".pieces"))) wanted.focus();
  else if (lost) selection.focusSelected();
}

function closePops() {
  for (const pop of document.querySelectorAll(".pop[open]")) pop.open = false;
}

function onOvertaken() {
  closePops();
  document.querySelector("#state [data-take-focus], #state .callout")?.focus();
}

function onToggle(event) {
  const pop = event.target;
  const field = pop.matches?.(".pop[open]") && pop.querySelector("textarea, .menu__items button");
  // A key has put the focus there before, and the next one may have been typed.
  if (field && document.activeElement !== field) focusToType(field);
}

function onSubmitKeys(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const form = event.target.closest?.("[data-submit-keys]");
  if (!form) return;
  event.preventDefault();
  form.requestSubmit();
}

function onFocusLink(event) {
  const link = event.target.closest?.("[data-focus]");
  if (!link) return;
  event.preventDefault();
  document.getElementById(link.dataset.focus)?.focus();
}

/** A question to the user is an answer to the agent: open it with the question written. */
function onAnswerLink(event) {
  const link = event.target.closest?.("[data-answers]");
  if (!link) return;
  event.preventDefault();
  const message = document.getElementById("respond-message");
  message.closest(".pop").open = true;
  // Behind what was typed, which would be lost.
  if (!message.value.includes(link.dataset.answers)) {
    message.value = [message.value.trim(), link.dataset.answers].filter(Boolean).join("\n");
  }
  message.focus();
}

function onSnippet(event) {
  const snippet = event.target.closest?.("[data-inserts]");
  if (!snippet) return;
  const message = document.getElementById(snippet.dataset.inserts);
  message.value = snippet.dataset.text;
  message.dispatchEvent(new Event("input", { bubbles: true }));
  message.focus();
}

/** Coming back to the page, or to the server, is a good moment to learn whether the item still stands. */
function look() {
  const poll = document.querySelector("#state [data-poll]");
  if (!document.hidden && poll) window.htmx.trigger(poll, "look");
}

let claimedUntil = "";

function onClaimed(event) {
  claimedUntil = event.detail.until;
}

/** Whoever goes on to another item does not hold this one any longer: the claim of this page, and no later one. */
function leave() {
  const form = document.querySelector('body:has(#state[data-stand="mine"]) #release');
  if (!form || !claimedUntil) return;
  const data = new FormData(form);
  data.append("leaving", claimedUntil);
  if (csrfToken()) data.set("csrfmiddlewaretoken", csrfToken());
  navigator.sendBeacon(form.action, data);
}

selection.start();
drafts.start();
edit.start();
safety.start();
document.addEventListener("htmx:afterSettle", restoreFocus);
document.addEventListener("claimed", onClaimed);
document.addEventListener("overtaken", onOvertaken);
document.addEventListener("toggle", onToggle, true);
document.addEventListener("keydown", onSubmitKeys);
document.addEventListener("click", onFocusLink);
document.addEventListener("click", onAnswerLink);
document.addEventListener("click", onSnippet);
document.addEventListener("visibilitychange", look);
window.addEventListener("online", look);
window.addEventListener("pageshow", (event) => event.persisted && look());
window.addEventListener("pagehide", leave);
