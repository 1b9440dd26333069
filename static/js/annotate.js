/** The annotator's workspace: time in view, evidence marked by mouse or keyboard, and Enter that goes on. */

import { register } from "./keyboard.js";
import { announce, toast } from "./app.js";
import * as drafts from "./review/drafts.js";

const TICK_MILLISECONDS = 1000;
/** Within the texts: the names of characters that do not show, and the numbers of marks. */
const SPOKEN = ".sr-only, .mark__no";
const STEP_OF = {
  ArrowRight: ["forward", "word"],
  ArrowLeft: ["backward", "word"],
  ArrowDown: ["forward", "line"],
  ArrowUp: ["backward", "line"],
};

const form = document.getElementById("answer-form");
const field = form.elements.namedItem("evidence");
const list = document.getElementById("marks");
/** What sends the draft; none where a label is settled. */
const draft = document.getElementById("draft");

function texts() {
  return [...document.querySelectorAll("[data-conversation] .text[id]")].filter((text) => text.checkVisibility());
}

/** The text that holds a node, or null outside the conversation. */
function textOf(node) {
  const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
  return element?.closest("[data-conversation] .text[id]") ?? null;
}

function marks() {
  try {
    return field.value ? JSON.parse(field.value) : [];
  } catch {
    return [];
  }
}

function keep(entries) {
  field.value = entries.length ? JSON.stringify(entries) : "";
  show();
  // The draft is saved on input, which scripts do not cause by themselves.
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

function show() {
  if (!list) return;
  list.replaceChildren(
    ...marks().map((mark, at) => {
      const item = document.createElement("li");
      const words = document.createElement("bdi");
      const remove = document.createElement("button");
      item.className = "marks__item";
      words.textContent = `“${mark.quote.length > 120 ? `${mark.quote.slice(0, 120)}…` : mark.quote}”`;
      remove.type = "button";
      remove.className = "btn btn--quiet btn--small";
      remove.textContent = "Remove";
      remove.setAttribute("aria-label", `Remove ${mark.quote.slice(0, 60)}`);
      remove.addEventListener("click", () => {
        keep(marks().filter((_, other) => other !== at));
        document.getElementById("mark").focus();
      });
      item.append(words, remove);
      return item;
    }),
  );
}

/** The words of a range as they are shown: what only screen readers are told of a character is none of them. */
function shownIn(range) {
  const words = range.cloneContents();
  for (const told of words.querySelectorAll(SPOKEN)) told.remove();
  return words.textContent;
}

/** How many equal words stand before the range in its text. */
function before(text, range, quote) {
  const upto = document.createRange();
  upto.selectNodeContents(text);
  upto.setEnd(range.startContainer, range.startOffset);
  return shownIn(upto).split(quote).length - 1;
}

function mark() {
  const selection = getSelection();
  const range = selection.rangeCount ? selection.getRangeAt(0) : null;
  const text = range && textOf(range.commonAncestorContainer);
  // Spaces at either end are the browser's habit of taking whole words, and no evidence.
  const quote = range ? shownIn(range).trim() : "";
  if (!text || !quote) {
    toast("Select words of the conversation first, within one text.", "bad");
    return;
  }
  keep([...marks(), { at: text.id, quote, nth: before(text, range, quote) }]);
  globalThis.CSS?.highlights?.set("evidence", new Highlight(...(CSS.highlights.get("evidence") ?? []), range.cloneRange()));
  announce(`Marked: ${quote}`);
  // Back to the text, where Enter saves and the arrows go on.
  text.tabIndex = -1;
  text.focus({ preventScroll: true });
}

/** To the next or the previous text, where the arrow keys choose words. */
function go(direction) {
  const all = texts();
  const at = all.indexOf(textOf(document.activeElement));
  const text = all[(at + direction + all.length) % all.length] ?? all[0];
  text.tabIndex = -1;
  text.focus();
  text.scrollIntoView({ block: "nearest" });
  getSelection().collapse(text, 0);
}

/** Every text in full, as far as the page's next chunk of each goes. */
function unfold() {
  const folded = [...document.querySelectorAll("[data-conversation] a.gap")].filter((gap) => gap.checkVisibility());
  for (const gap of folded) gap.click();
  if (!folded.length) toast("Nothing is folded.");
}

/** Select the words at a place of the conversation, unfolding what holds them as far as the page has it. */
function select(link) {
  const text = document.getElementById(link.dataset.place);
  if (!text) return false;
  for (let at = text.closest("details:not([open])"); at; at = at.parentElement.closest("details:not([open])")) at.open = true;
  const range = rangeOf(text, link.dataset.words, Number(link.dataset.nth));
  text.tabIndex = -1;
  text.focus({ preventScroll: true });
  if (!range) {
    text.scrollIntoView({ block: "center" });
    toast("These words stand in a part that is folded: V shows it.");
    return true;
  }
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  announce(`Selected: ${link.dataset.words}`);
  return true;
}

/** Lower case, each letter where it was: one that becomes two, as İ does, would move all behind it. */
function fold(text) {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join("");
}

/** The range of the nth equal words in a text, upper and lower case alike; null where the page does not show it. */
function rangeOf(text, words, nth) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!node.parentElement.closest(SPOKEN)) nodes.push(node);
  const whole = fold(nodes.map((node) => node.data).join(""));
  let start = whole.indexOf(fold(words));
  for (let at = 0; at < nth && start >= 0; at += 1) start = whole.indexOf(fold(words), start + words.length);
  if (start < 0) return null;
  const range = document.createRange();
  let offset = 0;
  for (const node of nodes) {
    const end = offset + node.length;
    if (start >= offset && start < end) range.setStart(node, start - offset);
    if (start + words.length <= end) {
      range.setEnd(node, start + words.length - offset);
      return range;
    }
    offset = end;
  }
  return null;
}

/** Light every listed place in the texts that the page shows. */
function light() {
  const ranges = [...document.querySelectorAll("#places [data-place]")]
    .map((link) => [document.getElementById(link.dataset.place), link])
    .map(([text, link]) => text && rangeOf(text, link.dataset.words, Number(link.dataset.nth)))
    .filter(Boolean);
  globalThis.CSS?.highlights?.set("places", new Highlight(...ranges));
  place = -1;
}

let place = -1;

function nextPlace() {
  const links = [...document.querySelectorAll("#places [data-place]")];
  if (!links.length) {
    toast("Find words first.");
    return;
  }
  place = (place + 1) % links.length;
  select(links[place]);
}

/** The call itself where a right one is written, with the value that is wrong selected. */
function correct(button) {
  const box = document.getElementById("correction");
  const [tool, args] = [form.elements.namedItem("corrected_tool"), form.elements.namedItem("corrected_arguments")];
  document.getElementById("correction-more").open = true;
  tool.value ||= box.dataset.tool;
  args.value ||= box.dataset.arguments;
  args.focus();
  const value = button.dataset.correct;
  const start = args.value.indexOf(value);
  if (start >= 0) args.setSelectionRange(start, start + value.length);
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

function choose(event) {
  const step = STEP_OF[event.key];
  const text = document.activeElement?.matches("[data-conversation] .text[id]") ? document.activeElement : null;
  if (!step || !text || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const selection = getSelection();
  if (!textOf(selection.anchorNode)) selection.collapse(text, 0);
  const [direction, unit] = step;
  // Without Shift the next words are chosen anew, with it they are added.
  if (!event.shiftKey && direction === "forward") selection.collapseToEnd();
  if (!event.shiftKey && direction === "backward") {
    selection.collapseToStart();
    selection.modify("move", direction, unit);
  }
  selection.modify("extend", event.shiftKey ? direction : "forward", unit);
  // A selection that left its text is taken back: evidence stands in one text.
  if (textOf(selection.focusNode) !== text) selection.modify("extend", "backward", unit);
}

/** To the first place, at once or as soon as it is found. */
async function findFirst() {
  const words = document.getElementById("find-words");
  if (document.querySelector("#places [data-place]") && words.dataset.found === words.value.trim()) nextPlace();
  else words.dataset.goes = "";
}

/** Enter saves, wherever it has no meaning of its own. */
function onEnter(event) {
  if (event.key !== "Enter" || event.defaultPrevented || event.isComposing) return;
  if (event.target.id === "find-words") {
    event.preventDefault();
    findFirst();
    return;
  }
  const own = event.target.closest?.("textarea, button, a, summary, dialog[open], .menu__items");
  if (own && !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  // Held down for longer than the next item takes to come, it would save what nobody has looked at.
  if (!event.repeat) form.requestSubmit();
}

/** Out of a field: its keys are commands again. */
function onEscape(event) {
  if (event.key === "Escape" && document.activeElement?.matches("input, textarea, select")) document.activeElement.blur();
}

function count() {
  if (document.hidden) return;
  const seconds = form.elements.namedItem("seconds");
  if (!seconds) return;
  seconds.value = Number(seconds.value || 0) + TICK_MILLISECONDS / 1000;
  for (const other of document.querySelectorAll("[data-seconds]")) other.value = seconds.value;
}

/** Whether something was entered since a draft was last sent. */
let unkept = false;

function onSent(event) {
  if (event.target === draft) unkept = false;
}

/** What was entered a moment before the page is left is kept too; what is saved needs no draft. */
function leave() {
  if (draft && unkept) navigator.sendBeacon(draft.getAttribute("hx-post"), new FormData(form));
}

function onPlaces(event) {
  if (event.target.id !== "places") return;
  const words = document.getElementById("find-words");
  words.dataset.found = event.target.querySelector("[data-sought]")?.dataset.sought;
  light();
  // While somebody types, what comes first may be what fewer letters found.
  if ("goes" in words.dataset && words.dataset.found === words.value.trim()) {
    delete words.dataset.goes;
    nextPlace();
  }
}

form.addEventListener("input", () => { unkept = true; });
form.addEventListener("submit", () => { unkept = false; });
document.addEventListener("htmx:beforeSend", onSent);
window.addEventListener("pagehide", leave);
document.addEventListener("htmx:afterSwap", onPlaces);
document.addEventListener("click", (event) => {
  const link = event.target.closest("#places [data-place]");
  if (link && select(link)) event.preventDefault();
  const button = event.target.closest("[data-correct]");
  if (button) correct(button);
});
for (const button of document.querySelectorAll("[data-correct]")) button.hidden = false;
// Listed alone: `onEnter` knows where Enter has a meaning of its own.
register("Enter", { label: document.querySelector("[type=submit][form=answer-form]").lastChild.data.trim(), run: () => false });
register("n", { label: "Next place of the words that were found", run: nextPlace });
register("j", { label: "Next text of the conversation", run: () => go(1) });
register("v", { label: "Show what is folded in the conversation", run: unfold });
register("k", { label: "Previous text of the conversation", run: () => go(-1) });
document.getElementById("mark")?.addEventListener("mousedown", (event) => event.preventDefault());
document.getElementById("mark")?.addEventListener("click", mark);
document.addEventListener("keydown", choose);
document.addEventListener("keydown", onEnter);
document.addEventListener("keydown", onEscape);
setInterval(count, TICK_MILLISECONDS);
// Of the page where a label is settled; an annotator's draft is the server's.
drafts.start();
show();
document.querySelector("[aria-invalid='true'], .field__error")?.scrollIntoView({ block: "center" });
