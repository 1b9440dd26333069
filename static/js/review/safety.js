/**
 * A key held down, or struck twice, must not decide the item that opened in between: nobody has seen it yet.
 * Nor must what someone types for an editor that is still on its way.
 */

const UNSEEN_MILLISECONDS = 400;
const STORAGE_NAME = "decided-at";

let openedUnseen = false;

function editorIsComing() {
  return document.querySelector('.htmx-request[hx-target="#edit"]') !== null;
}

function onKeydown(event) {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1;
  const typing = event.target.closest?.("input, textarea, select");
  if (!plain || typing) return;
  const unseen = openedUnseen && performance.now() < UNSEEN_MILLISECONDS;
  if (event.repeat || unseen || editorIsComing()) event.stopImmediatePropagation();
}

function remember() {
  sessionStorage.setItem(STORAGE_NAME, String(Date.now()));
}

export function start() {
  openedUnseen = Date.now() - Number(sessionStorage.getItem(STORAGE_NAME) ?? 0) < 5000;
  sessionStorage.removeItem(STORAGE_NAME);
  document.addEventListener("keydown", onKeydown, true);
  document.addEventListener("submit", remember, true);
}
