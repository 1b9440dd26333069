/**
 * Word of a changed queue: the count in title, icon and header, the list, and a notification or a tone for whoever asked
 * for them.
 *
 * One tab of the browser holds the stream and tells the others: browsers allow a site few connections at once.
 */

const STORAGE_NAME = "notify-of-new-items";
const TONE_NAME = "tone-of-new-items";
const COUNTED_UP_TO = 999;
/** An item's page asks for its state behind any word: on a busy queue that is as often as it may. */
const SETTLED_MILLISECONDS = 2_000;
/** Soft and short: it is heard a hundred times a day. */
const TONE = { hertz: 660, seconds: 0.18, loudness: 0.06 };

let live = false;
let waiting = null;
let settling = null;
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

/** Tell the page at once, and once more behind the last of several changes: a word left out may be the one that counts. */
function announce() {
  document.body.dispatchEvent(new CustomEvent("queue-changed"));
  settling ??= setTimeout(() => {
    settling = null;
    document.body.dispatchEvent(new CustomEvent("look-again"));
  }, SETTLED_MILLISECONDS);
}

function receive(state) {
  live = true;
  showCount(state.waiting);
  if (waiting !== null) announce();
  waiting = state.waiting;
}

function notify(count) {
  if (!document.hidden || localStorage.getItem(STORAGE_NAME) !== "on" || Notification.permission !== "granted") return;
  new Notification(`${written(count)} waiting`, { tag: "queue", body: "A call waits for a decision." });
}

/** A tone, in the one tab that holds the stream; browsers stay silent until somebody has used the page. */
function playTone() {
  if (localStorage.getItem(TONE_NAME) !== "on" || !window.AudioContext) return;
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = TONE.hertz;
  volume.gain.setValueAtTime(TONE.loudness, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + TONE.seconds);
  tone.connect(volume).connect(audio.destination);
  tone.addEventListener("ended", () => audio.close());
  tone.start();
  tone.stop(audio.currentTime + TONE.seconds);
}

/** Holds the stream for as long as this tab is open. */
function lead(address, channel) {
  const source = new EventSource(address);
  source.addEventListener("message", (event) => {
    const state = JSON.parse(event.data);
    if (waiting !== null && state.waiting > waiting) {
      notify(state.waiting);
      playTone();
    }
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

function setTone(event) {
  if (event.target.checked) localStorage.setItem(TONE_NAME, "on");
  else localStorage.removeItem(TONE_NAME);
  // What it sounds like, and the use of the page that browsers ask for.
  playTone();
}

function startTone() {
  const box = document.getElementById("tone-enabled");
  if (!box || !window.AudioContext) return;
  box.closest("[hidden]")?.removeAttribute("hidden");
  box.checked = localStorage.getItem(TONE_NAME) === "on";
  box.addEventListener("change", setTone);
}

export function start() {
  const address = document.body.dataset.live;
  if (!address || !window.EventSource || !navigator.locks) return;
  const channel = new BroadcastChannel("queue");
  channel.addEventListener("message", (event) => receive(event.data));
  navigator.locks.request("queue-events", () => lead(address, channel));
  startTone();
  const box = document.getElementById("notify-enabled");
  if (!box || !window.Notification) return;
  box.closest("[hidden]")?.removeAttribute("hidden");
  box.checked = localStorage.getItem(STORAGE_NAME) === "on" && Notification.permission === "granted";
  box.addEventListener("change", setNotified);
}
