/** Select an argument, and its evidence lights up and scrolls into view. One row at a time can be tabbed to. */

import { register } from "../keyboard.js";

const MOVES = { ArrowDown: 1, ArrowUp: -1 };

const grid = () => document.getElementById("args");
const rows = () => [...(grid()?.querySelectorAll('[role="row"]') ?? [])];
const shownRows = () => rows().filter((row) => row.checkVisibility());
const mainReason = () => document.querySelector(".reason--main");
const selected = () => rows().find((row) => row.ariaSelected === "true");

/** Light up what a row, a reason or a reading points at; the first letter of the reference tells which it is. */
function light(ref) {
  const evidence = document.getElementById("evidence");
  const marks = [...evidence.querySelectorAll(".mark")];
  const lit = marks.filter((mark) => mark.dataset.refs.split(" ").includes(ref));
  for (const mark of marks) mark.classList.toggle("is-lit", lit.includes(mark));
  for (const part of document.querySelectorAll("#influence [data-refs]")) {
    part.classList.toggle("is-lit", part.dataset.refs.split(" ").includes(ref));
  }
  if (lit.length) evidence.dataset.lit = ref[0];
  else delete evidence.dataset.lit;
  return lit;
}

function show(lit) {
  const first = lit[0];
  if (!first) return;
  for (let outer = first.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
  const evidence = document.getElementById("evidence");
  const scrollsAlone = evidence.scrollHeight > evidence.clientHeight && getComputedStyle(evidence).overflowY === "auto";
  if (scrollsAlone) first.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
}

function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export function select(row) {
  for (const each of rows()) {
    each.ariaSelected = String(each === row);
    each.tabIndex = each === row ? 0 : -1;
  }
  show(light(row.dataset.ref));
  const link = document.querySelector("[data-opens-edit]");
  if (link) link.dataset.pointer = row.dataset.pointer;
}

/** What is lit while nothing is pointed at: a text that was jumped to, the selected value, or the main reason's. */
function rest() {
  return light(document.activeElement?.dataset.lights ?? selected()?.dataset.ref ?? mainReason().dataset.points);
}

export function focusSelected() {
  (selected() ?? mainReason()).focus({ preventScroll: true });
}

function move(step) {
  const shown = shownRows();
  const next = shown[shown.indexOf(selected() ?? document.activeElement) + step];
  if (!next) return false;
  select(next);
  next.focus();
  return true;
}

function onClick(event) {
  const row = event.target.closest?.('#args [role="row"]');
  if (row && !event.target.closest("a")) select(row);
}

function onPoint(event) {
  const pointing = event.target.closest?.("[data-points]");
  if (pointing) show(light(pointing.dataset.points));
}

/** A text that was jumped to stays lit for as long as it has the focus. */
function onArrive(event) {
  const { lights } = event.target.dataset ?? {};
  if (lights) light(lights);
}

/** A node of the influence graph leads to its text or its row: neither may be folded away, nor the focus be lost. */
function onJump(event) {
  const link = event.target.closest?.('#influence a[href^="#"]');
  const target = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!target) return;
  event.preventDefault();
  arrive(target);
}

/** Show a text or a row, and put the focus there. */
function arrive(target) {
  for (let outer = target.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
  if (target.matches('[role="row"]')) select(target);
  target.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  target.focus({ preventScroll: true });
  if (target.dataset.lights) show(light(target.dataset.lights));
}

function onLeave(event) {
  if (event.target.closest?.("[data-points], [data-lights]")) rest();
}

/** Go to the next text in which something is struck; after the last comes the first. */
function nextAnomalous() {
  const texts = [...document.querySelectorAll("#evidence [data-lights]:has(.mark__word)")];
  if (!texts.length) return false;
  arrive(texts[(texts.indexOf(document.activeElement) + 1) % texts.length]);
  return true;
}

export function start() {
  for (const [key, step] of Object.entries(MOVES)) {
    const label = step > 0 ? "Next argument" : "Previous argument";
    register(key, { label, group: "Arguments", run: () => move(step) });
  }
  if (document.querySelector("#evidence .mark__word")) {
    register("n", { label: "Next anomalous text", group: "Evidence", run: nextAnomalous });
  }
  document.addEventListener("click", onClick);
  document.addEventListener("click", onJump);
  document.addEventListener("focusin", onPoint);
  document.addEventListener("focusin", onArrive);
  document.addEventListener("focusout", onLeave);
  document.addEventListener("mouseover", onPoint);
  document.addEventListener("mouseout", onLeave);
  const first = selected();
  if (first) select(first);
  else show(rest());
  if (document.activeElement === document.body) focusSelected();
}
