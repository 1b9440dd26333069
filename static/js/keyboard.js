/**
 * Single-key shortcuts, in one registry.
 *
 * In markup: `data-key="a"` on a button, link or field ("g q" is a sequence), `data-key-label` for the `?` sheet
 * (else the element's accessible name), `data-key-group` for its heading. In code: `register(key, {label, group, run})`.
 * Keys are silent while someone types, while a dialog is open (except on elements inside it), and when switched off.
 */

const STORAGE_NAME = "single-key-shortcuts";
const SEQUENCE_MILLISECONDS = 1200;
const DEFAULT_GROUP = "This page";
const GROUPS_LAST = "Everywhere";
const SPOKEN = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Enter: "↵", " ": "Space" };

const registered = new Map();
let prefix = "";
let prefixTimer = 0;

/** Bind a key for as long as the page lives, or until the returned function is called. */
export function register(key, { label, group = DEFAULT_GROUP, run, hidden = false }) {
  registered.set(key, { label, group, run, hidden });
  return () => registered.delete(key);
}

export function enabled() {
  return localStorage.getItem(STORAGE_NAME) !== "off";
}

function setEnabled(on) {
  if (on) localStorage.removeItem(STORAGE_NAME);
  else localStorage.setItem(STORAGE_NAME, "off");
}

function typing(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  return target.matches("input") && !target.matches("[type=checkbox], [type=radio], [type=button], [type=submit]");
}

function usable(element) {
  const disabled = element.matches(":disabled, [aria-disabled=true]");
  // What is only there to be read is reached by no pointer, and by no key either.
  const isOnlyRead = getComputedStyle(element).pointerEvents === "none";
  return !disabled && !isOnlyRead && element.checkVisibility({ visibilityProperty: true });
}

function scope() {
  const dialogs = document.querySelectorAll("dialog[open]:modal");
  return dialogs.length ? dialogs[dialogs.length - 1] : null;
}

function elementFor(key) {
  const root = scope() ?? document;
  const matches = root.querySelectorAll(`[data-key="${CSS.escape(key)}"]`);
  return [...matches].find(usable);
}

/** The field of a part that stands open: closed by its key, it would leave the first letters to be commands. */
function begunIn(element) {
  return element.matches("summary") && element.parentElement.open ? element.parentElement.querySelector("textarea") : null;
}

function activate(element) {
  const begun = begunIn(element);
  if (begun) {
    begun.focus();
    begun.setSelectionRange(begun.value.length, begun.value.length);
    return;
  }
  const takesText = element.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=submit])");
  element.focus();
  if (!takesText) element.click();
  if (element.matches("summary")) enter(element.parentElement);
}

/** What is written already is typed over by the first letter; what somebody began goes on. */
export function focusToType(field) {
  field.focus();
  if (field.matches("textarea") && field.value === field.defaultValue) field.select();
}

/** What a key opened takes the focus at once: the next key may already be the first letter of an answer. */
function enter(details) {
  const field = details.open && details.querySelector("textarea, .menu__items button");
  if (field) focusToType(field);
}

function nameOf(event) {
  const letter = event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase();
  return letter ? event.key.toLowerCase() : event.key;
}

function run(key, event) {
  const element = elementFor(key);
  if (element) {
    event.preventDefault();
    activate(element);
    return true;
  }
  const entry = scope() ? undefined : registered.get(key);
  if (!entry) return false;
  if (entry.run(event) !== false) event.preventDefault();
  return true;
}

function startsSequence(key) {
  const inMarkup = document.querySelector(`[data-key^="${CSS.escape(key)} "]`);
  return inMarkup || [...registered.keys()].some((name) => name.startsWith(`${key} `));
}

function forgetPrefix() {
  clearTimeout(prefixTimer);
  prefix = "";
}

function remember(key) {
  prefix = key;
  prefixTimer = setTimeout(forgetPrefix, SEQUENCE_MILLISECONDS);
}

/** A letter in an open menu goes to the next entry that begins with it, and to nothing behind the menu. */
function stayInMenu(menu, key) {
  const entries = [...menu.querySelectorAll(".menu__items button, .menu__items a")].filter(usable);
  const behind = entries.indexOf(document.activeElement) + 1;
  const inTurn = [...entries.slice(behind), ...entries.slice(0, behind)];
  inTurn.find((entry) => entry.textContent.trim().toLowerCase().startsWith(key))?.focus();
}

function onKeydown(event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = nameOf(event);
  const menu = event.target.closest?.("details[data-menu][open]");
  if (menu && key.length === 1 && key !== " " && !typing(event.target)) {
    event.preventDefault();
    stayInMenu(menu, key);
    return;
  }
  if (key === "Shift" || (event.shiftKey && key.length === 1 && key !== event.key)) return;
  if (!enabled() || typing(event.target)) return;
  const sequence = prefix && `${prefix} ${key}`;
  forgetPrefix();
  if (sequence && run(sequence, event)) return;
  if (!scope() && startsSequence(key)) remember(key);
  else run(key, event);
}

function labelOf(element) {
  return element.dataset.keyLabel ?? element.getAttribute("aria-label") ?? element.textContent.trim();
}

function shortcuts() {
  const seen = new Map();
  for (const element of document.querySelectorAll("[data-key]")) {
    const { key, keyGroup: group = DEFAULT_GROUP } = element.dataset;
    if (!seen.has(key) && usable(element)) seen.set(key, { key, group, label: labelOf(element) });
  }
  for (const [key, { label, group, hidden }] of registered) {
    if (!hidden && !seen.has(key)) seen.set(key, { key, group, label });
  }
  return [...grouped(seen.values())].sort(([a], [b]) => (a === GROUPS_LAST) - (b === GROUPS_LAST));
}

function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return groups;
}

function textElement(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

function keysElement(key) {
  const cell = document.createElement("dd");
  const names = key === " " ? [key] : key.split(" ");
  cell.append(...names.map((name) => textElement("kbd", "kbd", SPOKEN[name] ?? name.toUpperCase())));
  return cell;
}

function fillSheet(list) {
  list.replaceChildren();
  for (const [name, entries] of shortcuts()) {
    list.append(textElement("dt", "shortcuts__group eyebrow", name), textElement("dd", "sr-only", ""));
    for (const { key, label } of entries) list.append(textElement("dt", "", label), keysElement(key));
  }
}

export function openSheet() {
  const sheet = document.getElementById("shortcuts");
  if (!sheet || sheet.open) return;
  fillSheet(document.getElementById("shortcuts-list"));
  document.getElementById("shortcuts-enabled").checked = enabled();
  sheet.showModal();
}

/** Start listening. Called once, by app.js. */
export function start() {
  register("?", { label: "Show this list", group: GROUPS_LAST, run: openSheet });
  document.addEventListener("keydown", onKeydown);
  document.getElementById("shortcuts-enabled")?.addEventListener("change", (event) => setEnabled(event.target.checked));
}
