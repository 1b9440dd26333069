/** The command palette: Ctrl-K opens it, typing filters it, the arrows choose, Enter goes there. */

let dialog, input, chosen;

function entries() {
  return [...dialog.querySelectorAll("li:not([hidden]) > a")];
}

function choose(link) {
  chosen?.removeAttribute("aria-current");
  chosen = link;
  chosen?.setAttribute("aria-current", "true");
  chosen?.scrollIntoView({ block: "nearest" });
}

/** A link that searches says for what, and leads there. */
function aim(link, text) {
  link.dataset.words ??= link.textContent;
  link.textContent = `${link.dataset.words} “${text}”`;
  link.search = new URLSearchParams({ [link.dataset.searchFor]: text });
}

function filter() {
  const text = input.value.trim();
  for (const link of dialog.querySelectorAll("li > a")) {
    const searches = "searchFor" in link.dataset;
    if (searches && text) aim(link, text);
    link.parentElement.hidden = searches ? !text : !link.textContent.toLowerCase().includes(text.toLowerCase());
  }
  choose(entries()[0]);
}

function onKeydown(event) {
  const all = entries();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    choose(all[(all.indexOf(chosen) + step + all.length) % all.length]);
  } else if (event.key === "Enter" && chosen) {
    event.preventDefault();
    chosen.click();
  }
}

function open() {
  input.value = "";
  filter();
  dialog.showModal();
  input.focus();
}

export function start() {
  dialog = document.getElementById("palette");
  if (!dialog) return;
  input = document.getElementById("palette-text");
  input.addEventListener("input", filter);
  dialog.addEventListener("keydown", onKeydown);
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog[open]")) open();
  });
}
