/** The reader's own key in the quickstarts. It stays in this tab: it is never sent, and gone with the tab. */

const KEPT = "agent-key";

function fill(key) {
  for (const place of document.querySelectorAll("[data-agent-key]")) place.textContent = key || place.dataset.agentKey;
}

function keep(key) {
  if (key) sessionStorage.setItem(KEPT, key);
  else sessionStorage.removeItem(KEPT);
}

function offer(field) {
  const input = field.querySelector("input");
  // Whoever signed out leaves no key to the next one at this browser.
  if ("forget" in field.dataset) keep("");
  input.value = sessionStorage.getItem(KEPT) ?? "";
  fill(input.value);
  input.addEventListener("input", () => {
    const key = input.value.trim();
    if (!("forget" in field.dataset)) keep(key);
    fill(key);
  });
  field.hidden = false;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-keep-key]");
  if (link) keep(document.getElementById(link.dataset.keepKey).textContent);
});

const field = document.querySelector("[data-key-field]");
if (field) offer(field);
