/** The queue's list: keyboard roving, focus that survives a refresh, and word of new items. */

import { announce } from "./app.js";
import { isLive } from "./live.js";
import { register } from "./keyboard.js";

const NAMED_AT_MOST = 3;
const LIVE_POLL_MILLISECONDS = 10_000;

let known = new Map();
let current = "";

function links() {
  return [...document.querySelectorAll(".queue .row-link")];
}

function rows() {
  return new Map(links().map((link) => [link.id, link]));
}

/** One row is in the tab order; the arrows move within the list. */
function rove() {
  const all = links();
  const chosen = all.find((link) => link.id === current) ?? all[0];
  for (const link of all) link.tabIndex = link === chosen ? 0 : -1;
}

/** Beyond the last row the next page begins, before the first one the page before. */
function turn(step) {
  const page = document.getElementById(step > 0 ? "queue-next" : "queue-previous");
  if (!page) return;
  arriveAt = step > 0 ? 0 : -1;
  page.click();
}

function go(step) {
  const all = links();
  if (!all.length) return false;
  const focused = all.indexOf(document.activeElement);
  const remembered = all.findIndex((link) => link.id === current);
  const next = focused >= 0 ? focused + step : Math.max(remembered, 0);
  if (next < 0 || next >= all.length) turn(step);
  const link = all[Math.min(Math.max(next, 0), all.length - 1)];
  link.focus({ preventScroll: true });
  link.closest("tr").scrollIntoView({ block: "nearest" });
  return true;
}

function onFocus(event) {
  if (!event.target.matches?.(".row-link")) return;
  current = event.target.id;
  rove();
}

function sentence(arrived) {
  const tools = arrived.slice(0, NAMED_AT_MOST).map((link) => link.title);
  const rest = arrived.length > NAMED_AT_MOST ? " and more" : "";
  return `${arrived.length} new ${arrived.length === 1 ? "item" : "items"}: ${tools.join(", ")}${rest}`;
}

function welcome(isPoll) {
  const now = rows();
  const arrived = [...now].filter(([id]) => !known.has(id)).map(([, link]) => link);
  if (isPoll && arrived.length) {
    for (const link of arrived) link.closest("tr").classList.add("queue__row--new");
    announce(sentence(arrived));
  }
  known = now;
}

/** The keyboard goes on in the page that it turned to. */
function arrive() {
  const link = links().at(arriveAt);
  arriveAt = null;
  link?.focus({ preventScroll: true });
  link?.closest("tr").scrollIntoView({ block: "nearest" });
}

/** A decided row that had the focus is gone: its neighbour takes over, so that the keyboard does not start again. */
function keepPlace(place) {
  if (place < 0 || document.activeElement?.matches(".row-link")) return;
  const all = links();
  all[Math.min(place, all.length - 1)]?.focus({ preventScroll: true });
}

/** The search box is left for the list: by Enter with what was typed, by Escape at once. */
function leaveSearch(event) {
  if (!event.target.matches?.("[data-search]")) return;
  if (event.key === "Enter") {
    arriveAt = 0;
  } else if (event.key === "Escape") {
    // The browser would empty the box, and with it the list.
    event.preventDefault();
    if (!go(0)) event.target.blur();
  }
}

/** How many items of a group are chosen, where the person is asked to type it. */
function countChosen(event) {
  const told = event.target.form?.querySelector("[data-chosen]");
  if (told) told.textContent = event.target.form.querySelectorAll("input[name=item]:checked").length;
}

let place = -1;
let polledAt = 0;
// The row that takes the focus when a page that the keyboard turned to arrives; null when none did.
let arriveAt = null;

function beforeSwap(event) {
  place = event.detail.requestConfig?.elt.hasAttribute("data-poll") ? links().indexOf(document.activeElement) : -1;
}

function afterSettle(event) {
  const poll = event.detail.requestConfig?.elt.hasAttribute("data-poll");
  // A poll may come in between, and is not the page that was turned to.
  if (arriveAt === null || poll) keepPlace(place);
  else arrive();
  place = -1;
  rove();
  welcome(poll);
}

function beforeRequest(event) {
  const poll = event.detail.elt.hasAttribute("data-poll");
  const busy = document.hidden || document.querySelector("dialog[open]");
  const told = event.detail.requestConfig?.triggeringEvent?.type === "queue-changed";
  // What stands behind the watched top of the queue changes without a word: now and then it is looked at all the same.
  const rests = isLive() && !told && performance.now() - polledAt < LIVE_POLL_MILLISECONDS;
  if (poll && (busy || rests)) event.preventDefault();
  else if (poll) polledAt = performance.now();
}

known = rows();
rove();
register("j", { label: "Next item", run: () => go(1) });
register("k", { label: "Previous item", run: () => go(-1) });
register("ArrowDown", { label: "Next item", hidden: true, run: () => document.activeElement.matches(".row-link") && go(1) });
register("ArrowUp", { label: "Previous item", hidden: true, run: () => document.activeElement.matches(".row-link") && go(-1) });
document.addEventListener("change", countChosen);
document.addEventListener("focusin", onFocus);
document.addEventListener("keydown", leaveSearch);
document.addEventListener("htmx:beforeRequest", beforeRequest);
document.addEventListener("htmx:beforeSwap", beforeSwap);
document.addEventListener("htmx:afterSettle", afterSettle);
