/**
 * Word of a changed queue: the count in title, icon and header, the list, and a notification for whoever asked for it.
 *
 * One tab of the browser holds the stream and tells the others: browsers allow a site few connections at once.
 */

const STORAGE_NAME = "notify-of-new-items";
const COUNTED_UP_TO = 999;

let live = false;
let waiting = null;
const title = document.title;

/** Whether changes are heard of at once, so that nobody needs to poll. */
export function isLive() {
  return live;
}

function written(count) {
  return count > COUNTED_UP_TO ? `${COUNTED_UP_TO}+` : String(count);
}

function showCount(count) {
  document.title = count ? `(${written(count)}) ${title}` : title;
  const icon = document.querySelector("link[rel=icon]");
  icon.dataset.quiet ??= icon.getAttribute("href");
  icon.href = count ? icon.dataset.waiting : icon.dataset.quiet;
  const badge = document.getElementById("pending-count");
  if (badge?.firstChild) badge.firstChild.textContent = written(count);
}

function receive(state) {
  live = true;
  showCount(state.waiting);
  if (waiting !== null) document.body.dispatchEvent(new CustomEvent("queue-changed"));
  waiting = state.waiting;
}

function notify(count) {
  if (!document.hidden || localStorage.getItem(STORAGE_NAME) !== "on" || Notification.permission !== "granted") return;
  new Notification(`${written(count)} waiting`, { tag: "queue", body: "A call waits for a decision." });
}

/** Holds the stream for as long as this tab is open. */
function lead(address, channel) {
  const source = new EventSource(address);
  source.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (waiting !== null && state.waiting > waiting) notify(state.waiting);
    receive(state);
    channel.postMessage(state);
  });
  source.addEventListener("error", () => {
    live = false;
  });
  return new Promise(() => {});
}

async function setNotified(event) {
  const granted = event.target.checked && (await Notification.requestPermission()) === "granted";
  if (granted) localStorage.setItem(STORAGE_NAME, "on");
  else localStorage.removeItem(STORAGE_NAME);
  event.target.checked = granted;
}

export function start() {
  const address = document.body.dataset.live;
  if (!address || !window.EventSource || !navigator.locks) return;
  const channel = new BroadcastChannel("queue");
  channel.addEventListener("message", (event) => receive(event.data));
  navigator.locks.request("queue-events", () => lead(address, channel));
  const box = document.getElementById("notify-enabled");
  if (!box || !window.Notification) return;
  box.closest("[hidden]")?.removeAttribute("hidden");
  box.checked = localStorage.getItem(STORAGE_NAME) === "on" && Notification.permission === "granted";
  box.addEventListener("change", setNotified);
}
