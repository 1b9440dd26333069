/** What every page does: shortcuts, times, dialogs, menus, copying, toasts, and being offline. */

import * as keyboard from "./keyboard.js";
import * as live from "./live.js";
import * as palette from "./palette.js";
import * as time from "./time.js";

const TOAST_MILLISECONDS = 6000;
// As many as fit beside each other: older ones have been read, or are too late.
const MAX_TOASTS = 2;
const COPIED_MILLISECONDS = 1500;
// Longer than between the clicks of a double one; a form whose answer is a file may be sent again.
const DOUBLE_MILLISECONDS = 1000;
// Often enough that the last second is not a long one.
const HELD_TICK_MILLISECONDS = 200;
const UNKNOWN = "Look whether it was done before you do it again";

/** Tell something that needs no answer. `kind` is "good" or "bad"; a bad one stays until it is dismissed. */
export function toast(text, kind = "good") {
  // What is told again, as by a key that is pressed again, is told once.
  for (const told of document.querySelectorAll(".toast")) {
    if (told.querySelector(".toast__text").textContent === text) told.remove();
  }
  const shown = document.getElementById(`toast-${kind}`).content.cloneNode(true).firstElementChild;
  shown.querySelector(".toast__text").textContent = text;
  // Where it is too long for the header.
  shown.querySelector(".toast__text").title = text;
  document.getElementById("toasts").append(shown);
  for (const old of [...document.querySelectorAll("#toasts .toast--good")].slice(0, -MAX_TOASTS)) old.remove();
  if (kind === "good") setTimeout(() => shown.remove(), TOAST_MILLISECONDS);
}

/** Say something to screen readers only. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

function textOf(button) {
  return button.dataset.copy ?? document.getElementById(button.dataset.copyFrom).textContent;
}

async function copy(button) {
  const label = button.querySelector("[data-copy-label]");
  try {
    await navigator.clipboard.writeText(textOf(button));
  } catch {
    toast("This browser does not allow copying here. Select the text and copy it by hand.", "bad");
    return;
  }
  announce("Copied");
  if (!label || label.dataset.before) return;
  label.dataset.before = label.textContent;
  label.textContent = "copied";
  setTimeout(() => {
    label.textContent = label.dataset.before;
    delete label.dataset.before;
  }, COPIED_MILLISECONDS);
}

function openDialog(id) {
  if (id === "shortcuts") keyboard.openSheet();
  else document.getElementById(id)?.showModal();
}

function closeMenus(target) {
  for (const menu of document.querySelectorAll("[data-menu][open]")) {
    if (!menu.contains(target)) menu.open = false;
  }
}

function onClick(event) {
  closeMenus(event.target);
  const button = event.target.closest?.("[data-copy], [data-copy-from], [data-dialog], [data-close], [data-dismiss]");
  if (!button) {
    if (event.target.matches?.("dialog:modal")) event.target.close();
    return;
  }
  if ("copy" in button.dataset || "copyFrom" in button.dataset) copy(button);
  else if ("dialog" in button.dataset) openDialog(button.dataset.dialog);
  else if ("close" in button.dataset) button.closest("dialog").close();
  else button.closest(".toast").remove();
}

function onEscape(event) {
  const menu = event.key === "Escape" && document.querySelector("[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

function showConnection() {
  document.getElementById("offline").hidden = navigator.onLine;
}

function isPoll(event) {
  return event.detail.elt?.hasAttribute("data-poll");
}

function onResponseError(event) {
  const told = /"(toast|signedOut)"/.test(event.detail.xhr.getResponseHeader("HX-Trigger") ?? "");
  if (told || isPoll(event)) return;
  if (event.detail.xhr.status === 503) {
    toast("The database cannot be reached for a moment. What you typed is still here: send it again.", "bad");
    return;
  }
  // What fails behind a decision, or in front of the server, does not tell whether it was taken.
  const done = event.detail.xhr.status < 500 ? "Nothing was changed" : UNKNOWN;
  toast(`The server answered ${event.detail.xhr.status}. ${done}; what you typed is still here.`, "bad");
}

/** The session has ended under an open page: whoever signs in again in another tab goes on in this one. */
function onSignedOut(event) {
  if (document.querySelector(".toast--signed-out")) return;
  toast("You are signed out. What you typed is still here.", "bad");
  const shown = document.getElementById("toasts").lastElementChild;
  const link = document.createElement("a");
  link.href = event.detail.address;
  link.target = "_blank";
  link.className = "btn btn--small";
  link.textContent = "Sign in again";
  link.addEventListener("click", () => shown.remove());
  shown.classList.add("toast--signed-out");
  shown.querySelector(".toast__text").after(link);
}

/** What forms carry against forged requests, as it is now: signing in again, in whichever tab, makes it anew. */
export function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
}

function renewToken(event) {
  const token = csrfToken();
  if (!token) return;
  event.detail.headers["X-CSRFToken"] = token;
  // Not by `in`: what htmx hands out here answers only to the values themselves.
  if (event.detail.parameters.csrfmiddlewaretoken) event.detail.parameters.csrfmiddlewaretoken = token;
}

function onSendError(event) {
  document.getElementById("offline").hidden = false;
  // The answer may be what was lost.
  if (!isPoll(event)) toast(`The server did not answer. ${UNKNOWN}; what you typed is still here.`, "bad");
}

function onAfterRequest(event) {
  if (event.detail.xhr?.status) showConnection();
}

/** Counts down until the agent is told of an approval; then there is nothing left to take back. */
function watchHeld(held) {
  const says = held.querySelector("[data-held-says]");
  const until = performance.now() + 1000 * Number(held.dataset.heldSeconds);
  const tick = setInterval(() => {
    const left = Math.ceil((until - performance.now()) / 1000);
    if (left > 0) {
      says.textContent = `· the agent is told in ${left} s`;
      return;
    }
    clearInterval(tick);
    held.querySelector("form").remove();
    says.textContent = "· the agent is told";
    setTimeout(() => held.remove(), TOAST_MILLISECONDS);
  }, HELD_TICK_MILLISECONDS);
}

/** A double click sends a form once: another key or member would come of the second. htmx and its pages see to theirs. */
function onceAtATime(event) {
  const form = event.target;
  if (form.method !== "post" || performance.now() - Number(form.dataset.sentAt ?? -Infinity) >= DOUBLE_MILLISECONDS) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function noteSent(event) {
  if (!event.defaultPrevented) event.target.dataset.sentAt = performance.now();
}

/** A form that came back leads to the first thing that is wrong with it, which may be screens below. */
function showWrong() {
  const wrong = document.querySelector('main form[method="post"] [aria-invalid="true"]');
  if (!wrong?.checkVisibility() || document.activeElement !== document.body) return;
  wrong.focus();
  wrong.scrollIntoView({ block: "center" });
}

/** Whoever reloads a page that shows something once asks for the page alone, and does not send its form again. */
function forgetSentForm() {
  const shownOnce = document.querySelector("[data-reload-at]");
  if (shownOnce) history.replaceState(null, "", shownOnce.dataset.reloadAt);
}

/** Z where the last decision is not held: a key that does nothing would leave somebody waiting for it. */
function tellNothingIsHeld() {
  toast("A rejection is final, because the agent has been told. Only an approval is taken back by the key, while it is held.");
}

keyboard.start();
if (document.body.dataset.live) keyboard.register("z", { label: "Take back", run: tellNothingIsHeld, hidden: true });
time.start();
live.start();
palette.start();
document.addEventListener("click", onClick);
document.addEventListener("keydown", onEscape);
document.addEventListener("submit", onceAtATime, true);
document.addEventListener("submit", noteSent);
document.addEventListener("toast", (event) => toast(event.detail.text, event.detail.kind));
document.addEventListener("signedOut", onSignedOut);
document.addEventListener("htmx:configRequest", renewToken);
document.addEventListener("htmx:responseError", onResponseError);
document.addEventListener("htmx:sendError", onSendError);
document.addEventListener("htmx:timeout", onSendError);
document.addEventListener("htmx:afterRequest", onAfterRequest);
window.addEventListener("offline", showConnection);
window.addEventListener("online", showConnection);
document.querySelectorAll("[data-held-seconds]").forEach(watchHeld);
showConnection();
showWrong();
forgetSentForm();
