/** An experiment's page while it runs: figures come anew every other second, and whoever is among them stays there. */

let places = new Map();

function regions() {
  return document.querySelectorAll("#figures [role=region]");
}

/** What is chosen in a form would be gone before it is sent, and a button before it is pressed. */
function restInForm(event) {
  if (event.detail.elt.id === "figures" && document.querySelector("#figures form:focus-within")) event.preventDefault();
}

function notePlaces() {
  places = new Map();
  for (const region of regions()) {
    const place = { left: region.scrollLeft, hasFocus: region === document.activeElement };
    places.set(region.getAttribute("aria-label"), place);
  }
}

function keepPlaces() {
  for (const region of regions()) {
    const before = places.get(region.getAttribute("aria-label"));
    if (!before) continue;
    region.scrollLeft = before.left;
    if (before.hasFocus) region.focus({ preventScroll: true });
  }
}

document.addEventListener("htmx:beforeRequest", restInForm);
document.addEventListener("htmx:beforeSwap", notePlaces);
document.addEventListener("htmx:afterSwap", keepPlaces);
