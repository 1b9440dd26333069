/**
 * What is typed into a form about the item survives Escape and reload: it is kept in this tab until it is sent.
 *
 * Not in the browser for good: a message may quote what an agent's user wrote.
 */

// Of these forms one alone is sent.
const DECIDE = ["edit", "reject", "respond"];

const keyOf = (form) => `draft:${form.dataset.draft}`;
const kept = (name) => JSON.parse(sessionStorage.getItem(`draft:${name}`) ?? "null");
const isTyped = (field) => field.name && !field.hidden && (field.type !== "hidden" || "drafted" in field.dataset);
const typed = (form) => [...form.elements].filter(isTyped);
const isChoice = (field) => field.type === "radio" || field.type === "checkbox";

/** What was typed by the field's name; of choices, those that were made. */
function valuesOf(form) {
  const values = {};
  for (const field of typed(form)) {
    if (!isChoice(field)) values[field.name] = field.value;
    else values[field.name] = [...(values[field.name] ?? []), ...(field.checked ? [field.value] : [])];
  }
  return values;
}

function keep(form) {
  const values = valuesOf(form);
  const { value: shown } = form.elements.shown ?? {};
  sessionStorage.setItem(keyOf(form), JSON.stringify({ shown, values }));
}

function onTyped(event) {
  const form = event.target.closest?.("form[data-draft]");
  if (form) keep(form);
}

/** In which shape what was typed into this form was typed: "fields", "json", or nothing. */
export function shapeOf(name) {
  return kept(name)?.shown;
}

/** Fill the form with what was typed before, once. */
function restore(form) {
  // What the server refused has come back as it was sent, and is the latest.
  if ("refused" in form.dataset) {
    keep(form);
    return;
  }
  const draft = kept(form.dataset.draft);
  // A draft of fields says nothing to a form of JSON.
  if (!draft || draft.shown !== form.elements.shown?.value) return;
  for (const field of typed(form)) {
    if (!(field.name in draft.values)) continue;
    if (isChoice(field)) field.checked = draft.values[field.name].includes(field.value);
    if (isChoice(field) || field.value === draft.values[field.name]) continue;
    field.value = draft.values[field.name];
    const fold = field.closest("details");
    if (fold) fold.open = true;
    // Where the value at fault stood in the text as it was.
    delete field.dataset.start;
    delete field.dataset.end;
  }
  // As if it was typed now: the preview was asked for the form as it came.
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

export function restoreAll(root = document) {
  const forms = root.matches?.("form[data-draft]") ? [root] : (root.querySelectorAll?.("form[data-draft]") ?? []);
  for (const form of forms) restore(form);
}

/** Show what was typed where somebody else has taken the item meanwhile, and its forms are gone from the page. */
function showKept() {
  const place = document.querySelector("[data-kept]");
  if (!place) return;
  const drafts = [...document.querySelectorAll("form[data-draft]")].map((form) => kept(form.dataset.draft)?.values);
  const messages = drafts.map((values) => values?.message ?? values?.note).filter(Boolean);
  place.hidden = !messages.length;
  place.querySelector("textarea").value = messages.join("\n\n");
}

/** What was sent is no draft any more, nor is what decided otherwise; what was refused comes back in the form. */
function forget(form) {
  const [kind, item] = form.dataset.draft.split(":");
  for (const each of DECIDE.includes(kind) ? DECIDE : [kind]) sessionStorage.removeItem(`draft:${each}:${item}`);
  // A field that had the focus tells of its change once more as it is taken away.
  delete form.dataset.draft;
}

/** Before the answer takes the place of the form, as a new one would be filled with what was sent. */
function onAnswer(event) {
  const { elt, xhr } = event.detail;
  const form = elt.matches?.("form, button") && elt.closest("form[data-draft]");
  if (form && xhr.status < 400) forget(form);
}

export function start() {
  restoreAll();
  showKept();
  document.addEventListener("input", onTyped);
  document.addEventListener("change", onTyped);
  document.addEventListener("htmx:afterSettle", (event) => {
    restoreAll(event.detail.elt ?? document);
    showKept();
  });
  document.addEventListener("htmx:beforeOnLoad", onAnswer);
}
