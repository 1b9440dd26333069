/**
 * Nothing is decided by accident.
 *
 * No key, click or touch decides an item that has not been in view for a moment: nobody has read it yet, and the key
 * or the click was most likely meant for the item before it. A call that is grave, or that the guard found wrong, is
 * approved by a second key, or by holding the button. Of any call, what is out of sight is shown before it is approved.
 * And no key reaches the page that someone types for an editor that is still on its way.
 */

// A person who expects a page needs about this long to see that it is another one.
const IN_VIEW_MILLISECONDS = 600;
// Until a page that somebody goes on to has taken the place of this one, or nobody waits for it any more.
const GOING_MILLISECONDS = 8000;
// Long enough to read what the second key will do, short enough that a forgotten first one arms nothing.
const ARMED_MILLISECONDS = 3000;
// Longer than any click or tap.
const HOLD_MILLISECONDS = 1000;

let viewTimer = 0;
let armedTimer = 0;
let holdTimer = 0;
let byPointer = false;
let isHeldLongEnough = false;

const inView = () => document.body.dataset.inView === "yes";
const twiceForm = () => document.querySelector("form[data-asks-twice]");
const approveButton = () => document.getElementById("approve");
const isArmed = () => armedTimer !== 0;

/** Count from when the item can be seen: also a tab that was opened in the background. */
function watchView(milliseconds = IN_VIEW_MILLISECONDS) {
  clearTimeout(viewTimer);
  delete document.body.dataset.inView;
  if (document.hidden) return;
  viewTimer = setTimeout(() => {
    document.body.dataset.inView = "yes";
  }, milliseconds);
}

/** Whoever goes on to another page decides nothing on this one: what they press next is meant for what is coming. */
function goOn() {
  if (isArmed()) disarm();
  watchView(GOING_MILLISECONDS);
}

function onLink(event) {
  const link = event.target.closest?.("a[href]");
  const leaves = link && !link.target && !link.matches('[download], [href^="#"]') && !event.defaultPrevented;
  if (leaves && !event.ctrlKey && !event.metaKey && !event.shiftKey) goOn();
}

/** Behind a decision the next item is on its way. */
function onAnswer(event) {
  if (event.detail.xhr?.getResponseHeader("HX-Redirect")) goOn();
}

/** What the page says beside the button, to eyes and screen readers alike. */
function say(text) {
  const says = document.getElementById("approve-says");
  if (says) says.textContent = text;
}

const overflows = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

/** Whether a row is folded away, or a part of its value. */
const isOutOfSight = (row) => !row.checkVisibility() || overflows(row.querySelector(".arg__value"));

/** Whoever is about to approve has the whole call before them. Returns whether anything of it was out of sight. */
function showWhole() {
  const call = document.getElementById("args");
  if (!call) return false;
  if (call.classList.contains("is-whole")) return askForMissing();
  // Of a mild call nobody need read again what is established by its source.
  const rows = call.querySelectorAll(`[role="row"]${twiceForm() ? "" : ":not(.arg--copy, .arg--derived)"}`);
  const wasHidden = overflows(call) || [...rows].some(isOutOfSight);
  call.classList.add("is-whole");
  for (const details of call.querySelectorAll("details")) details.open = true;
  return askForMissing() || wasHidden;
}

/** What has not come: nobody has read it. What comes takes the place of its link; a long text comes with another. */
const missing = () => [...document.querySelectorAll("#args .gap")];

/** Ask for the next of what is folded, and again where the answer was lost. Returns whether any had yet to come. */
function askForMissing() {
  const gaps = missing();
  for (const gap of gaps) if (!gap.matches(".htmx-request")) gap.click();
  return gaps.length > 0;
}

function arm() {
  clearTimeout(armedTimer);
  // Before anything is armed: these clicks are not the person's.
  armedTimer = 0;
  // A second key that follows at once was not meant for what the first has shown.
  if (showWhole()) watchView();
  approveButton().classList.add("is-armed");
  say(`${twiceForm().dataset.asksTwice}: press A again. Escape keeps it waiting.`);
  armedTimer = setTimeout(disarm, ARMED_MILLISECONDS);
}

function disarm() {
  clearTimeout(armedTimer);
  armedTimer = 0;
  approveButton()?.classList.remove("is-armed");
  say("");
}

function hold(event) {
  const button = event.target.closest?.("form[data-asks-twice] #approve");
  byPointer = Boolean(button);
  if (!button || !event.isPrimary || event.button !== 0 || !inView()) return;
  if (showWhole()) return;
  button.classList.add("is-held");
  holdTimer = setTimeout(() => {
    isHeldLongEnough = true;
    button.form.requestSubmit(button);
    isHeldLongEnough = false;
  }, HOLD_MILLISECONDS);
}

function letGo(event) {
  // The pointer may wander over the words within the button.
  if (event.type === "pointerout" && approveButton()?.contains(event.relatedTarget)) return;
  clearTimeout(holdTimer);
  holdTimer = 0;
  approveButton()?.classList.remove("is-held");
}

function editorIsComing() {
  return document.querySelector('.htmx-request[hx-target="#edit"]') !== null;
}

/** Whether the key belongs to what decides this item; others, such as those to another item, may follow at once. */
function decides(key) {
  return document.querySelector(`:is(.verdict, .readings) [data-key="${CSS.escape(key.toLowerCase())}"]`) !== null;
}

function onKeydown(event) {
  byPointer = false;
  if (event.key === "Escape" && isArmed()) disarm();
  // Enter that is held down presses a button again and again: it would be its own second key.
  if (event.repeat && event.key === "Enter" && event.target === approveButton()) event.preventDefault();
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1;
  const typing = event.target.closest?.("input, textarea, select");
  if (!plain || typing) return;
  if (event.repeat || editorIsComing() || (!inView() && decides(event.key))) event.stopImmediatePropagation();
}

function refuse(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** The server asks once more for a call that is grave, or was found wrong, and that does not come with this. */
function confirm(form) {
  form.elements.confirmed.value = "1";
}

function approveMild(event) {
  if (!showWhole()) return;
  refuse(event);
  watchView();
  say("Part of the call was out of sight. Look at it, then approve again.");
}

/** The last word on every decision, however it was sent. */
function onSubmit(event) {
  if (!event.target.matches?.(".verdict form, #edit-form")) return;
  // Nor is what is on its way sent again, by a second key or as a button that was held long enough is let go.
  if (!inView() || event.target.matches(".htmx-request")) {
    refuse(event);
    return;
  }
  if (event.target.matches(".verdict__approve:not([data-asks-twice])")) approveMild(event);
  if (!event.target.matches("[data-asks-twice]")) return;
  const isWhole = missing().length === 0;
  if (isHeldLongEnough && isWhole) {
    confirm(event.target);
  } else if (byPointer) {
    refuse(event);
    say("Hold the button for a second to approve, or press A twice.");
  } else if (isArmed() && isWhole) {
    disarm();
    confirm(event.target);
  } else {
    refuse(event);
    arm();
  }
}

/** A held button must not open the menu that a long touch opens elsewhere. */
function onContextMenu(event) {
  if (event.target.closest?.("form[data-asks-twice] #approve")) event.preventDefault();
}

/** Whether it would prepare a decision on an item that is another's, or decided: there a reading is only read. */
function comesTooLate(element) {
  return element.closest(".reading") && document.querySelector('#state[data-decidable="no"]');
}

function onClick(event) {
  if (comesTooLate(event.target)) refuse(event);
  // Whatever else is clicked, the first key was not about that.
  if (isArmed() && !event.target.closest?.("form[data-asks-twice]")) disarm();
}

export function start() {
  watchView();
  document.addEventListener("visibilitychange", () => watchView());
  // Behind everything that makes something else of a link.
  window.addEventListener("click", onLink);
  document.addEventListener("htmx:beforeOnLoad", onAnswer);
  window.addEventListener("pageshow", (event) => event.persisted && watchView());
  document.addEventListener("keydown", onKeydown, true);
  document.addEventListener("submit", onSubmit, true);
  document.addEventListener("click", onClick, true);
  document.addEventListener("contextmenu", onContextMenu);
  document.addEventListener("pointerdown", hold);
  for (const end of ["pointerup", "pointercancel", "pointerout"]) document.addEventListener(end, letGo);
}
